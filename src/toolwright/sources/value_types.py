"""Types of the values that commands take, from small JSON Schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypedDict, Union, cast

from .._json_values import is_list, is_object
from ..json_schema.document import MISSING, REF, Document, combined
from ..json_schema.walk import nodes

Fragment = Mapping[str, Any]
_BOUNDS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
}
"""Keywords of JSON Schema, and pydantic's names for them."""
_PLAIN = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
_UNCHECKED = ("format", "contentEncoding")
"""Keywords that are published, but not checked."""


def hint_of(schema: Fragment) -> Any:
    """Return a type for the values that a schema accepts; it publishes an equivalent schema."""
    choices = combined(dict(schema)).any_of
    if choices is not None:
        return Union[tuple(hint_of(choice) for choice in choices)]  # noqa: UP007 - made here
    kind = schema.get("type")
    if is_list(kind):
        return Union[tuple(hint_of({**schema, "type": name}) for name in kind)]  # noqa: UP007 - made here
    bare = _enum(schema["enum"]) if "enum" in schema else _bare(kind, schema)
    bounds = {name: schema[key] for key, name in _BOUNDS.items() if key in schema}
    if "prefixItems" in schema or "enum" in schema:
        bounds = {}  # the type already says this
    keywords = {key: schema[key] for key in _UNCHECKED if key in schema}
    return with_field(bare, keywords, **bounds)


def with_field(hint: Any, keywords: Mapping[str, Any], **arguments: Any) -> Any:
    """Return a type with further keywords that are published for it."""
    from pydantic import Field

    if not keywords and not arguments:
        return hint
    return Annotated[hint, Field(**arguments, json_schema_extra=dict(keywords) or None)]


def _enum(values: list[Any]) -> Any:
    return Literal[tuple(values)]


def _bare(kind: Any, schema: Fragment) -> Any:
    if kind == "array":
        if "prefixItems" in schema:
            return tuple[tuple(hint_of(item_schema) for item_schema in schema["prefixItems"])]
        return list[hint_of(schema.get("items", {}))]
    if kind == "object":
        if "properties" in schema:
            return record("Value", schema["properties"], schema.get("required", ()))
        others_schema = schema.get("additionalProperties", {})
        return dict[str, hint_of(others_schema if isinstance(others_schema, Mapping) else {})]  # pyright: ignore[reportUnknownArgumentType]
    return _PLAIN.get(kind, Any)


def record(name: str, properties: Mapping[str, Fragment], required: Any) -> Any:
    """Return a TypedDict with the types of named values."""
    fields = {key: hint_of(property_schema) for key, property_schema in properties.items()}
    return typed_dict(name, fields, required)


def typed_dict(name: str, fields: Mapping[str, Any], required: Any) -> Any:
    """Return a closed TypedDict; keys that are not required may be left out."""
    from pydantic import ConfigDict

    hints: dict[str, Any] = {
        key: hint if key in required else NotRequired[hint] for key, hint in fields.items()
    }
    record_type: Any = cast("Any", TypedDict)(name, hints)
    record_type.__pydantic_config__ = ConfigDict(extra="forbid")
    return record_type


_DEFINITIONS = ("$defs", "definitions")


class JsonSchemaValue:
    """A marker for any JSON that a schema accepts; that schema is published."""

    def __init__(self, schema: Fragment, keywords: Fragment) -> None:
        self.schema = dict(schema)
        self.published = {**without_references(schema), **keywords}

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        from ..arguments.explain import broken_faults, value_fault
        from ..arguments.shape import shape_of
        from ..schema.explicit import broken_rules, validator_for

        validator = validator_for(self.schema)

        def check(value: Any) -> Any:
            errors, _ = broken_rules(validator, value)
            if errors:
                faults = broken_faults(errors, value, shape_of(self.schema))
                raise ValueError(value_fault(faults[0]))
            return value

        return core_schema.no_info_after_validator_function(check, core_schema.any_schema())

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> Any:
        return dict(self.published)


def without_references(schema: Fragment) -> dict[str, Any]:
    """Return a schema without references: its own definitions cannot be reached from outside."""
    bare = {key: each for key, each in schema.items() if key not in _DEFINITIONS}
    return _inlined(bare, Document(dict(schema)), frozenset())


def outer_reference(schema: Fragment) -> str:
    """Return a reference that such a schema still has, since it leads elsewhere; empty if none."""
    references = (combined(node).reference for node in nodes(schema))
    return next(filter(None, references), "")


def _inlined(node: Any, document: Document, within: frozenset[str]) -> Any:
    if is_list(node):
        return [_inlined(each, document, within) for each in node]
    if not is_object(node):
        return node
    name = combined(node).reference
    target = MISSING if name is None else document.resolve(name, node)
    if name is not None and is_object(target):
        if name in within:  # a recursive type is shown one level deep
            return {"type": target.get("type", "object")}
        bare = {key: each for key, each in target.items() if key not in _DEFINITIONS}
        meant = {**bare, **{key: each for key, each in node.items() if key != REF}}
        return _inlined(meant, document, within | {name})  # it may be a reference itself
    return {key: _inlined(each, document, within) for key, each in node.items()}
