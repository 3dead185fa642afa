"""What there is to render: tools, or entries of a list."""

from __future__ import annotations

import json
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, cast
from weakref import WeakKeyDictionary

from .._json_values import JsonObject, compact_json
from ..errors import SchemaError
from ..tools.definition import Tool, compile_tools, compiled_of
from .facts.rules import Rules
from .losses import Loss
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
