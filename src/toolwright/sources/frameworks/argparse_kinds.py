"""Types and choices of argparse."""

from __future__ import annotations

import argparse
import enum
import itertools
from dataclasses import replace
from typing import Any

from .kinds import TEXT, Kind, choices, file_kind, kind_of_callable, limits

_LONGEST_ENUM = 1000
_LONGEST_RANGE = 20


def kind_of_action(action: argparse.Action) -> Kind:
    """Return the kind of the values that an action takes."""
    kind = _kind_of_type(action.type)
    if action.choices is None:
        return kind
    if isinstance(action.choices, range) and len(action.choices) > _LONGEST_RANGE:
        numbers = action.choices
        if numbers.step == 1:
            return Kind(schema={"type": "integer", **limits(numbers.start, numbers.stop - 1)})
    try:
        listed = list(itertools.islice(iter(action.choices), _LONGEST_ENUM + 1))
    except Exception:  # noqa: BLE001  # argparse only needs `in`
        return kind
    if not listed or len(listed) > _LONGEST_ENUM:
        return kind
    values = [choice.value if isinstance(choice, enum.Enum) else choice for choice in listed]
    return replace(choices(values), note=kind.note, refused=kind.refused)


def _kind_of_type(converter: Any) -> Kind:
    if converter is None:
        return TEXT
    if isinstance(converter, str):
        return replace(TEXT, type_name=converter)
    if type(converter).__name__ == "FileType":  # deprecated since 3.14
        return file_kind(converter._mode)
    return kind_of_callable(converter)
