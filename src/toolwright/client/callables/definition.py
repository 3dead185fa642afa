"""Tool definitions, in whatever form they come."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from ..._json_values import JsonObject, is_list, is_object
from ...errors import SchemaError

_INPUTS = ("input_schema", "inputSchema", "parameters")
_OUTPUTS = ("output_schema", "outputSchema")
"""The newer name comes first: FastMCP warns when its tools are asked for the older one."""
_HINTS = ("title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_LONGEST_NAME = 1000
_ABSENT: Any = object()


@dataclass(frozen=True)
class ToolDefinition:
    """A tool as its server, or a provider's list, describes it."""

    name: str
    description: str
    input_schema: JsonObject
    output_schema: JsonObject | None = None
    title: str = ""
    annotations: JsonObject = field(default_factory=JsonObject)
    """The protocol's hints on behaviour; only those that are what the protocol says."""
    icons: tuple[JsonObject, ...] = ()
    meta: JsonObject = field(default_factory=JsonObject)


def definition_of(tool: Any) -> ToolDefinition:
    """Return the definition that a dict, an object with attributes or a tool of the SDK holds.

    The dicts of OpenAI's lists, `{"type": "function", "function": {...}}`, count as well.
    Raises `SchemaError`.
    """
    if isinstance(tool, ToolDefinition):
        return tool
    function = _part(tool, ("function",))
    source = function if _part(tool, ("name",)) is None and function is not None else tool
    name = _part(source, ("name",))
    if not isinstance(name, str) or not name or len(name) > _LONGEST_NAME:
        raise SchemaError(
            "has no name that can be used",
            tool="a tool definition",
            hint=f"its `name` must be a text of 1 to {_LONGEST_NAME} characters",
        )
    description, title = _part(source, ("description",)), _part(source, ("title",))
    return ToolDefinition(
        name,
        description if isinstance(description, str) else "",
        _schema(source, _INPUTS, name) or {},
        _schema(source, _OUTPUTS, name),
        title if isinstance(title, str) else "",
        hints_of(_json(_part(source, ("annotations",)))),
        tuple(icon for icon in _json(_part(source, ("icons",)), []) if is_object(icon)),
        _json(_part(source, ("_meta", "meta"))),
    )


def hints_of(annotations: Any) -> JsonObject:
    """Return the hints in annotations that are what the protocol says: a server may send anything."""
    if not is_object(annotations):
        return {}
    return {
        key: value
        for key, value in annotations.items()
        if key in _HINTS and isinstance(value, str if key == "title" else bool)
    }


def _json(given: Any, empty: Any = None) -> Any:
    """Return an object, or a list where `empty` is one, as plain JSON; empty if it is neither."""
    empty = {} if empty is None else empty
    parts = given if is_list(given) else [given]
    dumped = [
        part.model_dump(mode="json", by_alias=True, exclude_none=True)
        if hasattr(part, "model_dump")
        else part
        for part in parts
    ]
    value = dumped if is_list(given) else dumped[0]
    if not isinstance(value, type(empty)):
        return empty
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (RecursionError, TypeError, ValueError):
        return empty


def _part(tool: Any, names: tuple[str, ...]) -> Any:
    for name in names:
        if isinstance(tool, Mapping):
            value: Any = cast("Mapping[str, Any]", tool).get(name, _ABSENT)
        else:
            value = getattr(tool, name, _ABSENT)
        if value is not _ABSENT:  # None counts: an SDK's tool warns if asked by an older name
            return value
    return None


def _schema(tool: Any, names: tuple[str, ...], owner: str) -> JsonObject | None:
    """Return a schema, which may be any mapping, as plain dicts. Raises `SchemaError`."""
    schema = _part(tool, names)
    if schema is None:
        return None
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    if not isinstance(schema, Mapping):
        raise SchemaError(f"has a `{names[0]}` that is not an object", tool=owner[:100])
    return _plain(cast("Mapping[str, Any]", schema))


def _plain(schema: Mapping[str, Any]) -> JsonObject:
    """Copy a schema with mappings and lists of any type; one that is too deep is kept as given."""
    try:
        return json.loads(json.dumps(schema, default=_as_dict))
    except (RecursionError, TypeError, ValueError):
        return dict(schema)


def _as_dict(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    return list(value)
