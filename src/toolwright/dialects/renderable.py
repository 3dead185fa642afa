"""What there is to render: tools, or entries of a list."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary

from .._json_values import JsonObject, compact_json, is_list, is_object
from .._log.redact import without_known_secrets, without_likely_secrets
from .._words import truncate
from ..arguments.reader import Reader
from ..errors import CallError, SchemaError
from ..json_schema.facts import Facts, facts
from ..schema.explicit import broken_rules, validator_for
from ..tools.definition import Tool, compile_tools, compiled_of
from .codecs import decoded
from .rendered import Loss
from .rules import Rules
from .schemas.encode import EncodedSchema, encode
from .schemas.parse import ParsedDocument
from .schemas.words import with_returns


class Renderable:
    """A tool's name, text and schema, and the schema as each dialect has it."""

    __slots__ = (
        "_document",
        "_encoded",
        "_listed",
        "_tool",
        "compiled",
        "described",
        "description",
        "name",
        "schema",
    )

    def __init__(
        self,
        name: str,
        description: str,
        schema: bytes,
        output: Any = None,
        tool: Tool | None = None,
        compiled: object = None,
    ) -> None:
        self.name = name
        self.description = description
        self.schema = schema
        self.described = with_returns(description, output)
        """The description with the result in words: providers have no output schemas."""
        # Weak: this is kept for as long as the tool exists.
        self._tool = None if tool is None else weakref.ref(tool)
        self.compiled = compiled
        """What the schema comes from: a tool may be compiled again, with another schema."""
        self._document: ParsedDocument | None = None
        self._encoded: dict[Rules, EncodedSchema | None] = {}
        self._listed: bytes | None = None

    @property
    def tool(self) -> Tool | None:
        """The tool itself; None for an entry of a list."""
        return None if self._tool is None else self._tool()

    def encoded(self, rules: Rules) -> EncodedSchema | None:
        """Return the schema encoded by some rules; None if it is too deep to be read."""
        if rules not in self._encoded:
            try:
                if self._document is None:
                    self._document = ParsedDocument(json.loads(self.schema))
                self._encoded[rules] = encode(self._document, rules)
            except RecursionError:
                self._encoded[rules] = None
        return self._encoded[rules]

    def listed(self) -> JsonObject:
        """Return the tool's whole definition in MCP."""
        return {} if self._listed is None else json.loads(self._listed)

    @property
    def is_listed(self) -> bool:
        """Whether the tool's definition in MCP is known."""
        return self._listed is not None

    def list_as(self, listed: bytes) -> None:
        """Keep the tool's definition in MCP."""
        self._listed = listed


_known: WeakKeyDictionary[Tool, Renderable] = WeakKeyDictionary()
"""What was worked out for a tool, for as long as the tool exists."""


def definitions_of(tools: Iterable[Tool | Mapping[str, Any]], *, is_mcp: bool) -> list[Any]:
    """Return the definition of each tool, or the loss of one that has none."""
    listed = list(tools)
    compile_tools([tool for tool in listed if isinstance(tool, Tool)])
    return [_definition(tool, is_mcp=is_mcp) for tool in listed]


def _definition(tool: Tool | Mapping[str, Any], *, is_mcp: bool) -> Renderable | Loss:
    if not isinstance(tool, Tool):
        return _foreign(tool)
    try:
        compiled = compiled_of(tool)
    except SchemaError as error:
        return Loss(tool.name, "", "definition", f"is refused, so it is left out: {error}")
    renderable = _known.get(tool)
    if renderable is None or renderable.compiled is not compiled:
        # Bytes are sent as content, whatever their JSON would be.
        output = None if compiled.bytes_output else tool.output_schema
        renderable = Renderable(
            tool.name, tool.description, compiled.input_schema, output, tool, compiled
        )
        _known[tool] = renderable
    if is_mcp and not renderable.is_listed:
        renderable.list_as(tool.to_mcp_json())
    return renderable


def _foreign(tool: Any) -> Renderable | Loss:
    """Return the definition of an entry of `tools/list`, whatever is in it."""
    if not isinstance(tool, Mapping):
        return Loss("", "", "tool", f"is no tool, so it is left out: {type(tool).__name__}")
    definition = cast("Mapping[str, Any]", tool)
    name = definition.get("name")
    if not isinstance(name, str) or not name:
        return Loss("", "", "name", "is missing, so the tool is left out")
    text = definition.get("description")
    schema = definition.get("inputSchema", definition.get("input_schema", {}))
    try:
        output = definition.get("outputSchema", definition.get("output_schema"))
        text = text if isinstance(text, str) else ""
        renderable = Renderable(name, text, compact_json(schema), output)
        renderable.list_as(compact_json(dict(definition)))
    except (TypeError, ValueError, RecursionError):
        return Loss(name, "", "inputSchema", "is not JSON, so the tool is left out")
    return renderable


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
