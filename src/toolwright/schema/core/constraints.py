"""Constraints that do not fit the type they are put on.

Pydantic compiles them, and then every call raises `TypeError`.
"""

from __future__ import annotations

import datetime as dt
import functools
from collections import deque
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

# A value of each kind of core schema, and what to call it. Whether a constraint fits does not
# depend on the value.
_SAMPLES: Mapping[str, tuple[Any, str]] = {
    "bool": (True, "true or false"),
    "bytes": (b"a", "bytes"),
    "complex": (1j, "complex numbers"),
    "date": (dt.date(2000, 1, 1), "dates"),
    "datetime": (dt.datetime(2000, 1, 1), "dates with time"),  # noqa: DTZ001 - never compared
    "decimal": (Decimal(1), "decimal numbers"),
    "deque": (deque[Any](), "lists"),
    "dict": ({}, "maps"),
    "float": (1.0, "floats"),
    "fraction": (Fraction(1), "fractions"),
    "frozenset": (frozenset[Any](), "sets"),
    "int": (1, "integers"),
    "list": ([], "lists"),
    "none": (None, "null"),
    "set": (set[Any](), "sets"),
    "str": ("a", "texts"),
    "time": (dt.time(), "times"),
    "timedelta": (dt.timedelta(), "durations"),
    "tuple": ((), "tuples"),
    "uuid": (UUID(int=0), "UUIDs"),
}


def misfit(node: Mapping[str, Any]) -> str:
    """Return what is wrong with the constraint that a node applies; "" if it may fit."""
    if not _is_constraint(node):
        return ""
    schema: Any = node["schema"]
    while _is_constraint(schema):
        schema = schema["schema"]
    values, noun = _samples(schema)
    check = node["function"]["function"]
    if not values or not all(_is_refused(check, value) for value in values):
        return ""
    ((name, value),) = check.keywords.items()
    return f"`{name}={value!r}` does not fit {noun}"


def _samples(schema: Mapping[str, Any]) -> tuple[list[Any], str]:
    """Return values of a type; none where it is unknown, as for what an author's function gives."""
    kind = schema["type"]
    if kind == "enum":
        return list(schema["members"]), f"`{schema['cls'].__name__}`"
    if kind == "literal":
        return list(schema["expected"]), "any of its values"
    if kind not in _SAMPLES:
        return [], ""
    value, noun = _SAMPLES[kind]
    return [value], noun


def _is_refused(check: Any, value: Any) -> bool:
    try:
        check(value)
    except TypeError:
        return True
    except Exception:  # noqa: BLE001 - the constraint fits, this value does not
        return False
    return False


def _is_constraint(node: Mapping[str, Any]) -> bool:
    """Return whether a node is one of pydantic's own checks behind a type that has none."""
    if node["type"] != "function-after":
        return False
    check = node["function"]["function"]
    return (
        isinstance(check, functools.partial)
        and len(check.keywords) == 1
        and getattr(check.func, "__module__", "").startswith("pydantic.")
    )
