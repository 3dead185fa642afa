"""What schemas say, alone and together: kinds, properties, bounds, values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from .._json_values import JsonObject, canonical_json, is_list, is_object, kind_of
from .document import MISSING, NOTES, Document, combined, own_part

KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The kinds of JSON values; `number` stands for numbers that are not integers."""
_AT_LEAST = frozenset(
    (
        *("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "uniqueItems"),
        *("minContains",),
    )
)
_AT_MOST = frozenset(
    ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
)
_VALUES = frozenset(("const", "enum"))
_INNER = frozenset(("items", "propertyNames", "additionalProperties"))
_NOTES = frozenset((*NOTES, "$schema", "$defs", "definitions", "$id", "$anchor", "$dynamicAnchor"))


def kinds_named(given: Any) -> frozenset[str]:
    """Return the kinds that `type` names: all of them if it names none."""
    names = [given] if isinstance(given, str) else given if is_list(given) else None
    if names is None:
        return frozenset(KINDS)
    kinds = {name for name in names if isinstance(name, str) and name in KINDS}
    return frozenset(kinds | {"integer"} if "number" in kinds else kinds)


def later(one: Any, other: Any) -> JsonObject:
    """Return a schema for what fits both of two, not yet merged."""
    return {"allOf": [one, other]}


Combine = Callable[[Any, Any], Any]
"""Puts two schemas inside others together; neither is a boolean."""


def merge(
    one: JsonObject, other: JsonObject, lost: set[str], combine: Combine = later
) -> JsonObject | None:
    """Return the schema of what fits both; None if nothing does.

    Neither has alternatives. Notes of the first count more. Keywords that cannot be said as one go
    to `lost`: what is returned then admits more.
    """
    if not other or other.keys() <= _NOTES:
        return one if other.keys() <= one.keys() else {**other, **one}
    if not one:
        return other
    merged = {**other, **one}
    for key in one.keys() & other.keys():
        # To Python, 1 and true are equal.
        if key not in _NOTES and (key in _VALUES or one[key] != other[key]):
            both = _both(key, (one[key], other[key]), lost, combine)
            if both is None:
                return None
            merged[key] = both
    _close(merged, (one, other), lost, combine)
    return merged if _is_possible(merged) else None


def _both(key: str, values: tuple[Any, Any], lost: set[str], combine: Combine) -> Any:
    """Return what a keyword says that both schemas have; None if nothing fits."""
    mine, yours = values
    if key == "type":
        return _types(mine, yours)
    if key == "enum" and is_list(mine) and is_list(yours):
        listed = {canonical_json(value) for value in yours}
        return [value for value in mine if canonical_json(value) in listed] or None
    if key == "const":
        return mine if canonical_json(mine) == canonical_json(yours) else None
    if key == "required" and is_list(mine) and is_list(yours):
        return list(dict.fromkeys([*mine, *yours]))
    if key in _AT_LEAST | _AT_MOST and _are_numbers(mine, yours):
        return max(mine, yours) if key in _AT_LEAST else min(mine, yours)
    if key in ("properties", "patternProperties") and is_object(mine) and is_object(yours):
        shared = {
            name: _fitting(mine[name], yours[name], combine) for name in mine.keys() & yours.keys()
        }
        return {**mine, **yours, **shared}
    if key in _INNER:
        return _fitting(mine, yours, combine)
    if key == "prefixItems" and is_list(mine) and is_list(yours):
        shared = [_fitting(*pair, combine) for pair in zip(mine, yours, strict=False)]
        return [*shared, *mine[len(shared) :], *yours[len(shared) :]]
    lost.add(key)
    return mine


def _close(
    made: JsonObject, both: tuple[JsonObject, JsonObject], lost: set[str], combine: Combine
) -> None:
    """Let what closes one schema hold for the parts that only the other names."""
    for closing, yours in (both, both[::-1]):
        extra = closing.get("additionalProperties", True)
        properties = yours.get("properties")
        if extra is not True and extra != {} and is_object(properties):
            if closing.get("patternProperties"):
                lost.add("patternProperties")
                continue
            declared = closing.get("properties")
            foreign = properties.keys() - (declared.keys() if is_object(declared) else set[str]())
            if foreign:
                parts = made["properties"]
                closed = {name: _fitting(parts[name], extra, combine) for name in foreign}
                made["properties"] = {**parts, **closed}
        items, first = closing.get("items", True), yours.get("prefixItems")
        if items is not True and items != {} and is_list(first):
            start = len(closing.get("prefixItems") or ())
            made["prefixItems"] = [
                _fitting(item_schema, items, combine) if position >= start else item_schema
                for position, item_schema in enumerate(made["prefixItems"])
            ]


def _fitting(one: Any, other: Any, combine: Combine) -> Any:
    """Return a schema for what fits both of two."""
    if one is False or other is False:
        return False
    if one is True or one in ({}, other):
        return other
    return one if other is True or other == {} else combine(one, other)


def _types(mine: Any, yours: Any) -> Any:
    shared = kinds_named(mine) & kinds_named(yours)
    if not shared:
        return None
    names = [
        kind for kind in KINDS if kind in shared and not (kind == "integer" and "number" in shared)
    ]
    return names[0] if len(names) == 1 else names


def _is_possible(made: Mapping[str, Any]) -> bool:
    """Return whether any of the listed values may fit."""
    if "type" not in made or not ("const" in made or is_list(made.get("enum"))):
        return True
    return bool(listed_values(made))


def listed_values(node: Mapping[str, Any]) -> list[Any] | None:
    """Return the values that a schema without alternatives lists, of the types that it names."""
    values = node.get("enum")
    if "const" in node:
        listed = is_list(values) and not any(
            canonical_json(member) == canonical_json(node["const"]) for member in values
        )
        values = [] if listed else [node["const"]]
    if not is_list(values):
        return None
    kinds = kinds_named(node.get("type"))
    return [value for value in values if kind_of(value) in kinds]


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(number, int | float) for number in values)


