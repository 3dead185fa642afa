"""Proves that every value of one schema fits another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

from ..._json_values import is_list, is_object
from ...json_schema.document import ONE_OF, REF, combined
from .accept import (
    APPLICATORS,
    NOT_READ,
    count_in,
    exact,
    is_number,
    items_of,
    property_nodes,
    types_in,
)
from .document import Budget, SchemaNode, Undecided
from .shapes import (
    Arrays,
    Listed,
    Numbers,
    Objects,
    Schemas,
    Shaper,
    Texts,
    ValueShape,
    bounds_of,
    kind_of_shape,
    note_of,
)

_MOST_DEPTH = 150


class Prover:
    """Proves, and never guesses: what it does not prove may still be true."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.shaper = Shaper(budget)
        self._assumed: dict[tuple[Any, Any], bool] = {}
        """Pairs that are being proved, or were: a part of a value may be taken as proved, since
        values are finite, and each step goes to a smaller one."""
        self._order: list[tuple[Any, Any]] = []
        self._depth = 0

    def fits(self, left: Schemas, right: SchemaNode) -> bool:
        """Return whether every value of the left surely fits the right. Raises `Undecided`."""
        self.budget.spend()
        # One pair for each pair of definitions, however often they are referred to.
        left, right = tuple(node.followed() for node in left), right.followed()
        if right.value is True or right.value == {}:
            return True
        if any(node.key == right.key for node in left):
            return True
        pair = (tuple(node.identity for node in left), right.identity)
        assumed = self._assumed.get(pair)
        if assumed is not None:
            return assumed
        if self._depth > _MOST_DEPTH:
            raise Undecided
        began = len(self._order)
        self._assumed[pair] = True
        self._order.append(pair)
        self._depth += 1
        try:
            proved = all(self.holds(shape, right) for shape in self.shaper.shapes(left))
        finally:
            self._depth -= 1
        if not proved:
            # Anything proved in the meantime may have relied on it.
            for later in self._order[began:]:
                self._assumed.pop(later, None)
            del self._order[began:]
            self._assumed[pair] = False
        return proved

    def holds(self, shape: ValueShape, right: SchemaNode) -> bool:
        """Return whether every value of a shape surely fits a schema. Raises `Undecided`."""
        self.budget.spend()
        schema = right.value
        if isinstance(schema, bool):
            return schema or self.shaper.is_empty(shape)
        if not is_object(schema):
            return False
        if isinstance(shape, Listed) and self._all_accepted(shape, right):
            return True
        self._depth += 1
        if self._depth > _MOST_DEPTH:
            raise Undecided
        try:
            return self._holds_applied(shape, right) and self._holds_flat(shape, right)
        finally:
            self._depth -= 1

    def _all_accepted(self, shape: Listed, right: SchemaNode) -> bool:
        accepts = self.shaper.acceptance.accepts
        return all(accepts(right, value) for value in shape.values)

    # -- keywords that hold schemas for the same value

    def _holds_applied(self, shape: ValueShape, right: SchemaNode) -> bool:
        schema = right.value
        if NOT_READ & schema.keys() and right.key not in shape.notes:
            return False
        if REF in schema:
            target = right.target()
            if target is None or not self.holds(shape, target):
                return False
        parts = combined(schema)
        if not all(self.holds(shape, right.inner(arm)) for arm in parts.all_of):
            return False
        if parts.any_of is not None and not self._holds_any(shape, right, parts.any_of):
            return False
        if parts.one_of is not None and not self._holds_one(shape, right, parts.one_of):
            return False
        if _is_noted(shape, right, "not") or self._is_apart(shape, right.inner(schema["not"])):
            return _is_noted(shape, right, "if")
        return False

    def _holds_any(self, shape: ValueShape, right: SchemaNode, arms: list[Any]) -> bool:
        return any(self.holds(shape, right.inner(arm)) for arm in arms)

    def _holds_one(self, shape: ValueShape, right: SchemaNode, arms: list[Any]) -> bool:
        if _is_noted(shape, right, ONE_OF):
            return True
        if not self._holds_any(shape, right, arms):
            return False
        # And none fits two of them.
        nodes = [right.inner(arm) for arm in arms]
        return all(self._is_apart(shape, *pair) for pair in combinations(nodes, 2))

    def _is_apart(self, shape: ValueShape, *others: SchemaNode) -> bool:
        """Return whether no value of a shape fits all of some schemas."""
        self.budget.spend()
        return not self.shaper.shapes((*shape.nodes, *others))

    # -- keywords of the schema itself

    def _holds_flat(self, shape: ValueShape, right: SchemaNode) -> bool:
        schema = right.value
        if not schema.keys() - APPLICATORS:
            return True
        if isinstance(shape, Listed):  # they were tried one by one
            return False
        if "const" in schema or "enum" in schema:
            return self.shaper.is_empty(shape)
        if not _has_type(shape, schema.get("type")):
            return self.shaper.is_empty(shape)
        return _RULES[type(shape)](self, shape, right)

    def numbers(self, shape: Numbers, right: SchemaNode) -> bool:
        """Compare bounds and steps."""
        schema = right.value
        low, high = bounds_of(schema)
        if low is not None and (
            shape.low is None or (shape.low, shape.low_open) < (low[0], low[1])
        ):
            return False
        if high is not None and (
            shape.high is None or (-shape.high, shape.high_open) < (-high[0], high[1])
        ):
            return False
        step = schema.get("multipleOf")
        return not is_number(step) or step <= 0 or has_step(shape, exact(step))

    def texts(self, shape: Texts, right: SchemaNode) -> bool:
        """Compare lengths, patterns and formats."""
        schema = right.value
        if not _is_within(shape.least, shape.most, schema, "minLength", "maxLength"):
            return False
        pattern, name = schema.get("pattern"), schema.get("format")
        return (not isinstance(pattern, str) or pattern in shape.patterns) and (
            not isinstance(name, str) or name in shape.formats
        )

    def arrays(self, shape: Arrays, right: SchemaNode) -> bool:
        """Compare lengths and items."""
        schema = right.value
        most = shape.most
        if not _is_within(shape.least, most, schema, "minItems", "maxItems"):
            return False
        if schema.get("uniqueItems") is True and not shape.unique and (most is None or most > 1):
            return False
        first, further = items_of(right)
        count = max(shape.leading, len(first))
        places = range(most if most is not None and most <= count else count + 1)
        for place in places:
            if not self.fits(shape.item(place), first[place] if place < len(first) else further):
                return False
        return _is_noted(shape, right, "contains")

    def objects(self, shape: Objects, right: SchemaNode) -> bool:
        """Compare properties."""
        schema = right.value
        required = schema.get("required")
        if is_list(required) and not shape.required.issuperset(map(str, required)):
            return False
        least = max(shape.least, len(shape.required))
        if not _is_within(least, shape.most, schema, "minProperties", "maxProperties"):
            return False
        names = shape.named() | shape.required
        if is_object(properties := schema.get("properties")):
            names |= properties.keys()
        return (
            all(self._property(shape, right, name) for name in sorted(names))
            and self._other_properties(shape, right)
            and self._property_names(shape, right)
            and _is_noted(shape, right, "dependentRequired")
            and _is_noted(shape, right, "dependentSchemas")
        )

    def _property(self, shape: Objects, right: SchemaNode, name: str) -> bool:
        parts = property_nodes(right, name)
        if parts is None:
            raise Undecided
        schemas = self.shaper.property_schemas(shape, name)
        return all(self.fits(schemas, part) for part in parts)

    def _other_properties(self, shape: Objects, right: SchemaNode) -> bool:
        """Compare the properties that no schema names: those of patterns, and all others."""
        schema = right.value
        patterns = schema.get("patternProperties")
        required_patterns: Mapping[str, Any] = patterns if is_object(patterns) else {}
        ours, further = shape.patterns(), shape.others()
        for pattern, pattern_schema in required_patterns.items():
            # A name may fit this pattern, and any or none of ours.
            ways = [ours[pattern]] if pattern in ours else [*ours.values(), further]
            if not all(self.fits(way, right.inner(pattern_schema)) for way in ways):
                return False
        if "additionalProperties" not in schema:
            return True
        extra = right.inner(schema["additionalProperties"])
        ways = [
            further,
            *(way for pattern, way in ours.items() if pattern not in required_patterns),
        ]
        return all(self.fits(way, extra) for way in ways)

    def _property_names(self, shape: Objects, right: SchemaNode) -> bool:
        schema = right.value
        if _is_noted(shape, right, "propertyNames"):
            return True
        ours = [
            node.inner(node.value["propertyNames"])
            for node in shape.nodes
            if "propertyNames" in node.value
        ]
        text = right.document.made({"type": "string"})
        return self.fits((*ours, text), right.inner(schema["propertyNames"]))


