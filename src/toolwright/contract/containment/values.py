"""JSON values as JSON Schema compares and measures them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeGuard

from ..._json_values import kind_of

KINDS = ("null", "boolean", "number", "string", "array", "object")
_MOST_DIGITS = 400
"""Digits of a number that is compared exactly: more would take too long."""


def family_of(value: Any) -> str:
    """Return the kind of a JSON value; an integer is a number."""
    kind = kind_of(value)
    return "number" if kind == "integer" else kind


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a JSON number that can be compared exactly."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, float) or value.bit_length() < 4 * _MOST_DIGITS)
    )


def exact(number: float) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def count_in(node: Mapping[str, Any], keyword: str) -> int | None:
    """Return the value of a keyword that counts; None if it is missing, or not a count."""
    value = node.get(keyword)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# A text that does not match has not got the format, whichever checker is used.
_FORMATS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "date-time": re.compile(
            r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)"
        ),
        "date": re.compile(r"\d{4}-\d\d-\d\d"),
        "time": re.compile(r"\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)?"),
        "duration": re.compile(r"[+-]?P[0-9A-Z.,:]{1,60}"),
        "email": re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}"),
        "ipv4": re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"),
        "ipv6": re.compile(r"[0-9a-fA-F:.]{2,45}"),
        "uri": re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,40}:[^\s]{1,2000}"),
        "uuid": re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
    }
)
SAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "date-time": "2024-02-03T04:05:06Z",
        "date": "2024-02-03",
        "time": "04:05:06Z",
        "duration": "P1D",
        "email": "a@example.com",
        "ipv4": "127.0.0.1",
        "ipv6": "::1",
        "uri": "http://example.com/a",
        "uuid": "12345678-1234-4234-8234-123456789abc",
    }
)
"""A text of each format that every checker accepts."""


def has_format(text: str, name: str) -> bool | None:
    """Return whether a text has a format; None if that depends on the checker."""
    if SAMPLES.get(name) == text:
        return True
    pattern = _FORMATS.get(name)
    return None if pattern is None or pattern.fullmatch(text) else False
