"""Find integers too long to be written, before writing them."""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Iterable, Iterator
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, SerializeAsAny
from pydantic.fields import FieldInfo

from .._json_values import check_ends, stored, stored_pairs
from ..errors import ResultError

MOST_DIGITS = 4300
TOO_MANY_DIGITS = f"the result holds an integer of more than {MOST_DIGITS} digits"
MOST = 10**MOST_DIGITS
LEAST = -MOST
_AT_LEAST: frozenset[type] = frozenset((Ge, Gt))
_AT_MOST: frozenset[type] = frozenset((Le, Lt))
_NO_INTEGERS = frozenset((str, float, bool, bytes, type(None)))
_SIMPLE = frozenset((int, *_NO_INTEGERS))
_CONTAINERS = frozenset((list, dict, tuple, set, frozenset))
_MEASURABLE = _SIMPLE | _CONTAINERS
_LONG = len(marshal.dumps(MOST))
"""How many bytes `marshal` writes at least for an integer with too many digits."""
_MOST_MEASURED = 4
"""Down to this depth values are written to see their size, so each part at most this often."""
_PIECE = 64
_MOST_MODELS = 500
"""How many classes are remembered; a tool may make new ones all the time."""


def _is_short(value: Any, version: int = marshal.version) -> bool:
    """Return whether a container of plain types is too short to hold a long integer.

    `marshal` takes 10 ns for each value inside, where a walk in Python takes 150; it takes linear
    time for integers, and refuses instances of other classes.
    """
    try:
        return len(value) < _LONG and len(marshal.dumps(value, version)) < _LONG
    except ValueError:
        return False


def _has_short(held: dict[str, Any], names: tuple[str, ...]) -> bool:
    """Return whether these fields are nothing but short integers, which can be seen at once."""
    for name in names:
        value: Any = held.get(name)
        if value.__class__ is not int or not LEAST < value < MOST:
            return False
    return True


class IntegerCheck:
    """Walks values, and remembers which fields of models can hold integers."""

    def __init__(self) -> None:
        self.fields: dict[type[BaseModel], tuple[str, ...]] = {}

    def check(self, value: Any) -> None:
        """Refuse integers that readers of JSON refuse: writing them takes quadratic time.

        Raises `ResultError`. A field of a model is trusted not to hold a long integer if its hint
        admits none.
        """
        kind: type[Any] = value.__class__
        if (kind in _CONTAINERS and _is_short(value)) or (
            kind in self.fields and _has_short(value.__dict__, self.fields[kind])
        ):
            return
        level = self._unknown((value,), 0)
        entered: set[int] = set()
        depth = 1
        while level:
            below: list[Any] = []
            for container in level:
                if id(container) not in entered:
                    entered.add(id(container))
                    below += self._unknown(self._parts(container, depth), depth)
            level = below
            depth += 1

    def _unknown(self, parts: Iterable[Any], depth: int) -> list[Any]:
        """Return the parts that may hold long integers inside. Raises `ResultError`."""
        unmeasured: list[Any] = []
        fields = self.fields
        for part in parts:
            kind: type[Any] = part.__class__
            # Fields of models right away: most large results are lists of models.
            values = [part] if kind not in fields else map(part.__dict__.get, fields[kind])
            for member in values:
                cls: type[Any] = member.__class__
                if cls is int:
                    if not LEAST < member < MOST:
                        raise ResultError(TOO_MANY_DIGITS)
                elif cls not in _NO_INTEGERS and not (
                    cls in _CONTAINERS and 0 < depth < _MOST_MEASURED and _is_short(member)
                ):
                    unmeasured.append(member)
        return unmeasured

    def _parts(self, value: Any, depth: int) -> Iterable[Any]:
        """Return the parts of a value that are written."""
        check_ends(value)
        if isinstance(value, list | tuple | set | frozenset | deque):
            return _measured(stored(value), depth)
        if isinstance(value, dict):
            mapping = cast("dict[Any, Any]", value)
            return _measured([part for pair in stored_pairs(mapping) for part in pair], depth)
        if isinstance(value, BaseModel):
            if value.__pydantic_extra__ is None:
                self._learn(value.__class__)
            return (*value.__dict__.values(), *(value.__pydantic_extra__ or {}).values())
        return _others(value)

    def _learn(self, model: type[BaseModel]) -> None:
        if len(self.fields) >= _MOST_MODELS:
            self.fields.clear()
        self.fields[model] = tuple(
            name
            for name, field in model.__pydantic_fields__.items()
            if _field_may(field, frozenset((model,)))
        )


def _measured(items: Iterable[Any], depth: int) -> Iterable[Any]:
    """Return items without pieces that are short; return all if they are few or deeply nested."""
    if depth > _MOST_MEASURED:
        return items
    listed = list(items)
    return _long_items(listed) if len(listed) > _PIECE else listed


def _long_items(items: list[Any]) -> Iterator[Any]:
    size, start = _PIECE, 0
    while start < len(items):
        if size == 1 or items[start].__class__ not in _MEASURABLE:
            yield items[start]
            start += 1
            continue
        piece = items[start : start + size]
        start += size
        # A piece holds its items a second time, and `marshal` remembers what is held twice, which
        # takes five times as long. It must only for containers: they may hold themselves.
        is_simple = _SIMPLE.issuperset(map(type, piece))
        if not _is_short(piece, 2 if is_simple else marshal.version):
            size //= 4  # so that pieces of items as long as these are short
            yield from piece


def _others(value: Any) -> Iterable[Any]:
    if isinstance(value, int):  # of a subclass
        return (int(value),)
    if isinstance(value, Fraction):
        return value.numerator, value.denominator
    if isinstance(value, Enum):
        return (value.value,)
    # Of the class: an object may have an answer for every name (a builder of queries has).
    names: Any = getattr(cast("type[Any]", type(value)), "__dataclass_fields__", ())
    return [getattr(value, name, None) for name in names]  # also of a class with slots


def _may_hold_integers(hint: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Return whether a hint's values, as written, can hold integers; True if in doubt."""
    if get_origin(hint) is Annotated:
        return _may_hold_integers(get_args(hint)[0], seen)
    if isinstance(hint, type):
        if hint in _NO_INTEGERS:
            return False
        if issubclass(hint, BaseModel):
            if hint in seen or hint.model_config.get("extra") == "allow":
                return True
            return any(
                _field_may(field, seen | {hint}) for field in hint.__pydantic_fields__.values()
            )
    arguments = [argument for argument in get_args(hint) if argument is not Ellipsis]
    return not arguments or any(_may_hold_integers(argument, seen) for argument in arguments)


def _field_may(field: FieldInfo, seen: frozenset[Any]) -> bool:
    kinds = {constraint.__class__ for constraint in field.metadata}
    if kinds & _AT_LEAST and kinds & _AT_MOST:
        return False
    # With `SerializeAsAny`, subclasses are written with all of their fields.
    return SerializeAsAny in kinds or _may_hold_integers(field.annotation, seen)
