"""Values of a schema that another one might refuse."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from typing import Any

from ..._json_values import canonical_json, is_list, is_object
from ...schema.explicit import searcher
from .accept import SAMPLES, dependencies, family_of, property_nodes
from .document import SchemaNode, Undecided
from .shapes import (
    Arrays,
    Listed,
    Numbers,
    Objects,
    Schemas,
    Shaper,
    Texts,
    ValueShape,
    kind_of_shape,
)

_MOST_DEPTH = 12
_MOST_OF_PART = 12
_MOST_LOOKED_AT = 120
"""How many values of a property or an item are made, of which a few are tried."""
_MOST_LITERALS = 60
_MOST_ITEMS = 5000
_MOST_CHARACTERS = 200_000
"""How long an array or a text may be that is made only for its length."""
_WORDS = ("", "a", "A", "1", "a1", "ab", "abc", "A-1", "a_b", "-", " ", "é", "abc123", "x" * 12)
_OTHER_NAMES = ("other_1", "X-1", "a", "1")


class Sampler:
    """Makes values of one schema, near the limits of another."""

    def __init__(self, shaper: Shaper, other: Any) -> None:
        self.shaper = shaper
        self.budget = shaper.budget
        literals = list(_literals(other))
        self._keys = frozenset(map(canonical_json, literals))
        self._named = literals[:_MOST_LITERALS]
        """Values that the other schema names one by one, including those that it refuses."""

    def values(self, left: Schemas, right: Schemas, depth: int = 0) -> Iterator[Any]:
        """Yield different values that may fit the left, plain ones first. Raises `Undecided`.

        The right says where limits may be; its schemas need not all hold at once.
        """
        if depth > _MOST_DEPTH:
            return
        keys: set[bytes] = set()
        limits = [shape for node in right for shape in self._limits(node)]
        for shape in self.shaper.shapes(left):
            for value in self._of(shape, limits, depth):
                self.budget.spend()
                key = canonical_json(value)
                if key not in keys:
                    keys.add(key)
                    yield value

    def _limits(self, node: SchemaNode) -> Sequence[ValueShape]:
        try:
            return self.shaper.shapes((node,))
        except Undecided:
            if self.budget.left < 0:
                raise
            return ()

    def _of(self, shape: ValueShape, limits: list[ValueShape], depth: int) -> Iterator[Any]:
        if isinstance(shape, Listed):
            # Those that the other schema does not name come first: there may be very many.
            yield from sorted(shape.values, key=lambda value: canonical_json(value) in self._keys)
        elif isinstance(shape, Numbers):
            yield from _numbers(shape, [limit for limit in limits if isinstance(limit, Numbers)])
        elif isinstance(shape, Texts):
            yield from _texts(shape, limits)
        elif isinstance(shape, Arrays):
            limits_of_kind = [limit for limit in limits if isinstance(limit, Arrays)]
            yield from self._arrays(shape, limits_of_kind, depth + 1)
        elif isinstance(shape, Objects):
            limits_of_kind = [limit for limit in limits if isinstance(limit, Objects)]
            yield from self._objects(shape, limits_of_kind, depth + 1)
        kind = kind_of_shape(shape)
        yield from (value for value in self._named if family_of(value) == kind)

    def _part(self, left: Schemas, right: Schemas, depth: int) -> list[Any]:
        """Return a plain value of a property or an item, then some that the right refuses."""
        accepts = self.shaper.acceptance.accepts
        plain: list[Any] = []
        telling: list[Any] = []
        for value in islice(self.values(left, right, depth), _MOST_LOOKED_AT):
            if any(accepts(node, value) is False for node in left):
                continue
            is_refused = any(accepts(node, value) is False for node in right)
            (telling if is_refused else plain).append(value)
        return [*plain[:1], *telling[:_MOST_OF_PART], *plain[1:_MOST_OF_PART]]

    # -- arrays

    def _arrays(self, shape: Arrays, limits: list[Arrays], depth: int) -> Iterator[list[Any]]:
        lengths = {shape.least, shape.least + 1, shape.least + 2, shape.leading, shape.leading + 1}
        lengths |= {2} if shape.most is None else {shape.most}
        for limit in limits:
            most = limit.leading if limit.most is None else limit.most
            lengths |= {limit.least - 1, most + 1, limit.leading + 1}
        fitting = sorted(
            length
            for length in lengths
            if shape.least
            <= length
            <= min(_MOST_ITEMS, length if shape.most is None else shape.most)
        )
        parts: dict[int, list[Any]] = {}

        def part(at: int) -> list[Any]:
            place = min(at, max([shape.leading, *(limit.leading for limit in limits)]))
            if place not in parts:
                right = tuple(node for limit in limits for node in limit.item(place))
                parts[place] = self._part(shape.item(place), right, depth)
            return parts[place]

        for length in fitting:
            filled = self._filled(length, part, unique=shape.unique)
            if filled is None:
                continue
            yield filled
            for index in range(min(length, 6)):
                for value in part(index):
                    yield [*filled[:index], value, *filled[index + 1 :]]
            for value in part(length - 1) if 1 < length < 6 else ():
                yield [value] * length

    def _filled(self, length: int, part: Any, *, unique: bool) -> list[Any] | None:
        """Return an array of the given length; None if nothing fits in it."""
        filled: list[Any] = []
        for index in range(length):
            values = part(index)
            if not values:
                return None
            filled.append(values[index % len(values)] if unique else values[0])
        self.budget.spend(length // 10)
        return filled

    # -- objects

    def _objects(
        self, shape: Objects, limits: list[Objects], depth: int
    ) -> Iterator[dict[str, Any]]:
        names = shape.named().union(shape.required, *(limit.named() for limit in limits))
        names = names.union(*(limit.required for limit in limits), _demanded(shape))
        parts: dict[str, list[Any]] = {}
        for name in sorted(names):
            right = tuple(node for limit in limits for node in _property(limit, name))
            schemas = self.shaper.property_schemas(shape, name)
            parts[name] = self._part(schemas, right, depth)
        further = self._others(shape, limits, names, depth)
        if any(not parts[name] for name in shape.required):
            return
        bare = {name: parts[name][0] for name in sorted(shape.required)}
        full = bare | {name: values[0] for name, values in parts.items() if values}
        bare = self._padded(shape, bare, full, further)
        yield bare
        yield full
        yield from _varied(shape, bare, full, parts)
        for name, value in further:
            yield bare | {name: value}
            yield full | {name: value}
        yield bare | dict(further)
        yield from self._larger(limits, full | dict(further), further)

    def _larger(
        self, limits: list[Objects], full: dict[str, Any], others: list[tuple[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """Yield objects that have one property too many for a limit."""
        for most in sorted({limit.most for limit in limits if limit.most is not None}):
            missing = most + 1 - len(full)
            if others and 0 < missing <= _MOST_ITEMS:
                self.budget.spend(missing // 10)
                yield full | {f"more_{number}": others[0][1] for number in range(missing)}

    def _padded(
        self,
        shape: Objects,
        bare: dict[str, Any],
        full: dict[str, Any],
        others: list[tuple[str, Any]],
    ) -> dict[str, Any]:
        """Return an object with at least as many properties as it must have."""
        padded = dict(bare)
        for name, value in [*full.items(), *others]:
            if len(padded) >= shape.least:
                break
            padded.setdefault(name, value)
        return padded

    def _others(
        self, shape: Objects, limits: list[Objects], named: set[str], depth: int
    ) -> list[tuple[str, Any]]:
        """Return properties that no schema names."""
        properties: list[tuple[str, Any]] = []
        for name in _OTHER_NAMES:
            if name in named:
                continue
            right = tuple(node for limit in limits for node in _property(limit, name))
            schemas = self.shaper.property_schemas(shape, name)
            properties += [(name, value) for value in islice(self.values(schemas, right, depth), 6)]
        return properties


def _literals(value: Any) -> Iterator[Any]:
    """Yield the values in `const` and `enum` of a schema, and of the schemas inside it."""
    if is_object(value):
        if "const" in value:
            yield value["const"]
        if is_list(listed := value.get("enum")):
            yield from listed
        for part in value.values():
            yield from _literals(part)
    elif is_list(value):
        for part in value:
            yield from _literals(part)


def _varied(
    shape: Objects, bare: dict[str, Any], full: dict[str, Any], parts: dict[str, list[Any]]
) -> Iterator[dict[str, Any]]:
    """Yield objects that differ in one property from the bare object or from the full one."""
    for name, values in parts.items():
        if name not in bare and values:
            yield bare | {name: values[0]}
        if name not in shape.required:
            yield {key: value for key, value in full.items() if key != name}
    for base in (bare, full):
        for name, values in parts.items():
            for value in values:
                yield base | {name: value}


def _demanded(shape: Objects) -> set[str]:
    """Return the properties that the presence of others demands."""
    return {
        str(dependent)
        for node in shape.nodes
        for _, dependents in dependencies(node.value)
        if is_list(dependents)
        for dependent in dependents
    }


def _property(limit: Objects, name: str) -> Iterator[SchemaNode]:
    for node in limit.nodes:
        yield from property_nodes(node, name) or ()


def _numbers(shape: Numbers, limits: list[Numbers]) -> Iterator[float]:
    step = max(shape.steps, default=Fraction(1))
    near: list[Fraction] = []
    for numbers in (shape, *limits):
        for bound in (numbers.low, numbers.high):
            if bound is not None:
                near += [bound, bound - step, bound + step, bound - Fraction(1, 2), bound + 1]
                near += [bound - 1, bound + Fraction(1, 2)]
    near += [Fraction(number) for number in (0, 1, -1, 2, 3, 5, 7, 10**6, -(10**6))]
    near += [Fraction(1, 2), Fraction(-3, 2), Fraction(5, 4)]
    for number in list(near):
        near.append(math.floor(number / step) * step)
        near.append(math.ceil(number / step) * step)
    for number in near:
        if _has(shape, number) and abs(number) < 10**300:
            yield int(number) if number.denominator == 1 else float(number)


def _has(shape: Numbers, number: Fraction) -> bool:
    low, high = shape.low, shape.high
    return (
        (low is None or number > low or (number == low and not shape.low_open))
        and (high is None or number < high or (number == high and not shape.high_open))
        and shape.is_on_steps(number)
    )


def _texts(shape: Texts, limits: list[ValueShape]) -> Iterator[str]:
    words = list(_WORDS) + list(SAMPLES.values())
    texts = [shape, *(limit for limit in limits if isinstance(limit, Texts))]
    for text_shape in texts:
        for length in (
            text_shape.least - 1,
            text_shape.least,
            (text_shape.most or -1),
            (text_shape.most or -1) + 1,
        ):
            if 0 <= length <= _MOST_CHARACTERS:
                words += ["a" * length, "1" * length, "A" * length]
        words += [text for pattern in text_shape.patterns for text in _written(pattern)]
    searches = [searcher(pattern) for pattern in shape.patterns]
    for word in words:
        if len(word) < shape.least or (shape.most is not None and len(word) > shape.most):
            continue
        if all(search is None or search(word) for search in searches):
            yield word


def _written(pattern: str) -> Iterator[str]:
    """Yield a few texts that may match a pattern: the letters in it, in order."""
    plain = pattern.strip("^$")
    yield plain
    yield "".join(char for char in plain if char.isalnum() or char in "-_./@ ")
