"""What fits two shapes at once, as one shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._json_values import kind_of
from .shapes import (
    ANY,
    ARRAY,
    ENUM,
    INTEGER,
    NEVER,
    NUMBER,
    OBJECT,
    REF,
    UNION,
    SchemaShape,
    enum_of,
    union_of,
)

_MOST_BRANCHES = 64
_HIGHER = frozenset(
    ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "uniqueItems")
)
_LOWER = frozenset(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"))

Part = SchemaShape | bool | None
Resolve = Callable[[str], SchemaShape | None]


class Unmergeable(Exception):
    """Two shapes cannot be written as one."""


def merge(one: SchemaShape, other: SchemaShape, resolve: Resolve) -> SchemaShape:
    """Return the shape of what fits both; the notes of the first count more.

    `resolve` gives the shape that a reference leads to, or None while that is being read. Raises
    `Unmergeable`.
    """
    notes = {**other.notes, **one.notes}
    if one.kind == ANY and not one.rest:
        return other.noted(one.notes)
    if other.kind == ANY and not other.rest:
        return one.noted({key: each for key, each in other.notes.items() if key not in one.notes})
    made = _merged(one, other, resolve)
    return made.noted(notes) if made.notes != notes else made


def _merged(one: SchemaShape, other: SchemaShape, resolve: Resolve) -> SchemaShape:
    if REF in (one.kind, other.kind):
        return merge(_resolved(one, resolve), _resolved(other, resolve), resolve)
    if UNION in (one.kind, other.kind):
        union, rest = (one, other) if one.kind == UNION else (other, one)
        return _distributed(union, rest, resolve)
    if ENUM in (one.kind, other.kind):
        return _of_values(one, other)
    if one.kind != other.kind and {one.kind, other.kind} != {INTEGER, NUMBER}:
        return SchemaShape(NEVER)
    made = one.copy()
    made.kind = INTEGER if INTEGER in (one.kind, other.kind) else one.kind
    for key, value in other.limits.items():
        made.limits[key] = _limit(key, made.limits[key], value) if key in made.limits else value
    _merge_rest(made, other)
    if one.kind == ARRAY:
        _merge_array(made, other, resolve)
    elif one.kind == OBJECT:
        _merge_object(made, other, resolve)
    return made


def _resolved(shape: SchemaShape, resolve: Resolve) -> SchemaShape:
    if shape.kind != REF:
        return shape
    found = resolve(shape.target)
    if found is None or shape.rest:
        raise Unmergeable
    return found.noted(shape.notes)


def _distributed(union: SchemaShape, rest: SchemaShape, resolve: Resolve) -> SchemaShape:
    others = rest.branches if rest.kind == UNION else [rest]
    if union.rest or rest.rest or len(union.branches) * len(others) > _MOST_BRANCHES:
        raise Unmergeable
    if rest.kind == UNION and (union.exclusive or rest.exclusive):
        raise Unmergeable
    made = [
        merge(branch, other.noted({}), resolve) for branch in union.branches for other in others
    ]
    return union_of(made, exclusive=union.exclusive)


def _of_values(one: SchemaShape, other: SchemaShape) -> SchemaShape:
    enum, rest = (one, other) if one.kind == ENUM else (other, one)
    if enum.rest or rest.rest:
        raise Unmergeable
    if rest.kind == ENUM:
        known = [(kind_of(value), value) for value in rest.values]
        kept = [value for value in enum.values if (kind_of(value), value) in known]
    else:
        kinds = {rest.kind, INTEGER} if rest.kind == NUMBER else {rest.kind}
        kept = [value for value in enum.values if kind_of(value) in kinds]
    return enum_of(kept) if kept else SchemaShape(NEVER)


def _limit(key: str, one: Any, other: Any) -> Any:
    if one == other:
        return one
    if key in _HIGHER:
        return max(one, other)
    if key in _LOWER:
        return min(one, other)
    raise Unmergeable


def _merge_rest(made: SchemaShape, other: SchemaShape) -> None:
    if made.rest.keys() & other.rest.keys():
        raise Unmergeable
    made.rest.update(other.rest)


def _merge_array(made: SchemaShape, other: SchemaShape, resolve: Resolve) -> None:
    if made.prefix and other.prefix:
        raise Unmergeable
    if made.prefix or other.prefix:
        # The items of one would also follow the positions of the other.
        if isinstance(other.items if made.prefix else made.items, SchemaShape):
            raise Unmergeable
        made.prefix = made.prefix or other.prefix
    made.items = _both(made.items, other.items, resolve)


def _both(one: Part, other: Part, resolve: Resolve) -> Any:
    if one is None or one is True:
        return other
    if other is None or other is True:
        return one
    if one is False or other is False:
        return False
    return merge(one, other, resolve)


def _merge_object(made: SchemaShape, other: SchemaShape, resolve: Resolve) -> None:
    if made.keys is not None and other.keys is not None:
        raise Unmergeable
    made.keys = made.keys or other.keys
    if made.patterns and other.patterns:
        raise Unmergeable
    mine, theirs = made.copy(), other
    made.properties = {}
    for key in [
        *mine.properties,
        *(key for key in theirs.properties if key not in mine.properties),
    ]:
        parts = [_of_key(each, key) for each in (mine, theirs)]
        found = _both(parts[0], parts[1], resolve)
        if isinstance(found, SchemaShape) and found.kind != NEVER:
            made.properties[key] = found
        elif key in (*mine.required, *theirs.required):
            raise Unmergeable  # nothing fits; that is better left as it was written
    made.required += [key for key in theirs.required if key not in made.required]
    made.patterns = mine.patterns or theirs.patterns
    made.extra = _both(mine.extra, theirs.extra, resolve)


def _of_key(shape: SchemaShape, key: str) -> SchemaShape | bool | None:
    """Return what a shape says about a property."""
    if key in shape.properties:
        return shape.properties[key]
    if shape.patterns:
        raise Unmergeable  # a pattern from elsewhere may take forever to match
    return shape.extra
