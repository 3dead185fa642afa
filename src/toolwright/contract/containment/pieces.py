"""Cuts a shape into parts for several schemas."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..._json_values import is_list, is_object
from ...json_schema.document import combined
from .accept import count_in
from .document import SchemaNode
from .shapes import Arrays, Listed, Numbers, Objects, Shaper, Texts, ValueShape, bounds_of

_MOST_PIECES = 64


def pieces(shaper: Shaper, shape: ValueShape, arms: list[SchemaNode]) -> list[ValueShape]:
    """Return parts of a shape that together hold all of its values; nothing if it stays whole.

    Raises `Undecided`.
    """
    flat = [node.value for arm in arms for node in _flat(arm, 0)]
    if isinstance(shape, Listed):
        parts: list[ValueShape] = [replace(shape, values=(value,)) for value in shape.values]
        return parts if 1 < len(parts) <= 4 * _MOST_PIECES else []
    if isinstance(shape, Numbers):
        return _by_bounds(shape, flat)
    if isinstance(shape, Texts):
        return _by_length(shape, flat, "minLength", "maxLength")
    if isinstance(shape, Arrays):
        return _by_length(shape, flat, "minItems", "maxItems")
    return _by_property(shaper, shape, flat) if isinstance(shape, Objects) else []


def _flat(node: SchemaNode, depth: int) -> Iterator[SchemaNode]:
    """Yield a schema, and those that hold for the same value: they say where to cut."""
    if not is_object(node.value) or depth > 8:
        return
    yield node
    target = node.target()
    if target is not None:
        yield from _flat(target, depth + 1)
    for arm in combined(node.value).arms:
        yield from _flat(node.inner(arm), depth + 1)


def _by_bounds(shape: Numbers, arms: list[dict[str, Any]]) -> list[ValueShape]:
    cuts = sorted(
        {
            bound[0]
            for arm in arms
            for bound in bounds_of(arm)
            if bound is not None and _is_inside(shape, bound[0])
        }
    )
    if not cuts or len(cuts) > _MOST_PIECES:
        return []
    pieces: list[ValueShape] = []
    low, low_open = shape.low, shape.low_open
    is_whole = Fraction(1) in shape.steps
    for cut in cuts:
        is_step = is_whole and cut.denominator == 1
        below = replace(shape, low=low, low_open=low_open, high=cut, high_open=True)
        if is_step:
            below = replace(below, high=cut - 1, high_open=False)
        point = replace(shape, low=cut, high=cut, low_open=False, high_open=False)
        pieces += [below, point]
        low, low_open = (cut + 1, False) if is_step else (cut, True)
    pieces.append(replace(shape, low=low, low_open=low_open))
    return [piece for piece in pieces if isinstance(piece, Numbers) and not piece.is_empty]


def _is_inside(shape: Numbers, cut: Fraction) -> bool:
    return (
        (shape.low is None or shape.low <= cut)
        and (shape.high is None or cut <= shape.high)
        and not (shape.low == shape.high and shape.low is not None)
    )


def _by_length(
    shape: Texts | Arrays, arms: list[dict[str, Any]], low: str, high: str
) -> list[ValueShape]:
    starts = {count for arm in arms if (count := count_in(arm, low)) is not None}
    starts |= {count + 1 for arm in arms if (count := count_in(arm, high)) is not None}
    cuts = sorted(
        start
        for start in starts
        if start > shape.least and (shape.most is None or start <= shape.most)
    )
    if not cuts or len(cuts) > _MOST_PIECES:
        return []
    pieces: list[ValueShape] = []
    least = shape.least
    for cut in cuts:
        pieces.append(replace(shape, least=least, most=cut - 1))
        least = cut
    return [*pieces, replace(shape, least=least)]


def _by_property(shaper: Shaper, shape: Objects, arms: list[dict[str, Any]]) -> list[ValueShape]:
    """Cut by the alternatives of one property, or by whether it is there."""
    for name in _telling(arms):
        ways = shaper.property_shapes(shape, name)
        single = [part for way in ways for part in _parts(way)]
        if name not in shape.required and ways:
            absent = replace(shape, narrowed={**shape.narrowed, name: ()})
            present = replace(shape, required=shape.required | {name})
            return [absent, present]
        if 1 < len(single) <= _MOST_PIECES:
            return [replace(shape, narrowed={**shape.narrowed, name: (part,)}) for part in single]
    return []


def _telling(arms: list[dict[str, Any]]) -> list[str]:
    """Return the properties in which alternatives differ, those that most of them have first."""
    counts: dict[str, int] = {}
    for arm in arms:
        properties = arm.get("properties")
        required = arm.get("required")
        names = set(properties) if is_object(properties) else set[str]()
        for name in names | (set(map(str, required)) if is_list(required) else set[str]()):
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: (-counts[name], name))[:8]


def _parts(shape: ValueShape) -> list[ValueShape]:
    if isinstance(shape, Listed) and 1 < len(shape.values) <= _MOST_PIECES:
        return [replace(shape, values=(value,)) for value in shape.values]
    return [shape]
