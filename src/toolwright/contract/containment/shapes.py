"""Shapes: values of one kind, without alternatives, and those of schemas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..._json_values import canonical_json, is_list, is_object
from ...json_schema.document import ONE_OF, REF, combined
from .accept import (
    KINDS,
    NOT_READ,
    Acceptance,
    count_in,
    exact,
    family_of,
    is_number,
    items_of,
    property_nodes,
    types_in,
)
from .document import Budget, SchemaNode, Undecided

Schemas = tuple[SchemaNode, ...]
"""Schemas that hold at once."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueShape:
    """Values of one kind that fit several schemas at once, none of which has alternatives."""

    nodes: Schemas
    notes: frozenset[bytes]
    """Keys of further constraints, which are not examined."""


@dataclass(frozen=True, slots=True, eq=False)
class Listed(ValueShape):
    """A few values that are known one by one."""

    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Numbers(ValueShape):
    """Numbers between two bounds."""

    low: Fraction | None = None
    high: Fraction | None = None
    low_open: bool = False
    high_open: bool = False
    steps: frozenset[Fraction] = frozenset()
    """What they are multiples of; integers are multiples of 1."""

    @property
    def is_empty(self) -> bool:
        """Whether no number is between the bounds."""
        if self.low is None or self.high is None:
            return False
        if self.low == self.high:
            return self.low_open or self.high_open or not self.is_on_steps(self.low)
        return self.low > self.high

    def is_on_steps(self, number: Fraction) -> bool:
        """Return whether a number is a multiple of every step."""
        return all((number / step).denominator == 1 for step in self.steps)


