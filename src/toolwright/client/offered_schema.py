"""The schemas of another server's tools, as they are published here."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any, cast

from .._json_values import is_list, is_object
from ..errors import ArgumentError, Fault, SchemaError
from ..json_schema.document import COMBINING, REF, Document, combined
from ..schema.explicit import searcher
from ..sources.program import CommandParameter
from ..sources.rules import Rule

# -- without anything that could block this server

_TABLE = "patternProperties"


def linear(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without patterns that only a backtracking engine takes.

    A hostile server may choose both the pattern and the text for which it takes forever. Each
    server checks its own patterns, whatever is published here.
    """
    return cast("dict[str, Any]", _linear(schema, has_table=_mentions_table(schema)))


def _linear(node: Any, *, has_table: bool) -> Any:
    if is_list(node):
        return [_linear(part, has_table=has_table) for part in node]
    if not is_object(node):
        return node
    linear_node = {
        key: _linear(value, has_table=has_table)
        for key, value in node.items()
        if not (key == "pattern" and isinstance(value, str) and searcher(value) is None)
    }
    if has_table:
        # jsonschema looks for these with Python's engine.
        linear_node.pop("unevaluatedProperties", None)
    table = linear_node.get(_TABLE)
    if is_object(table) and any(searcher(name) is None for name in table):
        linear_node[_TABLE] = {
            name: subschema for name, subschema in table.items() if searcher(name) is not None
        }
        linear_node.pop("additionalProperties", None)  # it would refuse what the others allow
    return linear_node


def _mentions_table(node: Any) -> bool:
    if is_list(node):
        return any(map(_mentions_table, node))
    return is_object(node) and (_TABLE in node or any(map(_mentions_table, node.values())))


# -- the parameters that callers may set

_MOST_REFERENCES = 20
_COMBINING = (
    *sorted(COMBINING),
    *("not", "if", "then", "else", "dependentSchemas"),
)
"""Keywords that may say more about the same parameters."""


def offered_schema(name: str, schema: dict[str, Any], rule: Rule) -> dict[str, Any]:
    """Leave out parameters that a rule fixes, or does not offer. Raises `SchemaError`."""
    resolved = _resolved(schema)
    properties: dict[str, Any] = dict(resolved.get("properties") or {})
    required: list[str] = list(resolved.get("required") or ())
    for key in rule.fixed:
        if properties and key not in properties and resolved.get("additionalProperties") is False:
            raise SchemaError(f"has no parameter `{key}` to be fixed", tool=name)
    offered = {key: node for key, node in properties.items() if _is_offered(key, rule)}
    for key in required:
        if key in properties and key not in offered and key not in rule.fixed:
            hint = f'give it a value with Rule(fixed={{"{key}": ...}})'
            raise SchemaError("is needed, and is not offered", tool=name, parameter=key, hint=hint)
    if len(offered) == len(properties) and not rule.fixed:
        return schema
    removed = {*properties.keys() - offered.keys(), *rule.fixed}
    for word in _COMBINING:
        if word in resolved and _is_about({word: resolved[word]}, removed):
            what = (
                f"says more about its parameters in `{word}`, so a rule can take none of them away"
            )
            hint = f'leave it out with Rule("{name}", offer=False)'
            raise SchemaError(what, tool=name, hint=hint)
    return _without(resolved, offered, required, removed, len(rule.fixed))


def refuse_hidden(name: str, sent: Mapping[str, Any], rule: Rule) -> None:
    """Refuse what a rule does not offer: a schema may allow any name. Raises `ArgumentError`."""
    faults = [
        Fault((key,), "unexpected", f"unknown argument `{key}`")
        for key in sent
        if not _is_offered(key, rule)
    ]
    if faults:
        raise ArgumentError(name, faults)


def _is_offered(key: str, rule: Rule) -> bool:
    return key not in rule.fixed and rule.offers(CommandParameter(name=key, schema={}))


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Follow references from a whole schema to one of its own definitions."""
    for _ in range(_MOST_REFERENCES):
        reference = combined(schema).reference
        steps = reference.split("/") if reference is not None else []
        if len(steps) != 3 or steps[0] != "#" or steps[1] not in ("$defs", "definitions"):
            break
        part = Document(schema).resolve(reference or "", schema)
        if not is_object(part) or part.keys() & schema.keys() & {"properties", "required"}:
            break  # both say something about the parameters
        schema = {
            **part,
            **{word: constraint for word, constraint in schema.items() if word != REF},
        }
        place, definition_name = steps[1:]
        remaining = {
            key: definition for key, definition in schema[place].items() if key != definition_name
        }
        less = {**schema, place: remaining}
        if f'"{reference}"' not in json.dumps(less):  # unused, and tells what a rule takes away
            schema = less
            if not remaining:
                del schema[place]
    return schema


def _is_about(node: Any, names: Collection[str]) -> bool:
    """Return whether part of a schema declares parameters, or needs one of those named."""
    if is_list(node):
        return any(_is_about(part, names) for part in node)
    if not is_object(node):
        return False
    if combined(node).reference is not None or {"properties", "patternProperties"} & node.keys():
        return True
    needed: Any = node.get("required")
    if is_list(needed) and any(name in names for name in needed if isinstance(name, str)):
        return True
    return any(_is_about(part, names) for part in node.values())


def _without(
    whole: dict[str, Any],
    left: dict[str, Any],
    required: list[str],
    taken: Collection[str],
    fixed: int,
) -> dict[str, Any]:
    still_required = [key for key in required if key in left]
    narrowed: dict[str, Any] = {
        **whole,
        "properties": left,
        "required": still_required,
        "additionalProperties": False,
    }
    for word in ("minProperties", "maxProperties"):
        count = whole.get(word)
        if isinstance(count, int):
            narrowed[word] = max(count - fixed, 0)
    tied = whole.get("dependentRequired")
    if is_object(tied):
        narrowed["dependentRequired"] = {
            key: [need for need in needs if need not in taken]
            for key, needs in tied.items()
            if key not in taken and is_list(needs)
        }
    empty = [
        word
        for word in ("required", "dependentRequired", "minProperties")
        if not narrowed.get(word)
    ]
    return {word: constraint for word, constraint in narrowed.items() if word not in empty}
