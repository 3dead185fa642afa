"""Whether a schema accepts a value: yes, no, or not known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, TypeGuard

from ..._json_values import canonical_json, is_list, is_object, kind_of
from ...json_schema.document import COMBINING, REF, combined
from ...schema.explicit import searcher
from .document import Budget, SchemaNode

Answer = bool | None
_MOST_DEPTH = 60
APPLICATORS = frozenset((*COMBINING, "not", "if", "then", "else"))
"""Keywords that hold other schemas for the same value."""
NOT_READ = frozenset(
    (
        *("$dynamicRef", "$recursiveRef", "unevaluatedProperties", "unevaluatedItems"),
        *("extends", "disallow"),
    )
)
"""Keywords that are not evaluated here: it is not known what they accept."""


def all_of(answers: Iterable[Answer]) -> Answer:
    """Return False if any is False, else None if any is not known."""
    answer_of_all: Answer = True
    for answer in answers:
        if answer is False:
            return False
        answer_of_all = answer_of_all and answer
    return answer_of_all


def any_of(answers: Iterable[Answer]) -> Answer:
    """Return True if any is True, else None if any is not known."""
    answer_of_any: Answer = False
    for answer in answers:
        if answer:
            return True
        answer_of_any = None if answer is None else answer_of_any
    return answer_of_any


def negated(answer: Answer) -> Answer:
    """Return the opposite, if it is known."""
    return None if answer is None else not answer


class Acceptance:
    """Checks whether schemas accept values, within a budget."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._enums: dict[int, tuple[list[Any], frozenset[bytes]]] = {}
        """Values as they are compared, by the identity of their list, which is kept alive here."""

    def accepts(self, node: SchemaNode, value: Any, depth: int = 0) -> Answer:
        """Return whether a schema accepts a value. Raises `Undecided`."""
        self.budget.spend()
        schema = node.value
        if isinstance(schema, bool):
            return schema
        if not is_object(schema) or depth > _MOST_DEPTH:
            return None
        beside = all_of(self._parts(node, value, depth))
        if REF not in schema:
            return beside
        target = node.target()
        referred = None if target is None else self.accepts(target, value, depth + 1)
        if node.document.is_old and beside is False and referred is not False:
            return None  # some validators apply such keywords, and others do not
        return all_of((referred, beside))

    def _parts(self, node: SchemaNode, value: Any, depth: int) -> Iterator[Answer]:
        yield self.accepts_flat(node, value, depth)
        schema, arm_depth = node.value, depth + 1
        parts = combined(schema)
        yield all_of(self.accepts(node.inner(arm), value, arm_depth) for arm in parts.all_of)
        if parts.any_of is not None:
            yield any_of(self.accepts(node.inner(arm), value, arm_depth) for arm in parts.any_of)
        if parts.one_of is not None:
            answers = [self.accepts(node.inner(arm), value, arm_depth) for arm in parts.one_of]
            yield _exactly_one(answers)
        if "not" in schema:
            yield negated(self.accepts(node.inner(schema["not"]), value, arm_depth))
        if "if" in schema:
            yield self._conditional(node, value, arm_depth)

    def _conditional(self, node: SchemaNode, value: Any, depth: int) -> Answer:
        schema = node.value
        holds = self.accepts(node.inner(schema["if"]), value, depth)
        then = self.accepts(node.inner(schema.get("then", True)), value, depth)
        otherwise = self.accepts(node.inner(schema.get("else", True)), value, depth)
        if holds is None:
            return then if then is otherwise else None
        return then if holds else otherwise

    def accepts_flat(self, node: SchemaNode, value: Any, depth: int = 0) -> Answer:
        """Return whether the keywords that hold no schema for the same value accept it."""
        schema = node.value
        if isinstance(schema, bool):
            return schema
        return all_of(self._flat(node, schema, value, depth))

    def _flat(
        self, node: SchemaNode, schema: dict[str, Any], value: Any, depth: int
    ) -> Iterator[Answer]:
        if not NOT_READ.isdisjoint(schema):
            yield None
        yield _has_type(schema.get("type"), value)
        if "const" in schema:
            yield canonical_json(schema["const"]) == canonical_json(value)
        if is_list(values := schema.get("enum")):
            yield canonical_json(value) in self._written(values)
        check = _CHECKS.get(family_of(value))
        if check is not None:
            yield from check(self, node, value, depth + 1)

    def _written(self, values: list[Any]) -> frozenset[bytes]:
        entry = self._enums.get(id(values))
        if entry is None:
            self.budget.spend(len(values) // 10)
            entry = self._enums[id(values)] = values, frozenset(map(canonical_json, values))
        return entry[1]

    def number(self, node: SchemaNode, value: float, _depth: int) -> Iterator[Answer]:
        """Check the bounds of a number, and whether it is a multiple of the given step."""
        schema = node.value
        if not is_number(value):
            yield None
            return
        number = exact(value)
        for keyword, holds in _BOUNDS.items():
            bound = schema.get(keyword)
            if is_number(bound):
                yield holds(number, exact(bound))
        step = schema.get("multipleOf")
        if is_number(step) and step > 0:
            yield (number / exact(step)).denominator == 1

    def string(self, node: SchemaNode, value: str, _depth: int) -> Iterator[Answer]:
        """Check the length of a text, its pattern and its format."""
        schema = node.value
        self.budget.spend(len(value) // 100)
        yield _within(len(value), schema, "minLength", "maxLength")
        if isinstance(pattern := schema.get("pattern"), str):
            search = searcher(pattern)
            yield None if search is None else search(value)
        if isinstance(name := schema.get("format"), str):
            yield has_format(value, name)

    def array(self, node: SchemaNode, value: list[Any], depth: int) -> Iterator[Answer]:
        """Check the items of an array."""
        schema = node.value
        yield _within(len(value), schema, "minItems", "maxItems")
        if schema.get("uniqueItems") is True:
            yield len({canonical_json(item) for item in value}) == len(value)
        first, further = items_of(node)
        for index, item in enumerate(value):
            yield self.accepts(first[index] if index < len(first) else further, item, depth)
        if "contains" in schema:
            contained = node.inner(schema["contains"])
            least = count_in(schema, "minContains")
            yield _count_within(
                [self.accepts(contained, item, depth) for item in value],
                1 if least is None else least,
                count_in(schema, "maxContains"),
            )

    def object(self, node: SchemaNode, value: dict[str, Any], depth: int) -> Iterator[Answer]:
        """Check the properties of an object."""
        schema = node.value
        yield _within(len(value), schema, "minProperties", "maxProperties")
        if is_list(names := schema.get("required")):
            yield all(name in value for name in names if isinstance(name, str))
        for name, item in value.items():
            parts = property_nodes(node, name)
            yield (
                None if parts is None else all_of(self.accepts(part, item, depth) for part in parts)
            )
            if "propertyNames" in schema:
                yield self.accepts(node.inner(schema["propertyNames"]), name, depth)
        for name, dependents in dependencies(schema):
            if name not in value:
                continue
            if is_list(dependents):
                yield all(dependent in value for dependent in dependents)
            else:
                yield self.accepts(node.inner(dependents), value, depth)


_CHECKS: Mapping[str, Callable[[Acceptance, SchemaNode, Any, int], Iterator[Answer]]] = {
    "number": Acceptance.number,
    "string": Acceptance.string,
    "array": Acceptance.array,
    "object": Acceptance.object,
}
_BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda number, bound: number >= bound,
    "maximum": lambda number, bound: number <= bound,
    "exclusiveMinimum": lambda number, bound: number > bound,
    "exclusiveMaximum": lambda number, bound: number < bound,
}


def items_of(node: SchemaNode) -> tuple[list[SchemaNode], SchemaNode]:
    """Return the schemas of the first items of an array, and that of all others."""
    schema = node.value
    listed, further = schema.get("prefixItems"), schema.get("items", True)
    first = [node.inner(item_schema) for item_schema in listed] if is_list(listed) else []
    return first, node.inner(further)


def property_nodes(node: SchemaNode, name: str) -> list[SchemaNode] | None:
    """Return the schemas that a property must fit; None if a pattern cannot be searched for."""
    schema = node.value
    properties = schema.get("properties")
    nodes = [node.inner(properties[name])] if is_object(properties) and name in properties else []
    patterns = schema.get("patternProperties")
    for pattern, pattern_schema in patterns.items() if is_object(patterns) else ():
        search = searcher(pattern)
        if search is None:
            return None
        if search(name):
            nodes.append(node.inner(pattern_schema))
    if not nodes and "additionalProperties" in schema:
        nodes.append(node.inner(schema["additionalProperties"]))
    return nodes


def dependencies(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what the presence of a property demands: a list of others, or a schema."""
    for keyword in ("dependentRequired", "dependentSchemas"):
        demands = schema.get(keyword)
        if is_object(demands):
            yield from demands.items()


def types_in(given: Any) -> list[str] | None:
    """Return the types that `type` names; None if it names none."""
    if isinstance(given, str):
        return [given]
    return (
        [type_name for type_name in given if isinstance(type_name, str)] if is_list(given) else None
    )


def _has_type(given: Any, value: Any) -> bool:
    names = types_in(given)
    if names is None:
        return True
    kind = family_of(value)
    is_whole = kind == "number" and (isinstance(value, int) or value.is_integer())
    return kind in names or (is_whole and "integer" in names)


def _within(count: int, schema: Mapping[str, Any], least: str, most: str) -> bool:
    low, high = count_in(schema, least), count_in(schema, most)
    return (low is None or count >= low) and (high is None or count <= high)


def _count_within(answers: list[Answer], least: int, most: int | None) -> Answer:
    sure = sum(answer is True for answer in answers)
    possible = sum(answer is not False for answer in answers)
    if possible < least or (most is not None and sure > most):
        return False
    return True if sure >= least and (most is None or possible <= most) else None


def _exactly_one(answers: list[Answer]) -> Answer:
    return _count_within(answers, 1, 1)


KINDS = ("null", "boolean", "number", "string", "array", "object")
_MOST_DIGITS = 400
"""Digits of a number that is compared exactly: more would take too long."""


def family_of(value: Any) -> str:
    """Return the kind of a JSON value; an integer is a number."""
    kind = kind_of(value)
    return "number" if kind == "integer" else kind


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a JSON number that can be compared exactly."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, float) or value.bit_length() < 4 * _MOST_DIGITS)
    )


def exact(number: float) -> Fraction:
    """Return a number as it is written: 0.1 is a tenth."""
    return Fraction(number) if isinstance(number, int) else Fraction(repr(number))


def count_in(node: Mapping[str, Any], keyword: str) -> int | None:
    """Return the value of a keyword that counts; None if it is missing, or not a count."""
    value = node.get(keyword)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


# A text that does not match has not got the format, whichever checker is used.
_FORMATS: Mapping[str, re.Pattern[str]] = {
    "date-time": re.compile(
        r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)"
    ),
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
    "time": re.compile(r"\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)?"),
    "duration": re.compile(r"[+-]?P[0-9A-Z.,:]{1,60}"),
    "email": re.compile(r"[^@\s]{1,64}@[^@\s]{1,255}"),
    "ipv4": re.compile(r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}"),
    "ipv6": re.compile(r"[0-9a-fA-F:.]{2,45}"),
    "uri": re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,40}:[^\s]{1,2000}"),
    "uuid": re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"),
}
SAMPLES: Mapping[str, str] = {
    "date-time": "2024-02-03T04:05:06Z",
    "date": "2024-02-03",
    "time": "04:05:06Z",
    "duration": "P1D",
    "email": "a@example.com",
    "ipv4": "127.0.0.1",
    "ipv6": "::1",
    "uri": "http://example.com/a",
    "uuid": "12345678-1234-4234-8234-123456789abc",
}
"""A text of each format that every checker accepts."""


def has_format(text: str, name: str) -> bool | None:
    """Return whether a text has a format; None if that depends on the checker."""
    if SAMPLES.get(name) == text:
        return True
    pattern = _FORMATS.get(name)
    return None if pattern is None or pattern.fullmatch(text) else False
