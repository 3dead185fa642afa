"""A tool as each provider's requests have it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .._json_values import JsonObject
from .schemas.encode import EncodedSchema


class Sent(NamedTuple):
    """What a definition is made of."""

    name: str
    description: str
    encoded: EncodedSchema
    strict: bool
    listed: Callable[[], Mapping[str, Any]]
    """Returns the tool's whole definition in MCP."""
    examples: Sequence[JsonObject] = ()
    deferred: bool = False


def definitions(wire: str, tools: Sequence[Sent], search: Mapping[str, Any]) -> list[JsonObject]:
    """Return tools as the value of `tools` in a request, after the one that finds deferred ones."""
    rendered = [_WIRES[wire](tool, tool.encoded.fresh()) for tool in tools]
    if search and any(tool.deferred for tool in tools):
        rendered = [dict(search), *rendered]
    if wire.startswith("gemini"):
        return [{"functionDeclarations": rendered}] if rendered else []
    return rendered


def _named(tool: Sent) -> JsonObject:
    return {"name": tool.name} | ({"description": tool.description} if tool.description else {})


def _deferred(tool: Sent) -> JsonObject:
    return {"defer_loading": True} if tool.deferred else {}


def _chat(tool: Sent, schema: JsonObject) -> JsonObject:
    function = {**_named(tool), "parameters": schema}
    if tool.strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def _responses(tool: Sent, schema: JsonObject) -> JsonObject:
    return {
        "type": "function",
        **_named(tool),
        "parameters": schema,
        "strict": tool.strict,
        **_deferred(tool),
    }


def _anthropic(tool: Sent, schema: JsonObject) -> JsonObject:
    definition = {**_named(tool), "input_schema": schema}
    if tool.examples:
        definition["input_examples"] = copy.deepcopy(list(tool.examples))
    if tool.strict:
        definition["strict"] = True
    return definition | _deferred(tool)


def _gemini(tool: Sent, schema: JsonObject) -> JsonObject:
    return {**_named(tool), "parametersJsonSchema": schema}


def _gemini_openapi(tool: Sent, schema: JsonObject) -> JsonObject:
    # An object without properties is refused; a function without parameters leaves them out.
    has_any = bool(schema.get("properties"))
    return {**_named(tool), "parameters": schema} if has_any else _named(tool)


def _bedrock(tool: Sent, schema: JsonObject) -> JsonObject:
    spec = {**_named(tool), "inputSchema": {"json": schema}}
    if tool.strict:
        spec["strict"] = True
    return {"toolSpec": spec}


def _mcp(tool: Sent, schema: JsonObject) -> JsonObject:
    listed = tool.listed()
    title = {"title": listed["title"]} if "title" in listed else {}
    further_fields = {
        key: value
        for key, value in listed.items()
        if key not in ("name", "title", "description", "inputSchema")
    }
    definition = {"name": tool.name, **title}
    if tool.description:
        definition["description"] = tool.description
    return {**definition, "inputSchema": schema, **further_fields}


_WIRES: dict[str, Callable[[Sent, JsonObject], JsonObject]] = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "gemini-openapi": _gemini_openapi,
    "bedrock": _bedrock,
    "mcp": _mcp,
}
