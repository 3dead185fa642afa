"""Reads shapes off schemas in normal form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..._json_values import JsonObject, is_list, is_object
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
_MOST_MERGED = 5000
"""The most objects whose fields are put together; references may turn a few into very many."""
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
_JSON_NAMES = {"str": "string", "NoneType": "null", "list": "array", "dict": "object"}
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
        self.count = self.merged = 0
        self.root: JsonObject = {}
        self.referred: dict[str, SchemaShape] = {}
        self.open: set[str] = set()
        self.seen: dict[str, RecordShape] = {}

    def fields(self, schema: JsonObject, owner: str) -> list[RecordField]:
        """Return the parameters that an input schema describes: required ones first."""
        self._enter(schema)
        found = self._fields(schema, owner)
        return sorted(found, key=lambda each: not each.required)

    def shape(self, schema: JsonObject, name: str) -> SchemaShape:
        """Return the shape of a value; records without a name of their own get this one."""
        self._enter(schema)
        return self._shape(schema, name)

    def _enter(self, schema: JsonObject) -> None:
        self.root = schema
        self.referred, self.open, self.seen = {}, set(), {}
        self.count = self.merged = 0

    # -- nodes

    def _shape(self, node: JsonObject, name: str) -> SchemaShape:
        if "$ref" in node:
            return self._reference(str(node["$ref"]).removeprefix("#/$defs/"))
        if "const" in node:
            return _literals([node["const"]])
        if "enum" in node:
            kinds = _kinds(node)
            values = [each for each in node["enum"] if not kinds or _is_of(each, kinds)]
            return _literals(values)
        own = union_of([self._of_kind(kind, node, name) for kind in _kinds(node)] or [ANY])
        if own == ANY and "type" not in node:
            if is_object(node.get("properties")) and node["properties"]:
                own = self._object(node, name)
            elif "items" in node or "prefixItems" in node:
                own = self._array(node, name)
        return self._combined(node, own, name)

    def _combined(self, node: JsonObject, own: SchemaShape, name: str) -> SchemaShape:
        """Return what alternatives say, where the node itself says less."""
        if not _is_vague(own):
            return own
        if "allOf" in node:
            merged = self._all_of(node, name)
            if not _is_vague(merged):
                return merged
        for word in ("anyOf", "oneOf"):
            if word in node:
                arms = [self._arm(node, arm, name) for arm in node[word]]
                found = union_of(arms)
                return own if found == ANY else found
        return own

    def _arm(self, node: JsonObject, arm: JsonObject, name: str) -> SchemaShape:
        """Return the shape of an alternative; one type may be given for all of them."""
        if "type" in node and not {"type", "$ref", "enum", "const"} & arm.keys():
            return self._shape({"type": node["type"], **arm}, name)
        return self._shape(arm, str(arm.get("title") or name))

    def _all_of(self, node: JsonObject, name: str) -> SchemaShape:
        if len(node["allOf"]) == 1 and "properties" not in node:
            return self._shape(node["allOf"][0], name)
        if any(_kinds(self.opened(arm)) == ["object"] for arm in node["allOf"]):
            return self._object({"type": "object", **node}, name)
        shapes = [self._shape(arm, name) for arm in node["allOf"]]
        return next((each for each in shapes if not _is_vague(each)), ANY)

    def _reference(self, key: str) -> SchemaShape:
        known = self.seen.get(key) or self.referred.get(key)
        if known is not None:
            return known
        if key in self.open:
            return ANY  # it refers to itself, and is not a record, which could be named
        self.open.add(key)
        target: JsonObject = self.root.get("$defs", {}).get(key, {})
        self.referred[key] = self._shape(target, key)
        self.open.discard(key)
        return self.referred[key]

    def opened(self, node: JsonObject) -> JsonObject:
        """Follow references to the first node that is not one."""
        for _ in range(20):
            if "$ref" not in node:
                break
            node = self.root.get("$defs", {}).get(str(node["$ref"]).removeprefix("#/$defs/"), {})
        return node

    # -- kinds

    def _of_kind(self, kind: str, node: JsonObject, name: str) -> SchemaShape:
        if kind == "object":
            return self._object(node, name)
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
                parts = [self._shape(each, f"{name} {at}") for at, each in enumerate(first, 1)]
                return TupleShape(tuple(parts))
            items = {}
        kinds = [self._shape(each, f"{name} item") for each in first[:_LONGEST_TUPLE]]
        if not first or not fixed:
            kinds.append(self._shape(items, f"{name} item"))
        return ListShape(union_of(kinds))

    def _object(self, node: JsonObject, name: str) -> SchemaShape:
        rest: Any = node.get("additionalProperties")
        has_names = bool(node.get("properties") or "allOf" in node)
        if rest is True or (is_object(rest) and rest != {"not": {}}) or not has_names:
            return self._map(node, rest, name)
        if self.count >= _MOST_RECORDS:
            return MapShape(ANY)
        self.count += 1
        title = str(node.get("title") or name)
        said = str(node.get("description", ""))
        record = RecordShape(self._class_name(title), said, class_name(title))
        if name in self.open and self._is_target(node, name):
            self.seen[name] = record  # what is inside may refer to it
        record.fields = self._fields(node, record.name)
        return record

    def _is_target(self, node: JsonObject, key: str) -> bool:
        return self.root.get("$defs", {}).get(key) is node

    def _map(self, node: JsonObject, rest: Any, name: str) -> SchemaShape:
        values: list[JsonObject] = list(node.get("patternProperties", {}).values())
        if node.get("properties"):
            return MapShape(ANY)
        if is_object(rest) and rest != {"not": {}}:
            values.append(rest)
        elif rest is True or (rest is None and not values):
            values.append({})
        shapes = [self._shape(each, f"{name} value") for each in values[:_LONGEST_TUPLE]]
        return MapShape(union_of(shapes))

    def _fields(self, node: JsonObject, owner: str, depth: int = 0) -> list[RecordField]:
        """Return the fields of an object, those of its combinators included."""
        self.merged += 1
        if self.merged > _MOST_MERGED:
            return []
        node = self.opened(node)
        named: JsonObject = node.get("properties", {})
        required = set(node.get("required", ()))
        found: dict[str, RecordField] = {}
        for name, part in named.items():
            found[name] = self._field(name, part, f"{owner} {name}", name in required)
        for arm in node.get("allOf", ())[:_LONGEST_TUPLE] if depth < 5 else ():
            for each in self._fields(arm, owner, depth + 1):
                known = found.get(each.name, each)
                found[each.name] = replace(known, required=known.required or each.required)
        if not named and depth < 5:
            for word in ("anyOf", "oneOf"):
                arms = [self._fields(arm, owner, depth + 1) for arm in node.get(word, ())]
                for each in _of_any(arms):
                    found.setdefault(each.name, each)
        for name in required - found.keys():
            found[name] = RecordField(name, ANY, required=True)
        for name in required & found.keys():
            found[name] = replace(found[name], required=True)
        return list(found.values())

    def _field(self, name: str, node: JsonObject, path: str, required: bool) -> RecordField:  # noqa: FBT001
        shape = self._shape(node, path)
        target = self.opened(node)
        description = node.get("description", target.get("description", ""))
        holder = node if "default" in node else target
        return RecordField(
            name, shape, required, description, "default" in holder, holder.get("default")
        )

    def _class_name(self, text: str) -> str:
        stem = made = class_name(text)
        number = 2
        while made in self.taken:
            made = f"{stem}{number}"
            number += 1
        self.taken.add(made)
        return made


def _of_any(arms: Iterable[list[RecordField]]) -> list[RecordField]:
    """Return the fields of alternatives: those that all of them require are required."""
    given = list(arms)
    merged: dict[str, list[RecordField]] = {}
    for fields in given:
        for each in fields:
            merged.setdefault(each.name, []).append(each)
    return [
        replace(
            found[0],
            shape=union_of([each.shape for each in found]),
            required=len(found) == len(given) and all(each.required for each in found),
        )
        for found in merged.values()
    ]


def _kinds(node: JsonObject) -> list[str]:
    given: Any = node.get("type")
    kinds: list[str] = given if is_list(given) else [given] if given else []
    return [each for each in kinds if not (each == "integer" and "number" in kinds)]


def _is_of(value: Any, kinds: list[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, int | float):
        return "number" in kinds or ("integer" in kinds and value == value // 1)
    return _JSON_NAMES.get(type(value).__name__, "") in kinds


def _literals(values: list[Any]) -> SchemaShape:
    """Return the shape of an enumeration; one that `Literal` cannot hold becomes its types."""
    if 0 < len(values) <= _MOST_LITERALS and all(map(_is_literal, values)):
        only = LiteralShape(unique_values([each for each in values if each is not None]))
        arms: list[SchemaShape] = [only] if only.values else []
        return union_of([*arms, NONE] if None in values else arms)
    return union_of([_TYPES.get(type(each).__name__, ANY) for each in values] or [ANY])


def _is_literal(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST_LITERAL and not any("\ud800" <= c <= "\udfff" for c in value)
    if isinstance(value, bool) or value is None:
        return True
    return isinstance(value, int) and value.bit_length() < 1000


def _is_vague(shape: SchemaShape) -> bool:
    return shape in (ANY, MapShape(ANY), ListShape(ANY))


def optional(shape: SchemaShape) -> SchemaShape:
    """Return a shape that also admits None."""
    return shape if admits_none(shape) else union_of([shape, NONE])
