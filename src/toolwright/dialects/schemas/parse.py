"""From a JSON Schema of any draft to a shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..._json_values import JsonObject, is_list, is_object, kind_of
from ...json_schema.document import COMBINING, MISSING, Document, combined, typed
from ...json_schema.facts import KINDS, SchemaReader
from .shapes import (
    ANY,
    ARRAY,
    BOOLEAN,
    ENUM,
    FAMILIES,
    INTEGER,
    LOGIC,
    NEVER,
    NOTES,
    NULL,
    NUMBER,
    OBJECT,
    REF,
    RESTS,
    STRING,
    SchemaShape,
    Unmergeable,
    enum_of,
    merge,
    union_of,
)

_TYPES = frozenset((STRING, NUMBER, INTEGER, BOOLEAN, NULL, ARRAY, OBJECT))
_STRUCTURE = {
    ARRAY: ("items", "prefixItems"),
    OBJECT: (
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "propertyNames",
    ),
}
_SIGNS = {
    STRING: ("minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"),
    NUMBER: ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    ARRAY: (*FAMILIES[ARRAY], *_STRUCTURE[ARRAY], *RESTS[ARRAY]),
    OBJECT: (*FAMILIES[OBJECT], *_STRUCTURE[OBJECT], *RESTS[OBJECT]),
}
"""What a schema without a type is about."""
_TEXTS = frozenset(("pattern", "format", "contentEncoding", "contentMediaType"))
_COMBINED = ("allOf", "anyOf", "oneOf")
_NAMES_TYPES = frozenset((*COMBINING, "type", "enum", "const"))
_IGNORED = frozenset(
    ("$schema", "$id", "id", "$defs", "definitions", "$anchor", "$dynamicAnchor", "$comment")
)


class ParsedDocument:
    """One schema, read as far as it is needed."""

    def __init__(self, document: Any) -> None:
        self._document = Document(document)
        self._reader = SchemaReader(self._document)
        self._targets: dict[str, Any] = {}
        self._known: dict[str, SchemaShape] = {}
        self._reading: list[str] = []
        self.recursive: set[str] = set()
        """References that lead back to themselves."""
        self.lost: list[str] = []
        """References that lead nowhere in the document."""
        self.root = self.parse(document)
        self.root = _untitled(self.root, None)
        while self.root.kind == REF:
            target_shape = self.shape_of(self.root.target)
            if self.root.target in self.recursive and target_shape.kind == REF:
                target_shape = SchemaShape(ANY)
            self.root = target_shape.noted(self.root.notes)

    def shape_of(self, target: str) -> SchemaShape:
        """Return what a reference leads to."""
        return self._shape_of(target) or SchemaShape(ANY)

    def _shape_of(self, target: str) -> SchemaShape | None:
        """Return what a reference leads to; None while that is being read."""
        if target in self._known:
            return self._known[target]
        if target in self._reading:
            self.recursive.update(self._reading[self._reading.index(target) :])
            return None
        node = self._targets.get(target, MISSING)
        if not isinstance(node, dict | bool):
            self.lost.append(target)
            self._known[target] = SchemaShape(ANY)
            return self._known[target]
        self._reading.append(target)
        self._known[target] = shape = _untitled(self.parse(node), target.rpartition("/")[2])
        self._reading.pop()
        return shape

    def parse(self, node: Any) -> SchemaShape:
        """Return the shape of a schema, or of a part of the document."""
        if node is False:
            return SchemaShape(NEVER)
        if not is_object(node) or not node:
            return SchemaShape(ANY)
        place, node = node, self._document.modern(node)
        notes = {key: node[key] for key in NOTES if key in node and _is_note(key, node[key])}
        reference = combined(node).reference
        if reference is not None:
            self._targets.setdefault(reference, self._document.resolve(reference, place))
            return self._referring(reference, node, place).noted(notes)
        shape = self._plain(node)
        for part in combined(node).all_of:
            part_shape = self.parse(self._typed(part, place))
            unmerged = [*shape.rest.get("allOf", ()), part]
            shape = self._with(shape, part_shape, "allOf", unmerged)
        for key in ("anyOf", "oneOf"):
            if is_list(node.get(key)) and node[key]:
                shape = self._with_union(shape, node, key, place)
        return shape.noted(notes)

    def _typed(self, part: Any, place: JsonObject) -> Any:
        """Return a part of a schema with the types of the whole, if it names none itself."""
        kinds = self._reader.facts(place).kinds
        if not is_object(part) or part.keys() & _NAMES_TYPES or len(kinds) in (0, len(KINDS)):
            return part
        return {**typed(kind for kind in KINDS if kind in kinds), **part}

    def _referring(self, reference: str, node: JsonObject, place: JsonObject) -> SchemaShape:
        reference_shape = SchemaShape(REF)
        reference_shape.target = reference
        self._shape_of(reference)  # read it, and note whether it leads back here
        siblings = {
            key: value
            for key, value in node.items()
            if key not in ("$ref", "$dynamicRef") and key not in NOTES and key not in _IGNORED
        }
        if not siblings:
            return reference_shape
        try:
            return merge(self.parse(self._typed(siblings, place)), reference_shape, self._shape_of)
        except Unmergeable:
            reference_shape.rest = {"allOf": [siblings]}
            return reference_shape

    def _with(
        self, shape: SchemaShape, other: SchemaShape, key: str, written: list[Any]
    ) -> SchemaShape:
        """Return what fits both; what cannot be merged is kept as it was written."""
        try:
            return merge(shape, other, self._shape_of)
        except Unmergeable:
            return _with_rest(shape, {key: written})

    def _with_union(
        self, shape: SchemaShape, node: JsonObject, key: str, place: JsonObject
    ) -> SchemaShape:
        branch_nodes = node[key]
        if shape.properties and all(_only_requires(branch) for branch in branch_nodes):
            # Merged, each branch would repeat every property.
            return _with_rest(shape, {key: branch_nodes})
        branches = [self.parse(self._typed(branch, place)) for branch in branch_nodes]
        return self._with(shape, union_of(branches, exclusive=key == "oneOf"), key, branch_nodes)

    def _plain(self, node: JsonObject) -> SchemaShape:
        """Return the shape of a schema, without the keywords that combine others."""
        kinds = _kinds(node)
        if "const" in node or "enum" in node:
            shape = _values(node, kinds)
        elif kinds:
            shape = union_of(self._of_kind(node, kind) for kind in kinds)
        else:
            shape = SchemaShape(ANY)
        logic = {key: node[key] for key in LOGIC if key in node}
        return shape if not logic or shape.kind == NEVER else _with_rest(shape, logic)

    def _of_kind(self, node: JsonObject, kind: str) -> SchemaShape:
        shape = SchemaShape(kind)
        shape.limits = {
            key: node[key]
            for key in FAMILIES.get(kind, ())
            if key in node and _is_limit(key, node[key])
        }
        shape.rest = {key: node[key] for key in RESTS.get(kind, ()) if key in node}
        if kind == ARRAY:
            shape.prefix = [self.parse(item_node) for item_node in _listed(node.get("prefixItems"))]
            shape.items = self._part(node, "items")
            if shape.items is False and not shape.prefix:
                shape.limits["maxItems"] = 0
        elif kind == OBJECT:
            self._fill_object(shape, node)
        return shape

    def _fill_object(self, shape: SchemaShape, node: JsonObject) -> None:
        shape.properties = dict(self._parts(node, "properties"))
        shape.patterns = dict(self._parts(node, "patternProperties"))
        shape.required = [name for name in _listed(node.get("required")) if isinstance(name, str)]
        shape.extra = self._part(node, "additionalProperties")
        if "propertyNames" in node:
            shape.keys = self.parse(node["propertyNames"])
        for key in shape.required:
            if key not in shape.properties and shape.extra is not False:
                shape.properties[key] = (
                    shape.extra if isinstance(shape.extra, SchemaShape) else SchemaShape(ANY)
                )

    def _part(self, node: JsonObject, key: str) -> SchemaShape | bool | None:
        value = node.get(key)
        if value is None or isinstance(value, bool):
            return value
        shape = self.parse(value)
        return False if shape.kind == NEVER else shape

    def _parts(self, node: JsonObject, key: str) -> Iterator[tuple[str, SchemaShape]]:
        value = node.get(key)
        if is_object(value):
            for name, child in value.items():
                shape = _untitled(self.parse(child), name)
                if shape.kind != NEVER:
                    yield name, shape


def _with_rest(shape: SchemaShape, rest: JsonObject) -> SchemaShape:
    """Return a shape with further keywords that are kept as they were written."""
    extended = shape.copy()
    extended.rest.update(rest)
    return extended


def _untitled(shape: SchemaShape, name: str | None) -> SchemaShape:
    """Return a shape without a title that only repeats its name, as pydantic writes them."""
    title = shape.notes.get("title")
    if title is None or (name is not None and _letters(title) != _letters(name)):
        return shape
    untitled = shape.copy()
    del untitled.notes["title"]
    return untitled


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _is_note(key: str, value: Any) -> bool:
    """Return whether a note has the right type: another server's entries may be wrong."""
    if key in ("title", "description"):
        return isinstance(value, str)
    return is_list(value) if key == "examples" else True