@dataclass(frozen=True, slots=True, eq=False)
class Texts(ValueShape):
    """Texts of some lengths."""

    least: int = 0
    most: int | None = None
    patterns: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Arrays(ValueShape):
    """Arrays of some lengths."""

    least: int = 0
    most: int | None = None
    unique: bool = False

    def item(self, at: int) -> Schemas:
        """Return the schemas that the item at an index must fit."""
        schemas: list[SchemaNode] = []
        for node in self.nodes:
            first, further = items_of(node)
            schemas.append(first[at] if at < len(first) else further)
        return tuple(schemas)

    @property
    def leading(self) -> int:
        """How many of the first items have schemas of their own."""
        return max((len(items_of(node)[0]) for node in self.nodes), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class Objects(ValueShape):
    """Objects with some properties."""

    required: frozenset[str] = frozenset()
    least: int = 0
    most: int | None = None

    def named(self) -> set[str]:
        """Return the properties that the schemas name."""
        names: set[str] = set()
        for node in self.nodes:
            properties = node.value.get("properties")
            names.update(properties if is_object(properties) else ())
        return names

    def patterns(self) -> dict[str, Schemas]:
        """Return the schemas that properties must fit, by the pattern of their names."""
        schemas: dict[str, Schemas] = {}
        for node in self.nodes:
            patterns = node.value.get("patternProperties")
            for pattern, pattern_schema in patterns.items() if is_object(patterns) else ():
                schemas[pattern] = (*schemas.get(pattern, ()), node.inner(pattern_schema))
        return schemas

    def others(self) -> Schemas:
        """Return the schemas of a property that neither a schema nor a pattern names."""
        return tuple(
            node.inner(node.value["additionalProperties"])
            for node in self.nodes
            if "additionalProperties" in node.value
        )


def given_values(nodes: Schemas) -> list[Any] | None:
    """Return the values in `enum` or `const` of the first schema that has either."""
    for node in nodes:
        schema = node.value
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if is_list(values):
            return list({canonical_json(member): member for member in values}.values())
    return None


def kinds_of(nodes: Schemas) -> tuple[list[str], bool]:
    """Return the kinds of values that all schemas allow, and whether numbers must be integers."""
    kinds: list[str] = list(KINDS)
    is_whole = False
    for node in nodes:
        names = types_in(node.value.get("type"))
        if names is None:
            continue
        is_whole = is_whole or ("integer" in names and "number" not in names)
        allowed = {"number" if name == "integer" else name for name in names}
        kinds = [kind for kind in kinds if kind in allowed]
    return kinds, is_whole


def tightened(shape: Numbers) -> Numbers:
    """Return a shape whose bounds are multiples of a step, if there is one."""
    if not shape.steps:
        return shape
    step, low, high = max(shape.steps), shape.low, shape.high
    if low is not None:
        up = -(-low // step)
        low = (up + 1 if shape.low_open and up * step == low else up) * step
    if high is not None:
        down = high // step
        high = (down - 1 if shape.high_open and down * step == high else down) * step
    return replace(shape, low=low, high=high, low_open=False, high_open=False)


def _numbers(nodes: Schemas, notes: frozenset[bytes]) -> Numbers:
    shape = Numbers(nodes, notes)
    for node in nodes:
        schema = node.value
        low, high = bounds_of(schema)
        if low is not None and (
            shape.low is None or (low[0], low[1]) > (shape.low, shape.low_open)
        ):
            shape = replace(shape, low=low[0], low_open=low[1])
        if high is not None and (
            shape.high is None or (-high[0], high[1]) > (-shape.high, shape.high_open)
        ):
            shape = replace(shape, high=high[0], high_open=high[1])
        step = schema.get("multipleOf")
        if is_number(step) and step > 0:
            shape = replace(shape, steps=shape.steps | {exact(step)})
    return shape


_Bound = tuple[Fraction, bool]


def bounds_of(schema: Mapping[str, Any]) -> tuple[_Bound | None, _Bound | None]:
    """Return the bounds of numbers, each with whether it is itself left out."""
    low, high = (
        _bound(schema, "minimum", "exclusiveMinimum", 1),
        _bound(schema, "maximum", "exclusiveMaximum", -1),
    )
    return low, high


def _bound(schema: Mapping[str, Any], closed: str, opened: str, sign: int) -> _Bound | None:
    bounds: list[_Bound] = []
    outside = schema.get(opened)
    inside = schema.get(closed)
    if is_number(inside):
        bounds.append((exact(inside), False))
    if is_number(outside):
        bounds.append((exact(outside), True))
    return max(bounds, key=lambda bound: (sign * bound[0], bound[1])) if bounds else None


def _lengths(nodes: Schemas, least: str, most: str) -> tuple[int, int | None]:
    lows = [count for node in nodes if (count := count_in(node.value, least)) is not None]
    highs = [count for node in nodes if (count := count_in(node.value, most)) is not None]
    return max(lows, default=0), min(highs, default=None)


def _texts(nodes: Schemas, notes: frozenset[bytes]) -> Texts:
    least, most = _lengths(nodes, "minLength", "maxLength")
    schemas = [node.value for node in nodes]
    patterns = frozenset(
        schema["pattern"] for schema in schemas if isinstance(schema.get("pattern"), str)
    )
    formats = frozenset(
        schema["format"] for schema in schemas if isinstance(schema.get("format"), str)
    )
    return Texts(nodes, notes, least, most, patterns, formats)


def _arrays(nodes: Schemas, notes: frozenset[bytes]) -> Arrays:
    least, most = _lengths(nodes, "minItems", "maxItems")
    unique = any(node.value.get("uniqueItems") is True for node in nodes)
    return Arrays(nodes, notes, least, most, unique)


def _objects(nodes: Schemas, notes: frozenset[bytes]) -> Objects:
    least, most = _lengths(nodes, "minProperties", "maxProperties")
    required: set[str] = set()
    for node in nodes:
        names = node.value.get("required")
        if is_list(names):
            required.update(name for name in names if isinstance(name, str))
    return Objects(nodes, notes, frozenset(required), least, most)


def _single(value: Any) -> Callable[[Schemas, frozenset[bytes]], ValueShape]:
    return lambda nodes, notes: Listed(nodes, notes, value)


MAKERS: Mapping[str, Callable[[Schemas, frozenset[bytes]], ValueShape]] = {
    "null": _single((None,)),
    "boolean": _single((False, True)),
    "number": _numbers,
    "string": _texts,
    "array": _arrays,
    "object": _objects,
}


def kind_of_shape(shape: ValueShape) -> str | None:
    """Return the kind of all values of a shape; None if they are of several."""
    if isinstance(shape, Listed):
        kinds = {family_of(value) for value in shape.values}
        return kinds.pop() if len(kinds) == 1 else None
    return _NAMES[type(shape)]


_NAMES: Mapping[type[ValueShape], str] = {
    Numbers: "number",
    Texts: "string",
    Arrays: "array",
    Objects: "object",
}


Choice = tuple[Schemas, frozenset[bytes]]
"""One way to choose among alternatives: the schemas, and the keys of what is not examined."""
_ANYTHING: Choice = ((), frozenset())
_NOTED: Mapping[str, tuple[str, ...]] = {
    "not": (),
    ONE_OF: (),
    "if": ("then", "else"),
    "contains": ("minContains", "maxContains"),
    "propertyNames": (),
    "dependentSchemas": (),
    "dependentRequired": (),
}
"""Keywords that shapes do not express, each with those that mean nothing without it."""
_MOST_SHAPES = 400
_MOST_DEPTH = 40
_MOST_NESTED = 6
"""How deeply shapes are checked for emptiness."""


class Shaper:
    """Makes shapes of schemas, within a budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.acceptance = Acceptance(budget)
        self._known: dict[tuple[Any, ...], tuple[ValueShape, ...]] = {}
        self._depth = 0

    def shapes(self, schemas: Schemas) -> tuple[ValueShape, ...]:
        """Return shapes that together hold every value of the schemas. Raises `Undecided`.

        They may hold more: what cannot be examined becomes a note.
        """
        key = tuple(node.identity for node in schemas)
        if key not in self._known:
            shapes = [shape for choice in self._choices(schemas) for shape in self._of(*choice)]
            self._known[key] = tuple(shapes)
        return self._known[key]

    def property_shapes(self, shape: Objects, name: str) -> tuple[ValueShape, ...]:
        """Return the shapes of a property; none if it cannot be there. Raises `Undecided`."""
        return self.shapes(self.property_schemas(shape, name))

    def property_schemas(self, shape: Objects, name: str) -> Schemas:
        """Return the schemas that a property must fit. Raises `Undecided`."""
        schemas: list[SchemaNode] = []
        for node in shape.nodes:
            parts = property_nodes(node, name)
            if parts is None:
                raise Undecided
            schemas.extend(parts)
        return tuple(schemas)

    # -- alternatives

    def _choices(self, schemas: Schemas) -> list[Choice]:
        """Return the schemas without alternatives, one list for each way to choose among them."""
        choices: list[Choice] = [_ANYTHING]
        for node in schemas:
            alternatives = self._expanded(node, 0)
            self.budget.spend(len(choices) * len(alternatives))
            choices = [
                (nodes + right, notes | more)
                for nodes, notes in choices
                for right, more in alternatives
            ]
            if len(choices) > _MOST_SHAPES:
                raise Undecided
        return choices

    def _expanded(self, node: SchemaNode, depth: int) -> list[Choice]:
        schema = node.value
        if schema is True:
            return [_ANYTHING]
        if not is_object(schema):
            return []
        if depth > _MOST_DEPTH:
            raise Undecided
        choices: list[Choice] = [((node,), frozenset(_notes(node)))]
        if REF in schema:
            if node.document.is_old:
                choices = [_ANYTHING]
            target = node.target()
            choices = self._times(choices, [node.inner(True) if target is None else target], depth)
        parts = combined(schema)
        for arm in parts.all_of:
            choices = self._times(choices, [node.inner(arm)], depth)
        for union in parts.unions():
            choices = self._times(choices, [node.inner(arm) for arm in union], depth)
        return self._times(choices, [_left_by_not(node)], depth) if "not" in schema else choices

    def _times(
        self,
        found: list[Choice],
        arms: Iterable[SchemaNode],
        depth: int,
    ) -> list[Choice]:
        alternatives = [choice for arm in arms for choice in self._expanded(arm, depth + 1)]
        self.budget.spend(len(found) * len(alternatives) + 1)
        if len(found) * len(alternatives) > _MOST_SHAPES:
            raise Undecided
        return [
            (nodes + right, notes | more) for nodes, notes in found for right, more in alternatives
        ]

    # -- shapes

    def _of(self, nodes: Schemas, notes: frozenset[bytes]) -> Iterator[ValueShape]:
        """Yield the shapes of schemas that have no alternatives, except empty ones."""
        listed = given_values(nodes)
        if listed is not None:
            values = tuple(member for member in listed if self._may_be(nodes, member))
            if values:
                yield Listed(nodes, notes, values)
            return
        kinds, is_whole = kinds_of(nodes)
        for kind in kinds:
            shape = MAKERS[kind](nodes, notes)
            if isinstance(shape, Numbers) and is_whole:
                shape = replace(shape, steps=shape.steps | {Fraction(1)})
            if isinstance(shape, Numbers):
                shape = tightened(shape)
            if not self.is_empty(shape):
                yield shape

    def _may_be(self, nodes: Schemas, value: Any) -> bool:
        return all(self.acceptance.accepts_flat(node, value) is not False for node in nodes)

    def is_empty(self, shape: ValueShape) -> bool:
        """Return whether a shape surely has no values. Raises `Undecided`."""
        self.budget.spend()
        if isinstance(shape, Numbers):
            return shape.is_empty
        if isinstance(shape, Listed):
            return not shape.values
        if isinstance(shape, Texts):
            return shape.most is not None and shape.least > shape.most
        if self._depth >= _MOST_NESTED:
            return False
        self._depth += 1
        try:
            return self._has_no_room(shape)
        finally:
            self._depth -= 1

    def _has_no_room(self, shape: ValueShape) -> bool:
        if isinstance(shape, Arrays):
            if shape.most is not None and shape.least > shape.most:
                return True
            first = range(min(shape.least, shape.leading + 1))
            return any(not self.shapes(shape.item(index)) for index in first)
        if isinstance(shape, Objects):
            if shape.most is not None and max(shape.least, len(shape.required)) > shape.most:
                return True
            return any(not self.property_shapes(shape, name) for name in sorted(shape.required))
        return False


def _notes(node: SchemaNode) -> Iterator[bytes]:
    """Yield the keys of what a schema says that shapes do not express."""
    if not NOT_READ.isdisjoint(node.value):
        yield node.key
    for keyword in _NOTED:
        if keyword in node.value:
            yield note_of(node, keyword)


def note_of(node: SchemaNode, keyword: str) -> bytes:
    """Return the key of a keyword of a schema, with those that say more about it."""
    keywords = (keyword, *_NOTED[keyword])
    part = {name: node.value[name] for name in keywords if name in node.value}
    return node.document.made(part).key


def _left_by_not(node: SchemaNode) -> SchemaNode:
    """Return a schema for the types that `not` leaves; one for anything if it is not about types."""
    refused = node.value["not"]
    names = types_in(refused["type"]) if is_object(refused) and refused.keys() == {"type"} else None
    if names is None or "integer" in names:
        return node.inner(True)
    return node.document.made({"type": [kind for kind in KINDS if kind not in names]})
