"""JSON values, as they are once they are read."""

from __future__ import annotations

from typing import Any, TypeGuard

JsonObject = dict[str, Any]


def is_object(value: Any) -> TypeGuard[JsonObject]:
    """Return whether a value is a JSON object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a JSON array."""
    return isinstance(value, list)
