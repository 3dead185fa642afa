"""The fields of a record, and the keys it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..._json_values import is_list, is_object

_INSIDE = ("schema", "strict_schema", "json_schema")
"""Where the record is inside the schemas that are wrapped around it."""

_WITH_FIELDS = ("model-fields", "typed-dict", "dataclass-args")


def keys_of(arguments: Any, name: str) -> frozenset[str]:
    """Return every key that the record of one parameter reads; `arguments` is a core schema."""
    by_ref: dict[str, Any] = {}
    if arguments["type"] == "definitions":
        by_ref = {definition["ref"]: definition for definition in arguments["definitions"]}
        arguments = arguments["schema"]
    for argument in arguments["arguments_schema"]["arguments_schema"]:
        if argument["name"] == name:
            return frozenset(_keys(argument["schema"], by_ref, {}))
    return frozenset()


def _keys(node: Any, known: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    config = node.get("config", config)
    if node["type"] == "definition-ref":
        yield from _keys(known[node["schema_ref"]], known, config)
        return
    fields: Any = node.get("fields") if node["type"] in _WITH_FIELDS else None
    if is_object(fields):
        fields = [{"name": name, **field} for name, field in fields.items()]
    for field in fields or ():
        yield from _keys_of_field(field, config)
    if fields is None:
        for word in _INSIDE:
            if is_object(node.get(word)):
                yield from _keys(node[word], known, config)


def _keys_of_field(field: Mapping[str, Any], config: Mapping[str, Any]) -> Iterator[str]:
    alias = field.get("validation_alias")
    by_name = config.get("validate_by_name") or config.get("populate_by_name")
    if alias is None or by_name:
        yield field["name"]
    if isinstance(alias, str):
        yield alias
    elif is_list(alias):
        # One path, or several; a path begins with a key of the record.
        paths: list[Any] = alias if is_list(alias[0]) else [alias]
        yield from (path[0] for path in paths)


def innermost(schema: Any) -> Mapping[str, Any]:
    """Return the innermost schema, without those that are wrapped around it."""
    while is_object(schema) and is_object(schema.get("schema")):
        schema = schema["schema"]
    return schema or {}


def fields_of(schema: Any) -> Mapping[str, Mapping[str, Any]]:
    """Find the fields in a record's core schema, below any validators around them."""
    while is_object(schema):
        fields = schema.get("fields")
        if is_object(fields):
            return fields
        if is_list(fields) and fields and is_object(fields[0]):
            return {field["name"]: field for field in fields}
        schema = schema.get("schema")
    return {}
