"""Fields that a schema leaves out, and refuses if sent.

Null or an empty list could otherwise match the type of a field for which no value can be sent.
"""

from __future__ import annotations

from typing import Any, NoReturn, cast

from pydantic_core import PydanticCustomError, core_schema

from ..._json_values import is_object
from .rewrite import OPAQUE, rewritten

MARK = "toolwright_left_out"
"""The key in the metadata of a field, or of a parameter's default."""


def mark(node: Any) -> None:
    """Mark a field of a core schema as left out."""
    node["metadata"] = {**(node.get("metadata") or {}), MARK: True}


def is_marked(schema: Any) -> bool:
    """Return whether any field of a core schema is left out."""
    todo: list[Any] = [schema]
    visited: set[int] = set()
    while todo:
        node = todo.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if is_object(node):
            if MARK in (node.get("metadata") or {}):
                return True
            is_map = not isinstance(node.get("type"), str)
            todo += [part for word, part in node.items() if is_map or word not in OPAQUE]
        elif isinstance(node, list | tuple):
            todo += cast("list[Any]", node)
    return False


def refusing(schema: Any) -> Any:
    """Copy a core schema; fields that are left out keep their defaults, and take no value."""
    return rewritten(schema, _without_value)


def _without_value(node: dict[str, Any], copied: dict[str, Any]) -> Any:
    if MARK not in (node.get("metadata") or {}):
        return copied
    with_default: Any = node if node["type"] == "default" else node["schema"]
    if with_default["type"] == "default":
        refused: Any = {**with_default, "schema": _NO_VALUE, "validate_default": False}
    else:
        refused = _NO_VALUE
    return {**copied, **(refused if with_default is node else {"schema": refused})}


def _refuse(_: Any) -> NoReturn:
    raise PydanticCustomError("needs_python_object", "cannot be sent")


_NO_VALUE = core_schema.no_info_plain_validator_function(_refuse)
