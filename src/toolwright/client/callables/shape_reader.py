"""Reads shapes off schemas in normal form."""

from __future__ import annotations

from typing import Any

from ..._json_values import JsonObject, is_list, is_object, kind_of
from ...json_schema.build import REF_PREFIX
from ...json_schema.document import Document, combined, own_part
from ...json_schema.drafts import NOTES
from ...json_schema.facts import Arm, SchemaReader
from ...json_schema.merge import KINDS, listed_values
from .names import class_name
from .shapes import (
    ANY,
    NONE,
    ListShape,
    LiteralShape,
    MapShape,
    PlainShape,
    RecordField,
    RecordShape,
    SchemaShape,
    TupleShape,
    admits_none,
    union_of,
    unique_values,
)

_MOST_RECORDS = 500
_MOST_STEPS = 20_000
"""The most schemas that are looked at; references may turn a few into very many."""
_DEEPEST = 60
_MOST_LITERALS = 200
_LONGEST_LITERAL = 200
_LONGEST_TUPLE = 20
_KINDS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_FORMATS = {
    "date-time": "datetime",
    "date": "date",
    "time": "time",
    "duration": "timedelta",
    "uuid": "UUID",
    "path": "Path",
    "file-path": "Path",
    "directory-path": "Path",
    "Path": "Path",
}
_ORDER = ("string", "integer", "number", "boolean", "array", "object", "null")
_NOTES = frozenset((*NOTES, "$defs"))
UNSAID: Any = object()
_TYPES: dict[str, SchemaShape] = {
    **{name: PlainShape(name) for name in ("bool", "int", "float", "str")},
    "NoneType": NONE,
    "list": ListShape(ANY),
    "dict": MapShape(ANY),
}


