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
        return one.noted({key: note for key, note in other.notes.items() if key not in one.notes})
    merged = _merged(one, other, resolve)
    return merged.noted(notes) if merged.notes != notes else merged


def _merged(one: SchemaShape, other: SchemaShape, resolve: Resolve) -> SchemaShape:
    if REF in (one.kind, other.kind):
        return merge(_resolved(one, resolve), _resolved(other, resolve), resolve)
    if UNION in (one.kind, other.kind):
        union, factor = (one, other) if one.kind == UNION else (other, one)
        return _distributed(union, factor, resolve)
    if ENUM in (one.kind, other.kind):
        return _of_values(one, other)
    if one.kind != other.kind and {one.kind, other.kind} != {INTEGER, NUMBER}:
        return SchemaShape(NEVER)
    merged = one.copy()
    merged.kind = INTEGER if INTEGER in (one.kind, other.kind) else one.kind
    for key, value in other.limits.items():
        merged.limits[key] = (
            _limit(key, merged.limits[key], value) if key in merged.limits else value
        )
    _merge_rest(merged, other)
    if one.kind == ARRAY:
        _merge_array(merged, other, resolve)
    elif one.kind == OBJECT:
        _merge_object(merged, other, resolve)
    return merged


def _resolved(shape: SchemaShape, resolve: Resolve) -> SchemaShape:
    if shape.kind != REF:
        return shape
    target = resolve(shape.target)
    if target is None or shape.rest:
        raise Unmergeable
    return target.noted(shape.notes)


def _distributed(union: SchemaShape, rest: SchemaShape, resolve: Resolve) -> SchemaShape:
    branches = rest.branches if rest.kind == UNION else [rest]
    if union.rest or rest.rest or len(union.branches) * len(branches) > _MOST_BRANCHES:
        raise Unmergeable
    if rest.kind == UNION and (union.exclusive or rest.exclusive):
        raise Unmergeable
    products = [
        merge(branch, branch_of_other.noted({}), resolve)
        for branch in union.branches
        for branch_of_other in branches
    ]
    return union_of(products, exclusive=union.exclusive)


def _of_values(one: SchemaShape, other: SchemaShape) -> SchemaShape:
    enum, constraint = (one, other) if one.kind == ENUM else (other, one)
    if enum.rest or constraint.rest:
        raise Unmergeable
    if constraint.kind == ENUM:
        allowed = [(kind_of(value), value) for value in constraint.values]
        values = [value for value in enum.values if (kind_of(value), value) in allowed]
    else:
        kinds = {constraint.kind, INTEGER} if constraint.kind == NUMBER else {constraint.kind}
        values = [value for value in enum.values if kind_of(value) in kinds]
    return enum_of(values) if values else SchemaShape(NEVER)


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
    original, added = made.copy(), other
    made.properties = {}
    for key in [
        *original.properties,
        *(key for key in added.properties if key not in original.properties),
    ]:
        parts = [_of_key(shape, key) for shape in (original, added)]
        both = _both(parts[0], parts[1], resolve)
        if isinstance(both, SchemaShape) and both.kind != NEVER:
            made.properties[key] = both
        elif key in (*original.required, *added.required):
            raise Unmergeable  # nothing fits; that is better left as it was written
    made.required += [key for key in added.required if key not in made.required]
    made.patterns = original.patterns or added.patterns
    made.extra = _both(original.extra, added.extra, resolve)


def _of_key(shape: SchemaShape, key: str) -> SchemaShape | bool | None:
    """Return what a shape says about a property."""
    if key in shape.properties:
        return shape.properties[key]
    if shape.patterns:
        raise Unmergeable  # a pattern from elsewhere may take forever to match
    return shape.extra
