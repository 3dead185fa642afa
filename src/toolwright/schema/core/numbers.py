"""Enums and literals of numbers, exactly as JSON has them.

In Python `True` and `1.0` equal 1, so pydantic takes them for the member with the value 1; and a
`Flag` takes numbers for which it has no members, -1 for all of them. Here the type of a value is
checked first, and the range of a flag's value.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from pydantic_core import core_schema as core

from .rewrite import rewritten

_BY_TYPE: Mapping[type, Callable[[], Any]] = {
    bool: lambda: core.bool_schema(strict=True),
    int: lambda: core.int_schema(strict=True),
    float: lambda: core.float_schema(strict=True),
    str: lambda: core.str_schema(strict=True),
    type(None): core.none_schema,
    list: core.list_schema,
    dict: core.dict_schema,
}
_NOT_NUMBERS = (str, type(None), list, dict)
_PYTHONS_OWN = [vars(each)["_missing_"].__func__ for each in (enum.Enum, enum.Flag)]


class FlagRange(NamedTuple):
    """The range of a flag's numbers, in the keywords of JSON Schema."""

    of_inputs: dict[str, int]
    of_outputs: dict[str, int]
    """Wider where the class keeps bits that it has no members for."""
    text: str
    """The members that all others are sums of, in words."""


def flag_range(cls: Any) -> FlagRange:
    """Return the range of the sums of a flag's members."""
    members = {member.name: member.value for member in cls}
    bits = _together(members.values())
    for name, member in cls.__members__.items():
        if member.value & ~bits:  # bits that have no member of their own
            members[name] = member.value
    members = members or dict.fromkeys(cls.__members__, 0)
    every = _together(value for value in members.values() if value > 0)
    bounds = {"minimum": min(0, *members.values()), "maximum": every}
    of_outputs = bounds
    if cls._boundary_ is enum.KEEP:
        of_outputs = {"minimum": bounds["minimum"]}
    elif cls._boundary_ is enum.EJECT:
        of_outputs = {}
    text = ", ".join(f"{name}={value}" for name, value in members.items())
    return FlagRange(bounds, of_outputs, f"the sum of any of {text}")


def _together(values: Iterable[int]) -> int:
    bits = 0
    for value in values:
        bits |= value
    return bits


def has_numbers(node: Mapping[str, Any]) -> bool:
    """Return whether a node is an enum or a literal with numbers among its values."""
    return any(
        type(value) is not bool and isinstance(value, int | float) for value in _values(node)
    )


def _values(node: Mapping[str, Any]) -> list[Any]:
    constants = node.get("members" if node["type"] == "enum" else "expected", ())
    return [
        constant.value if isinstance(constant, enum.Enum) else constant for constant in constants
    ]


def with_exact_numbers(schema: Any) -> Any:
    """Copy a core schema; enums and literals with numbers take no value of another JSON type."""
    return rewritten(schema, _exact)


def _exact(node: dict[str, Any], copied: dict[str, Any]) -> Any:
    if node["type"] not in ("enum", "literal") or not has_numbers(node):
        return copied
    ref = copied.pop("ref", None)
    rewritten: Any = copied
    exact: Any = core.custom_error_schema(
        core.chain_schema([_of_those_types(node), rewritten]),
        custom_error_type="enum",
        custom_error_context={"expected": _expected(node)},
    )
    return exact if ref is None else {**exact, "ref": ref}


def _of_those_types(node: dict[str, Any]) -> Any:
    cls: Any = node.get("cls")
    types: set[type] = set()
    for value in _values(node):
        json_class = next(
            (json_class for json_class in _BY_TYPE if isinstance(value, json_class)), None
        )
        # What JSON writes in its own way, such as a date, is a text, a list or an object there.
        types.update(_NOT_NUMBERS if json_class is None else (json_class,))
    if cls is not None and cls._missing_.__func__ not in _PYTHONS_OWN:
        types.update((int, *_NOT_NUMBERS))  # the author reads other values
    choices = {json_class: make() for json_class, make in _BY_TYPE.items() if json_class in types}
    if cls is not None and issubclass(cls, enum.Flag):
        bounds = flag_range(cls).of_inputs
        choices[int] = core.int_schema(strict=True, ge=bounds["minimum"], le=bounds["maximum"])
    classes = {
        type(constant) for constant in node.get("expected", ()) if isinstance(constant, enum.Enum)
    }
    if cls is not None:
        classes.add(cls)
    # A validator of the author may have made a member of the value.
    instances = [core.is_instance_schema(enum_class) for enum_class in classes]
    if len(choices) == 1 and not instances:
        return choices.popitem()[1]
    return core.union_schema([*choices.values(), *instances])


def _expected(node: dict[str, Any]) -> str:
    cls: Any = node.get("cls")
    if cls is not None and issubclass(cls, enum.Flag):
        return flag_range(cls).text
    *most, last = (repr(value) for value in _values(node)[:10])
    return f"{', '.join(most)} or {last}" if most else last