def _is_limit(key: str, value: Any) -> bool:
    if key in _TEXTS:
        return isinstance(value, str)
    if key == "uniqueItems":
        return isinstance(value, bool)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return key in FAMILIES[NUMBER] or value >= 0


def _kinds(node: JsonObject) -> list[str]:
    """Return the types that a schema allows; nothing if any."""
    declared = node.get("type")
    listed = [declared] if isinstance(declared, str) else _listed(declared)
    kinds = list(dict.fromkeys(kind_name for kind_name in listed if kind_name in _TYPES))
    if NUMBER in kinds and INTEGER in kinds:
        kinds.remove(INTEGER)
    if kinds or any(key in node for key in _COMBINED):
        return kinds
    return [kind for kind, signs in _SIGNS.items() if any(key in node for key in signs)][:1]


def _values(node: JsonObject, kinds: list[str]) -> SchemaShape:
    values = [node["const"]] if "const" in node else _listed(node.get("enum"))
    if isinstance(node.get("type"), str | list):
        allowed = {*kinds, INTEGER} if NUMBER in kinds else set(kinds)
        values = [value for value in values if kind_of(value) in allowed]
    shape = enum_of(values)
    shape.kind = ENUM if values else NEVER
    return shape


def _only_requires(branch: Any) -> bool:
    return is_object(branch) and branch.keys() <= {"required", "type", "description", "title"}


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else []
