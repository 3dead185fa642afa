"""What a schema says about values, in terms of Python's hints.

Both runtime hints and the source of generated modules are made from these.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PlainShape:
    """A hint without parts: `str`, `int`, `float`, `bool`, `None`, `Any`, `datetime` and so on."""

    hint: str


@dataclass(frozen=True)
class LiteralShape:
    """One of some texts, integers and booleans."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class ListShape:
    """A list of one kind of items."""

    item: SchemaShape


@dataclass(frozen=True)
class TupleShape:
    """A list of fixed length with a kind for each position."""

    items: tuple[SchemaShape, ...]


@dataclass(frozen=True)
class MapShape:
    """An object with any keys."""

    value: SchemaShape


@dataclass(frozen=True)
class UnionShape:
    """One of several kinds of values."""

    arms: tuple[SchemaShape, ...]


@dataclass(frozen=True)
class RecordField:
    """One named part of an object, or one parameter."""

    name: str
    """The name in JSON."""
    shape: SchemaShape
    required: bool
    description: str = ""
    has_default: bool = False
    default: Any = None


@dataclass(eq=False)
class RecordShape:
    """An object with named parts; its fields are added later, since it may hold itself."""

    name: str
    """The name of its class, which no other record of the same schemas has."""
    description: str = ""
    stem: str = ""
    """The name it would have if no other record wanted it."""
    fields: list[RecordField] = field(default_factory=list[RecordField])


SchemaShape = (
    PlainShape | LiteralShape | ListShape | TupleShape | MapShape | UnionShape | RecordShape
)

ANY = PlainShape("Any")
NONE = PlainShape("None")


def union_of(arms: list[SchemaShape]) -> SchemaShape:
    """Return one shape for several: flat, without repeats, None at the end; Any absorbs all."""
    flat: list[SchemaShape] = []
    for arm in arms:
        flat += arm.arms if isinstance(arm, UnionShape) else (arm,)
    literals = [arm for arm in flat if isinstance(arm, LiteralShape)]
    if len(literals) > 1:
        merged = LiteralShape(unique_values([v for literal in literals for v in literal.values]))
        flat = [arm for arm in flat if arm is literals[0] or not isinstance(arm, LiteralShape)]
        flat[flat.index(literals[0])] = merged
    unique = list(dict.fromkeys(flat))
    if not unique or ANY in unique:
        return ANY
    if NONE in unique:
        unique = [*(arm for arm in unique if arm != NONE), NONE]
    return unique[0] if len(unique) == 1 else UnionShape(tuple(unique))


def unique_values(values: list[Any]) -> tuple[Any, ...]:
    """Return values without repeats; 1 and True, which Python calls equal, are different."""
    unique: dict[tuple[str, Any], None] = {}
    for value in values:
        unique[type(value).__name__, value] = None
    return tuple(value for _, value in unique)


def admits_none(shape: SchemaShape) -> bool:
    """Return whether None is one of the values."""
    if isinstance(shape, UnionShape):
        return any(map(admits_none, shape.arms))
    return shape in (ANY, NONE)
