"""Examples of a tool's arguments, for providers that take them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .._json_values import JsonObject, is_list, is_object
from .._log.redact import without_known_secrets, without_likely_secrets
from .._words import truncate
from ..arguments.reader import Reader
from ..errors import CallError
from ..json_schema.facts import Facts, facts
from ..schema.explicit import broken_rules, validator_for
from ..tools.definition import Tool, compiled_of
from .codecs import decoded
from .schemas.encode import EncodedSchema

MOST_EXAMPLES = 5
"""Examples of one tool: each of them is sent with every request."""
_MOST_TRIED = 50
_LONGEST = 4000
"""Characters of one example."""


class Examples(NamedTuple):
    """The examples of one tool that can be sent, and why others cannot."""

    valid: list[JsonObject]
    faults: list[str]


def examples_of(
    tool: Tool, encoded: EncodedSchema, written: Iterable[Mapping[str, Any]]
) -> Examples:
    """Return the examples of a tool that fit both its validator and its published schema.

    They are those of its parameters, put together, and what was `written` elsewhere.
    """
    compiled = compiled_of(tool)
    from_schema = put_together(tool.input_schema) if b'"examples"' in compiled.input_schema else []
    candidates = [*from_schema, *written][:_MOST_TRIED]
    if not candidates:
        return Examples([], [])
    reader = Reader(tool.name, compiled, repair=False)
    published = validator_for(encoded.fresh())
    valid: list[JsonObject] = []
    faults: dict[str, None] = {}
    texts: set[str] = set()
    for example in candidates:
        text = _json(example)
        if text in texts:
            continue
        texts.add(text)
        fault = _fault(example, text, reader, encoded, published)
        if fault:
            faults[fault] = None
        elif len(valid) == MOST_EXAMPLES:
            faults[f"has more than {MOST_EXAMPLES} examples: the others are left out"] = None
        else:
            valid.append(json.loads(text))
    return Examples(valid, list(faults))


def _fault(
    example: Mapping[str, Any], text: str, reader: Reader, encoded: EncodedSchema, published: Any
) -> str:
    """Return why an example is not sent; empty if it is."""
    if len(text) > _LONGEST:
        return f"has an example of {len(text)} characters: left out"
    is_secret = any(_is_secret(name, value) for name, value in example.items())
    if is_secret or without_known_secrets(text) != text:
        return "has a secret in an example: left out"
    try:
        reader.read(text)
        value = json.loads(text)
        broken, _ = broken_rules(published, value)
    except CallError as error:
        return f"has an example that is not valid: left out: {truncate(str(error), 200)}"
    except Exception:  # noqa: BLE001 - an author's validator or pattern may raise anything
        return "has an example that cannot be checked: left out"
    if broken or decoded(value, encoded.codec) != value:
        return "has an example that this schema writes in another way: left out"
    return ""


def put_together(schema: JsonObject) -> list[JsonObject]:
    """Return whole arguments made of the examples in a schema: the first of each parameter, ...

    A parameter without examples is left out; one that is required takes the first of its listed
    values. There are none if a required parameter has neither.
    """
    examples = [example for example in _listed(schema, "examples") if is_object(example)]
    schema_facts = facts(schema)
    values = {
        name: list(_values(schema_facts, name, "examples")) for name in schema_facts.properties
    }
    if not any(values.values()):
        return examples
    required = schema_facts.required
    for name in required:
        values[name] = values.get(name) or list(_values(schema_facts, name, "enum"))[:1]
    if not all(values[name] for name in required):
        return examples
    combined = [
        {
            name: listed[index % len(listed)]
            for name, listed in values.items()
            if name in required or (index < len(listed) and not _is_secret(name, listed[index]))
        }
        for index in range(min(max(map(len, values.values())), _MOST_TRIED))
    ]
    return [*examples, *combined]


def _values(said: Facts, name: str, key: str) -> Sequence[Any]:
    """Return what a parameter's schema lists under a key, there or in its definition."""
    listed = said.inner(name).keyword(key)
    return listed[:_MOST_TRIED] if is_list(listed) else ()


def _is_secret(name: str, value: Any) -> bool:
    """Return whether a text is probably a secret: by its own form, or by the parameter's name."""
    if not isinstance(value, str):
        return False
    text = _json({name: value[:_LONGEST]})
    return without_likely_secrets(text) != text


def _listed(node: JsonObject, key: str) -> Sequence[Any]:
    value = node.get(key)
    return value if is_list(value) else ()


def _json(example: Mapping[str, Any]) -> str:
    try:
        return json.dumps(example, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return json.dumps(None)
