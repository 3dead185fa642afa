"""Copies core schemas, with some nodes changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ..._json_values import is_list, is_object

# Under these keys, a core schema holds data or code of the author, not schemas.
OPAQUE = frozenset(("metadata", "cls", "function", "default", "default_factory", "expected"))
Change = Callable[[dict[str, Any], dict[str, Any]], Any]
"""Takes a node and its copy, whose parts are already rewritten; returns the replacement."""


def rewritten(schema: Any, change: Change) -> Any:
    """Copy a core schema, applying `change` to each node."""
    return _copied(schema, change, {})


def _copied(schema: Any, change: Change, seen: dict[int, Any]) -> Any:
    if is_list(schema):
        return [_copied(item, change, seen) for item in schema]
    if isinstance(schema, tuple):  # a choice with its label
        return tuple(_copied(item, change, seen) for item in cast("tuple[Any, ...]", schema))
    if not is_object(schema):
        return schema
    if id(schema) in seen:
        return seen[id(schema)]
    is_map = not isinstance(schema.get("type"), str)  # a map of names, such as a model's fields
    copied = {
        word: value if word in OPAQUE and not is_map else _copied(value, change, seen)
        for word, value in schema.items()
    }
    rewritten = seen[id(schema)] = copied if is_map else change(schema, copied)
    return rewritten