_MOST_ARMS = 64
"""How many alternatives a schema may have; with more, none is looked at."""
_MOST_STEPS = 5_000
"""How many schemas are looked at for one."""
_DEEPEST = 40
"""How many schemas for the same value may be inside each other."""
_LOGIC = frozenset(("not", "if"))
_MOST_LOGIC = 8
"""How many of those may be inside each other."""
_SILENT = frozenset((*NOTES, "$schema", "$defs", "definitions", "$id", "id", "$anchor"))


class Arm(NamedTuple):
    """One alternative of a schema: a schema without references and combinations."""

    schema: JsonObject
    unread: frozenset[str] = frozenset()
    """Keywords that may refuse more, and are not read."""


_ANYTHING = (Arm({}),)
_Arms = tuple[Arm, ...] | None
"""None stands for a schema that is still being looked at."""


class SchemaReader:
    """Reads the schemas of one document; each is looked at once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        # By the identity of schemas, which are kept: they may be made by merging others.
        self._arms: dict[int, tuple[Any, tuple[Arm, ...]]] = {}
        self._facts: dict[int, Facts] = {}
        self._open: set[int] = set()
        self._steps = self._depth = 0
        self._is_cut = False

    def facts(self, schema: Any = MISSING) -> Facts:
        """Return what a schema of the document says; without one, what its root says."""
        schema = self.document.root if schema is MISSING else schema
        facts = self._facts.get(id(schema))
        if facts is None or facts.schema is not schema:
            facts = self._facts[id(schema)] = Facts(self, schema)
        return facts

    def arms(self, schema: Any) -> tuple[Arm, ...]:
        """Return alternatives that together hold every value of a schema; none if it has none."""
        entry = self._arms.get(id(schema))
        if entry is not None and entry[0] is schema:
            return entry[1]
        self._steps = 0
        self._open.clear()
        try:
            arms = self._opened(schema, 0)
        except RecursionError:  # values that are nested too deeply to be compared
            arms = None
        return _ANYTHING if arms is None else arms

    def _opened(self, schema: Any, depth: int) -> _Arms:
        if schema is False:
            return ()
        if not is_object(schema):
            return _ANYTHING
        entry = self._arms.get(id(schema))
        if entry is not None and entry[0] is schema:
            return entry[1]
        self._steps += 1
        if id(schema) in self._open:
            self._is_cut = True
            return None
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            return (Arm({}, frozenset(("depth",))),)
        self._open.add(id(schema))
        is_cut, self._is_cut = self._is_cut, False
        arms = self._combined(self.document.modern(schema), schema, depth)
        self._open.discard(id(schema))
        if not self._is_cut or not self._open:  # else it depends on where one came from
            self._arms[id(schema)] = schema, arms
        self._is_cut = self._is_cut or is_cut
        return arms

    def _combined(self, node: JsonObject, schema: JsonObject, depth: int) -> tuple[Arm, ...]:
        own_schema = own_part(node)
        if own_schema is node:
            return (Arm(node),)
        parts = combined(node)
        arms: tuple[Arm, ...] = (Arm(own_schema),)
        if parts.reference is not None:
            arms = self._times(arms, self._referred(node, schema, depth), "$ref")
        for part in parts.all_of:
            arms = self._times(arms, self._opened(part, depth + 1), "allOf")
        for key, union in (("anyOf", parts.any_of), ("oneOf", parts.one_of)):
            if union:
                opened = [self._opened(arm, depth + 1) for arm in union]
                if any(branch is not None for branch in opened):
                    flat = tuple(arm for branch in opened if branch is not None for arm in branch)
                    arms = self._times(arms, flat, key, titled=True)
        return arms

    def _referred(self, node: JsonObject, schema: JsonObject, depth: int) -> _Arms:
        # The place of a reference is that of the schema as it is written.
        target = self.document.resolve(combined(node).reference or "", schema)
        if target is MISSING or self.document.is_dynamic(schema):
            return (Arm({}, frozenset(("$ref" if "$ref" in schema else "$dynamicRef",))),)
        return self._opened(target, depth + 1)

    def _times(
        self, arms: tuple[Arm, ...], others: _Arms, key: str, *, titled: bool = False
    ) -> tuple[Arm, ...]:
        """Return the alternatives of what fits both; `titled` ones have their own names."""
        if others is None:
            return arms
        if len(arms) * len(others) > _MOST_ARMS:
            return tuple(Arm(arm.schema, arm.unread | {key}) for arm in arms)
        products: list[Arm] = []
        for arm in arms:
            for factor in others:
                self._steps += 1
                lost: set[str] = set()
                first, second = (factor, arm) if titled else (arm, factor)
                both = merge(first.schema, second.schema, lost)
                if both is not None:
                    products.append(Arm(both, arm.unread | factor.unread | lost))
        return tuple(products)

    # -- kinds

    def kinds(self, arm: Arm) -> tuple[frozenset[str], frozenset[str]]:
        """Return the kinds of an alternative's values, and keywords that may leave fewer."""
        node = arm.schema
        values = listed_values(node)
        kinds = kinds_named(node.get("type"))
        if values is not None:
            kinds = frozenset(map(kind_of, values))
        unread = set(arm.unread | (node.keys() & {"disallow"}))
        if not node.keys() & _LOGIC:
            return kinds, frozenset(unread)
        if self._depth >= _MOST_LOGIC:  # it may lead back here
            return kinds, frozenset(unread | (node.keys() & _LOGIC))
        self._depth += 1
        try:
            if "not" in node:
                excluded = self._whole(node["not"])
                kinds -= frozenset[str]() if excluded is None else excluded
                unread |= {"not"} if excluded is None else set[str]()
            if "if" in node and ("then" in node or "else" in node):
                kinds, is_read = self._conditional(node, kinds)
                unread |= set[str]() if is_read else {"if"}
        finally:
            self._depth -= 1
        return kinds, frozenset(unread)

    def _conditional(self, node: JsonObject, kinds: frozenset[str]) -> tuple[frozenset[str], bool]:
        """Return the kinds that `if` leaves, and whether it leaves no fewer."""
        matching = self._whole(node["if"])
        then, otherwise = (
            self.facts(node[key]).kinds if key in node else frozenset(KINDS)
            for key in ("then", "else")
        )
        if matching is None:
            return kinds & (then | otherwise), False
        return (kinds & matching & then) | ((kinds - matching) & otherwise), True

    def _whole(self, schema: Any) -> frozenset[str] | None:
        """Return the kinds of which every value fits a schema, and others none; None if unclear."""
        arms = self.arms(schema)
        if any(arm.unread or arm.schema.keys() - _SILENT - {"type"} for arm in arms):
            return None
        return frozenset[str]().union(*(kinds_named(arm.schema.get("type")) for arm in arms))


