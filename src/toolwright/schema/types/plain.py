"""Hints that pydantic takes as they are."""

from __future__ import annotations

import types
from typing import Any

PLAIN: frozenset[Any] = frozenset(
    # `Any` is a class since Python 3.11.
    (int, str, float, bool, bytes, list, dict, set, tuple, object, type(None), Any)
)
_OF_PLAIN = (list, dict)


def is_plain(hint: Any) -> bool:
    """Return whether a hint is a plain class, or a list, a dict or a union of such."""
    if isinstance(hint, types.GenericAlias):
        return hint.__origin__ in _OF_PLAIN and all(map(is_plain, hint.__args__))
    if isinstance(hint, types.UnionType):
        return all(map(is_plain, hint.__args__))
    return isinstance(hint, type) and hint in PLAIN
