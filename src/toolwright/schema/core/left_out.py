"""Fields that a schema leaves out, and refuses if sent.

Null, or an empty list, would meet the type of a field of which no value can be sent.
"""

from __future__ import annotations

from typing import Any, NoReturn, cast

from pydantic_core import PydanticCustomError, core_schema

from ..._json_values import is_list, is_object
from ..types.encoded import OPAQUE

MARK = "toolwright_left_out"
"""In the metadata of a field, or of a parameter's default."""


def mark(node: Any) -> None:
    """Note at a field of a core schema that it is left out."""
    node["metadata"] = {**(node.get("metadata") or {}), MARK: True}


def refusing(schema: Any, seen: dict[int, Any]) -> Any:
    """Copy a core schema; fields that are left out keep their defaults, and take no value."""
    if is_list(schema):
        return [refusing(item, seen) for item in schema]
    if isinstance(schema, tuple):
        return tuple(refusing(item, seen) for item in cast("tuple[Any, ...]", schema))
    if not is_object(schema):
        return schema
    if id(schema) in seen:
        return seen[id(schema)]
    named = not isinstance(schema.get("type"), str)  # a map of names, such as a model's fields
    copied: dict[str, Any] = {}
    seen[id(schema)] = copied
    for word, value in schema.items():
        copied[word] = value if word in OPAQUE and not named else refusing(value, seen)
    if not named and MARK in (schema.get("metadata") or {}):
        inner: Any = schema if schema["type"] == "default" else schema["schema"]
        if inner["type"] == "default":
            refused: Any = {**inner, "schema": _NO_VALUE, "validate_default": False}
        else:
            refused = _NO_VALUE
        copied.update(refused if inner is schema else {"schema": refused})
    return copied


def _refuse(_: Any) -> NoReturn:
    raise PydanticCustomError("needs_python_object", "cannot be sent")


_NO_VALUE = core_schema.no_info_plain_validator_function(_refuse)
