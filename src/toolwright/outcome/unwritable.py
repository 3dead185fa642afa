"""Name the part of a value that cannot be written."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel

from .._json_values import stored
from .._words import path_text, value_text
from ..content.converters import declared_attributes, known_converter
from ..errors import ResultError

_MOST_SEARCHED = 10_000
"""How many parts of a value are looked at."""
_SIMPLE = frozenset((int, float, bool, type(None)))


def unwritable(value: Any, unknown: Any) -> ResultError:
    """Return the error for a part of a value whose type is not known."""
    path = _path_to(value, unknown)
    where = f"{path_text(path)} is" if path else "it is"
    cls: type[Any] = unknown.__class__
    if inspect.iscoroutine(unknown):
        unknown.close()  # Python would warn of it, too
        return ResultError(
            f"the result cannot be written as JSON: {where} a coroutine", hint="await it"
        )
    name = f"{cls.__module__.split('.', 1)[0]}.{cls.__name__}"
    return ResultError(
        f"the result cannot be written as JSON: {where} of the type {cls.__name__}",
        hint=f'return other values, or convert it with @converter("{name}")',
    )


def _path_to(value: Any, wanted: Any) -> tuple[str | int, ...]:
    """Return where a part is inside a value; empty if it is not found soon.

    Parts are visited in the order in which they are written, so that what comes after the wanted
    one is not looked at.
    """
    path: list[str | int] = []
    levels = [iter(_parts(value))]
    for _ in range(_MOST_SEARCHED):
        while (next_part := next(levels[-1], None)) is None:
            levels.pop()
            if not levels:
                return ()
        step, part = next_part
        path[len(levels) - 1 :] = [step]
        if part is wanted:
            return tuple(path)
        levels.append(iter(_parts(part)))
    return ()


def _parts(value: Any) -> Iterable[tuple[str | int, Any]]:
    """Return the parts of a value that are written.

    Not everything it refers to: a module or a logger leads to everything in the process.
    """
    if isinstance(value, str | bytes):
        return ()
    if isinstance(value, Mapping):
        return _named(cast("Mapping[Any, Any]", value))
    if isinstance(value, list | tuple | set | frozenset | deque):
        return enumerate(stored(value))
    if isinstance(value, BaseModel):
        return _named({**value.__dict__, **(value.__pydantic_extra__ or {})})
    if known_converter(value) is vars:
        return _named(cast("dict[str, Any]", vars(value)))
    cls: type[Any] = value.__class__
    attrs: Any = getattr(cls, "__attrs_attrs__", ())
    names = [*getattr(cls, "__dataclass_fields__", ()), *(attribute.name for attribute in attrs)]
    if names:
        return ((name, getattr(value, name, None)) for name in names)
    return _named(declared_attributes(value))


def _named(members: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, member in members.items():
        if isinstance(key, str):
            yield key, member
        else:
            yield value_text(key) if key.__class__ in _SIMPLE else type(key).__name__, member