class Facts:
    """What one schema says; each fact is worked out when it is asked for."""

    def __init__(self, reader: SchemaReader, schema: Any) -> None:
        self._reader = reader
        self.schema = schema

    @cached_property
    def arms(self) -> tuple[JsonObject, ...]:
        """Its alternatives, without references and combinations; none if nothing fits."""
        return tuple(arm.schema for arm in self._reader.arms(self.schema))

    @cached_property
    def _kinds(self) -> tuple[frozenset[str], frozenset[str]]:
        pairs = [self._reader.kinds(arm) for arm in self._reader.arms(self.schema)]
        kinds = frozenset[str]().union(*(kinds for kinds, _ in pairs))
        return kinds, frozenset[str]().union(*(unread for _, unread in pairs))

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its values: `number` for numbers that need not be integers."""
        return self._kinds[0]

    @property
    def unread(self) -> frozenset[str]:
        """Keywords that may leave fewer kinds than `kinds` names, and were not read."""
        return self._kinds[1]

    @property
    def is_anything(self) -> bool:
        """Whether it names no kinds."""
        return len(self.kinds) == len(KINDS)

    def is_only(self, *kinds: str) -> bool:
        """Return whether its values are of these kinds, and of no others."""
        return self.kinds == frozenset(kinds)

    @cached_property
    def values(self) -> list[Any] | None:
        """Its values, if it lists them all: in `enum` and `const`, and null; booleans are not."""
        values: list[Any] = []
        for arm in self.arms:
            listed = listed_values(arm)
            if listed is not None:
                values += listed
            elif arm.get("type") != "null":
                return None
        return values or None

    @cached_property
    def properties(self) -> Mapping[str, Any]:
        """The schemas of its properties that are named, by name."""
        by_name: dict[str, Any] = {}
        for arm in self.arms:
            properties = arm.get("properties")
            for name, part in properties.items() if is_object(properties) else ():
                earlier = by_name.get(name, part)
                by_name[name] = (
                    part if earlier is part or earlier == part else {"anyOf": [earlier, part]}
                )
        return by_name

    @cached_property
    def required(self) -> list[str]:
        """The names that every object of it must have."""
        names_of_arms = [
            _names(arm) for arm in self.arms if "object" in kinds_named(arm.get("type"))
        ]
        first, *further = names_of_arms or [[]]
        return [name for name in first if all(name in names for names in further)]

    @cached_property
    def item(self) -> Any:
        """The schema of its items that have no place of their own; True if nothing is said."""
        return next((arm["items"] for arm in self.arms if "items" in arm), True)

    @cached_property
    def description(self) -> str:
        """The nearest description: its own, or that of what it refers to."""
        node = self.schema
        own_description = node.get("description") if is_object(node) else None
        texts = (own_description, *(arm.get("description") for arm in self.arms))
        return next((text.strip() for text in texts if isinstance(text, str) and text.strip()), "")

    def keyword(self, key: str, default: Any = None) -> Any:
        """Return the value of a keyword that all alternatives have in common, null left out."""
        values = [arm.get(key, default) for arm in self.arms if arm.get("type") != "null"]
        same = bool(values) and all(value == values[0] for value in values)
        return values[0] if same else default

    def inner(self, key: str) -> Facts:
        """Return what the schema of a property says."""
        return self._reader.facts(self.properties.get(key, True))

    @cached_property
    def items(self) -> Facts:
        """What the schema of its items says."""
        return self._reader.facts(self.item)


def facts(schema: Any, *, draft: int = 2020, nullable: bool = False) -> Facts:
    """Return what a whole schema says.

    >>> sorted(facts({"type": ["string", "null"], "anyOf": [{"minLength": 1}]}).kinds)
    ['null', 'string']
    """
    return SchemaReader(Document(schema, draft=draft, nullable=nullable)).facts()


def _names(node: JsonObject) -> list[str]:
    names = node.get("required")
    return [name for name in names if isinstance(name, str)] if is_list(names) else []
