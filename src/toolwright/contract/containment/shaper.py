"""Makes shapes of schemas: alternatives become a list."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..._json_values import is_object
from ...json_schema.build import ONE_OF, REF
from ...json_schema.document import combined
from .accept import NOT_READ, Acceptance, property_nodes, types_in
from .document import Budget, SchemaNode, Undecided
from .shapes import (
    MAKERS,
    Arrays,
    Listed,
    Numbers,
    Objects,
    Schemas,
    Texts,
    ValueShape,
    given_values,
    kinds_of,
    tightened,
)
from .values import KINDS

Choice = tuple[Schemas, frozenset[bytes]]
"""One way to choose among alternatives: the schemas, and the keys of what is not examined."""
_ANYTHING: Choice = ((), frozenset())
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
        if name in shape.narrowed:
            return shape.narrowed[name]
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
        return self._times(choices, _opposite(node), depth) if "not" in schema else choices

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
    schema = node.value
    if not NOT_READ.isdisjoint(schema):
        yield node.key
    for keyword in ("not", ONE_OF, "contains", "propertyNames"):
        if keyword in schema:
            yield note_of(node, keyword)
    if "if" in schema:
        yield note_of(node, "if", "then", "else")
    if "contains" in schema:
        yield note_of(node, "contains", "minContains", "maxContains")
    for keyword in ("dependentSchemas", "dependentRequired"):
        if is_object(demands := schema.get(keyword)):
            for name in demands:
                yield dependency_note(node, keyword, name)


def note_of(node: SchemaNode, *keywords: str) -> bytes:
    """Return the key of some keywords of a schema."""
    part = {keyword: node.value[keyword] for keyword in keywords if keyword in node.value}
    return node.document.made(part).key


def dependency_note(node: SchemaNode, keyword: str, name: str) -> bytes:
    """Return the key of what one property demands."""
    return node.document.made({keyword: {name: node.value[keyword][name]}}).key


def _opposite(node: SchemaNode) -> list[SchemaNode]:
    """Return a schema for what `not` leaves, where that is simple; otherwise one for anything."""
    refused = node.value["not"]
    if refused is True or refused == {}:
        return []
    if not is_object(refused):
        return [node.inner(True)]
    keywords = list(refused)
    names = types_in(refused.get("type")) if keywords == ["type"] else None
    if names is not None and "integer" not in names:
        return [node.document.made({"type": [kind for kind in KINDS if kind not in names]})]
    return [node.inner(refused["not"] if keywords == ["not"] else True)]