_RULES: Mapping[type[ValueShape], Callable[[Prover, Any, SchemaNode], bool]] = {
    Numbers: Prover.numbers,
    Texts: Prover.texts,
    Arrays: Prover.arrays,
    Objects: Prover.objects,
}


def has_step(shape: Numbers, step: Fraction) -> bool:
    """Return whether all numbers of a shape are surely multiples of a step."""
    if any((multiple / step).denominator == 1 for multiple in shape.steps):
        return True
    return shape.low is not None and shape.low == shape.high and (shape.low / step).denominator == 1


def _is_noted(shape: ValueShape, right: SchemaNode, keyword: str) -> bool:
    """Return whether a schema says nothing by a keyword, or just what a shape has a note of."""
    return keyword not in right.value or note_of(right, keyword) in shape.notes


def _has_type(shape: ValueShape, given: Any) -> bool:
    names = types_in(given)
    if names is None or kind_of_shape(shape) in names:
        return True
    return isinstance(shape, Numbers) and "integer" in names and has_step(shape, Fraction(1))


def _is_within(
    least: int, most: int | None, schema: Mapping[str, Any], low: str, high: str
) -> bool:
    minimum, limit = count_in(schema, low), count_in(schema, high)
    return (minimum is None or least >= minimum) and (
        limit is None or (most is not None and most <= limit)
    )