class ShapeReader:
    """Reads the shapes of one tool's schemas; class names are unique among all that it reads."""

    def __init__(self, *, formats: bool = False, taken: set[str] | None = None) -> None:
        self.formats = formats
        self.taken: set[str] = set() if taken is None else taken
        self.count = self.depth = self.steps = 0
        self.root: JsonObject = {}
        self.reader = SchemaReader(Document({}))
        self.referred: dict[str, SchemaShape] = {}
        self.open: set[str] = set()
        self.seen: dict[str, RecordShape] = {}

    def fields(self, schema: JsonObject, owner: str) -> list[RecordField]:
        """Return the parameters that an input schema describes: required ones first."""
        self._enter(schema)
        fields = self._fields(schema, owner)
        return sorted(fields, key=lambda each: not each.required)

    def shape(self, schema: JsonObject, name: str) -> SchemaShape:
        """Return the shape of a value; records without a name of their own get this one."""
        self._enter(schema)
        return self._shape(schema, name)

    def _enter(self, schema: JsonObject) -> None:
        self.root = schema
        self.reader = SchemaReader(Document(schema))
        self.referred, self.open, self.seen = {}, set(), {}
        self.count = self.depth = self.steps = 0

    # -- nodes

    def _shape(self, node: Any, name: str) -> SchemaShape:
        if not is_object(node) or self.depth > _DEEPEST or self.steps > _MOST_STEPS:
            return ANY
        self.depth += 1
        self.steps += 1
        try:
            return self._opened(node, name)
        finally:
            self.depth -= 1

    def _opened(self, node: JsonObject, name: str) -> SchemaShape:
        parts = combined(node)
        if own_part(node).keys() <= _NOTES:  # nothing has to be put together
            if parts.reference is not None and not parts.arms:
                return self._reference(parts.reference)
            unions = list(parts.unions())
            if len(unions) == 1 and parts.reference is None and not parts.all_of:
                return union_of([self._shape(arm, _title(arm) or name) for arm in unions[0]])
            if len(parts.arms) == 1 and parts.reference is None:
                return self._shape(parts.arms[0], name)
        if own_part(node).get("properties") and self.reader.facts(node).is_only("object"):
            return self._object(node, name, self._key(node, name))  # of which parts say more
        arms = self.reader.arms(node)
        return union_of([self._arm(arm, node, name, alone=len(arms) == 1) for arm in arms])

    def _arm(self, arm: Arm, node: JsonObject, name: str, *, alone: bool) -> SchemaShape:
        """Return the shape of an alternative of a node."""
        kinds, _ = self.reader.kinds(arm)
        values = listed_values(arm.schema)
        if values is not None:
            return _literals([value for value in values if kind_of(value) in kinds])
        if len(kinds) == len(KINDS):
            return ANY
        declared: Any = arm.schema.get("type")
        ordered = [kind for kind in (declared if is_list(declared) else _ORDER) if kind in kinds]
        if "number" in kinds and "integer" in ordered:
            ordered.remove("integer")
        key = self._key(node, name) if alone else ""
        return union_of([self._of_kind(kind, arm.schema, name, key) for kind in ordered])

    def _reference(self, reference: str) -> SchemaShape:
        key = reference.removeprefix(REF_PREFIX)
        shape = self.seen.get(key) or self.referred.get(key)
        if shape is not None:
            return shape
        if key in self.open:
            return ANY  # it refers to itself, and is not a record, which could be named
        self.open.add(key)
        self.referred[key] = self._shape(self.root.get("$defs", {}).get(key, {}), key)
        self.open.discard(key)
        return self.referred[key]

    # -- kinds

    def _of_kind(self, kind: str, node: JsonObject, name: str, key: str) -> SchemaShape:
        if kind == "object":
            return self._object(node, name, key)
        if kind == "array":
            return self._array(node, name)
        if kind == "string" and self.formats and node.get("format") in _FORMATS:
            return PlainShape(_FORMATS[node["format"]])
        return NONE if kind == "null" else PlainShape(_KINDS[kind])

    def _array(self, node: JsonObject, name: str) -> SchemaShape:
        first: list[JsonObject] = node.get("prefixItems", [])
        items: Any = node.get("items", {})
        fixed = items == {"not": {}} or node.get("maxItems") == len(first)
        if first and fixed and len(first) <= _LONGEST_TUPLE:
            if node.get("minItems", 0) >= len(first):
                parts = [
                    self._shape(item, f"{name} {number}") for number, item in enumerate(first, 1)
                ]
                return TupleShape(tuple(parts))
            items = {}
        kinds = [self._shape(item, f"{name} item") for item in first[:_LONGEST_TUPLE]]
        if not first or not fixed:
            kinds.append(self._shape(items, f"{name} item"))
        return ListShape(union_of(kinds))

    def _object(self, node: JsonObject, name: str, key: str) -> SchemaShape:
        if not self.reader.facts(node).properties:
            return self._map(node, name)
        if self.count >= _MOST_RECORDS:
            return MapShape(ANY)
        self.count += 1
        title = str(node.get("title") or name)
        description = str(node.get("description", ""))
        record = RecordShape(self._class_name(title), description, class_name(title))
        if key:
            self.seen[key] = record  # what is inside may refer to it
        record.fields = self._fields(node, record.name)
        return record

    def _key(self, node: JsonObject, name: str) -> str:
        """Return the name of a node that is a definition; else nothing."""
        is_target = name in self.open and self.root.get("$defs", {}).get(name) is node
        return name if is_target else ""

    def _map(self, node: JsonObject, name: str) -> SchemaShape:
        extra: Any = node.get("additionalProperties")
        values: list[Any] = list(node.get("patternProperties", {}).values())
        if extra is not None and extra != {"not": {}}:
            values.append(extra)
        elif extra is None and not values:
            values.append({})
        shapes = [
            self._shape(value_schema, f"{name} value") for value_schema in values[:_LONGEST_TUPLE]
        ]
        return MapShape(union_of(shapes))

    def _fields(self, node: Any, owner: str) -> list[RecordField]:
        """Return the fields of an object, those of its combinators included."""
        facts = self.reader.facts(node)
        required = dict.fromkeys(facts.required)
        fields = [
            self._field(name, part, f"{owner} {name}", name in required)
            for name, part in facts.properties.items()
            if name in required or self.reader.facts(part).kinds
        ]
        unnamed = (name for name in required if name not in facts.properties)
        return [*fields, *(RecordField(name, ANY, required=True) for name in unnamed)]

    def _field(self, name: str, node: Any, path: str, required: bool) -> RecordField:  # noqa: FBT001
        shape = self._shape(node, path)
        facts = self.reader.facts(node)
        default = facts.keyword("default", UNSAID)
        own_default = node.get("default", default) if is_object(node) else default
        has_default = own_default is not UNSAID
        return RecordField(
            name,
            shape,
            required,
            facts.description,
            has_default,
            own_default if has_default else None,
        )

    def _class_name(self, text: str) -> str:
        stem = candidate = class_name(text)
        number = 2
        while candidate in self.taken:
            candidate = f"{stem}{number}"
            number += 1
        self.taken.add(candidate)
        return candidate


def _title(node: Any) -> str:
    title = node.get("title") if is_object(node) else None
    return title if isinstance(title, str) else ""


def _literals(values: list[Any]) -> SchemaShape:
    """Return the shape of an enumeration; one that `Literal` cannot hold becomes its types."""
    values = [int(member) if kind_of(member) == "integer" else member for member in values]
    if 0 < len(values) <= _MOST_LITERALS and all(map(_is_literal, values)):
        only = LiteralShape(unique_values([member for member in values if member is not None]))
        arms: list[SchemaShape] = [only] if only.values else []
        return union_of([*arms, NONE] if None in values else arms)
    return union_of([_TYPES.get(type(member).__name__, ANY) for member in values] or [ANY])


def _is_literal(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_LITERAL and not any("\ud800" <= c <= "\udfff" for c in value)
    if isinstance(value, bool) or value is None:
        return True
    return isinstance(value, int) and value.bit_length() < 1000


def optional(shape: SchemaShape) -> SchemaShape:
    """Return a shape that also admits None."""
    return shape if admits_none(shape) else union_of([shape, NONE])
