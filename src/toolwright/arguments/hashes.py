"""Numbers chosen so that Python's sets and dicts become slow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, cast
from uuid import UUID

from pydantic_core import from_json

from .._json_values import is_list

_MOST_ALIKE = 1000
"""The most different values with one hash: each is compared with all those before it."""
_LONGEST = 4300
_BITS = 60
_SIGNS = ("{", "-", "+", ".")


def collide(arguments: Any) -> bool:
    """Return whether too many different numbers in the arguments have the same hash.

    Hashes of texts are random; those of numbers, and of what is made of them, can be computed.
    """
    if isinstance(arguments, str | bytes):
        try:
            arguments = from_json(arguments)
        except ValueError:
            return False  # the reader will report it
    counted: set[str] = set()
    alike: Counter[int] = Counter()
    # Containers already walked: a Python program may send one that holds itself.
    entered: set[int] = set()
    todo: list[Any] = [arguments]
    while todo:
        value = todo.pop()
        if isinstance(value, list | Mapping):
            if id(cast("object", value)) not in entered:
                entered.add(id(cast("object", value)))
                todo += _inside(value)
        elif (hashed := _hash(value)) is not None:
            text = value if isinstance(value, str) else hex(value)
            if text not in counted:
                counted.add(text)
                alike[hashed] += 1
    return bool(alike) and max(alike.values()) > _MOST_ALIKE


def _inside(value: Any) -> list[Any]:
    """Return the items of a list, or the keys and values of a mapping."""
    return value if is_list(value) else [*value, *value.values()]


def _hash(value: Any) -> int | None:
    """Return the hash of what a value may become, if a caller can compute it."""
    if not isinstance(value, str):
        # Small integers are their own hash.
        return hash(value) if isinstance(value, int) and value.bit_length() > _BITS else None
    first = value.strip()[:1]
    if len(value) > _LONGEST or not (first.isalnum() or first in _SIGNS):
        return None
    for make in (Decimal, UUID):
        try:
            return hash(make(value))
        except (ArithmeticError, ValueError, TypeError):  # a NaN may have no hash
            continue
    return None
