"""A JSON Schema of any draft as a small tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..._json_values import JsonObject
from ...json_schema.facts import listed_values
from ...json_schema.facts import merge as merge_keywords

ANY, NEVER, ENUM, UNION, REF = "any", "never", "enum", "union", "ref"
STRING, NUMBER, INTEGER, BOOLEAN, NULL = "string", "number", "integer", "boolean", "null"
ARRAY, OBJECT = "array", "object"
SCALARS = frozenset((STRING, NUMBER, INTEGER, BOOLEAN, NULL))

FAMILIES: dict[str, tuple[str, ...]] = {
    STRING: (
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "contentEncoding",
        "contentMediaType",
    ),
    NUMBER: ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"),
    ARRAY: ("minItems", "maxItems", "uniqueItems"),
    OBJECT: ("minProperties", "maxProperties"),
}
"""Plain limits, by the type that they concern."""
FAMILIES[INTEGER] = FAMILIES[NUMBER]
NOTES = ("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly")
"""Keywords that say something and check nothing."""
RESTS = {
    STRING: ("contentSchema",),
    ARRAY: ("contains", "minContains", "maxContains", "unevaluatedItems"),
    OBJECT: ("dependentRequired", "dependentSchemas", "unevaluatedProperties"),
}
"""Keywords of a type that are only ever kept as they are, or said in words."""
LOGIC = ("not", "if", "then", "else")
"""Keywords of every type that are only ever kept as they are, or said in words."""

_NOTHING: dict[str, Any] = {}
_NONE: list[Any] = []


class SchemaShape:
    """One schema of a tree. Which fields count depends on its kind."""

    __slots__ = (
        "branches",
        "exclusive",
        "extra",
        "items",
        "keys",
        "kind",
        "limits",
        "notes",
        "patterns",
        "prefix",
        "properties",
        "required",
        "rest",
        "target",
        "values",
    )

    def __init__(self, kind: str) -> None:
        # Empty containers are shared: they are replaced, and changed only in a copy.
        self.kind = kind
        self.notes: dict[str, Any] = _NOTHING
        self.limits: dict[str, Any] = _NOTHING
        self.rest: dict[str, Any] = _NOTHING
        """Keywords as they were written: only a dialect that has them can say them."""
        self.values: list[Any] = _NONE
        self.properties: dict[str, SchemaShape] = _NOTHING
        self.required: list[str] = _NONE
        self.extra: SchemaShape | bool | None = None
        """Further properties: None if nothing is said, False if there are none."""
        self.patterns: dict[str, SchemaShape] = _NOTHING
        self.keys: SchemaShape | None = None
        """What the names of properties are like."""
        self.prefix: list[SchemaShape] = _NONE
        self.items: SchemaShape | bool | None = None
        self.branches: list[SchemaShape] = _NONE
        self.exclusive = False
        """Whether just one branch may fit, as with `oneOf`."""
        self.target = ""

    def __repr__(self) -> str:
        return f"<SchemaShape {self.kind}>"

    def copy(self) -> SchemaShape:
        """Return a copy whose containers are its own."""
        duplicate = SchemaShape(self.kind)
        for name in SchemaShape.__slots__:
            value = getattr(self, name)
            setattr(duplicate, name, value.copy() if isinstance(value, dict | list) else value)
        return duplicate

    def noted(self, notes: dict[str, Any]) -> SchemaShape:
        """Return the same shape with other notes, which override its own."""
        if not notes:
            return self
        duplicate = self.copy()
        duplicate.notes = {**self.notes, **notes}
        return duplicate

    @property
    def is_map(self) -> bool:
        """Whether it is an object with undeclared keys."""
        return self.kind == OBJECT and not self.properties and self.extra is not False

    @property
    def is_bare(self) -> bool:
        """Whether nothing but its kind is said."""
        return not (self.limits or self.rest or self.prefix or self.properties or self.patterns)

    @property
    def is_free(self) -> bool:
        """Whether every value of its kind fits."""
        if not self.is_bare or self.required or self.keys is not None:
            return False
        content = self.items if self.kind == ARRAY else self.extra
        return (
            content is None
            or content is True
            or (isinstance(content, SchemaShape) and content.kind == ANY)
        )


def enum_of(values: Iterable[Any]) -> SchemaShape:
    """Return the shape of some values."""
    shape = SchemaShape(ENUM)
    shape.values = list(values)
    return shape


def union_of(branches: Iterable[SchemaShape], *, exclusive: bool = False) -> SchemaShape:
    """Return the shape of what fits one of several; unions inside unions are taken apart."""
    flat: list[SchemaShape] = []
    for branch in branches:
        if branch.kind == UNION and not branch.notes and not branch.rest and not branch.exclusive:
            flat.extend(branch.branches)
        elif branch.kind != NEVER:
            flat.append(branch)
    if not flat:
        return SchemaShape(NEVER)
    if len(flat) == 1:
        return flat[0]
    if _is_everything(flat):
        return SchemaShape(ANY)
    union = SchemaShape(UNION)
    union.branches, union.exclusive = flat, exclusive
    return union


def _is_everything(branches: list[SchemaShape]) -> bool:
    """Return whether any JSON value fits one of the branches: how Any is written portably."""
    kinds = {
        branch.kind
        for branch in branches
        if (branch.kind in SCALARS and branch.is_bare)
        or (branch.kind in (ARRAY, OBJECT) and branch.is_free)
    }
    return {STRING, NUMBER, BOOLEAN, NULL, ARRAY, OBJECT} <= kinds


_MOST_BRANCHES = 64
_KEYWORDS = {
    "properties": "properties",
    "required": "required",
    "extra": "additionalProperties",
    "patterns": "patternProperties",
    "keys": "propertyNames",
    "prefix": "prefixItems",
    "items": "items",
}
"""Fields that are one keyword of a schema."""

Resolve = Callable[[str], SchemaShape | None]


class Unmergeable(Exception):
    """Two shapes cannot be written as one."""


def merge(one: SchemaShape, other: SchemaShape, resolve: Resolve) -> SchemaShape:
    """Return the shape of what fits both; the notes of the first count more.

    `resolve` gives the shape that a reference leads to, or None while that is being read. Raises
    `Unmergeable`.
    """
    notes = {**other.notes, **one.notes}
    if one.kind == ANY and not one.rest:
        return other.noted(one.notes)
    if other.kind == ANY and not other.rest:
        return one.noted({key: note for key, note in other.notes.items() if key not in one.notes})
    if REF in (one.kind, other.kind):
        merged = merge(_resolved(one, resolve), _resolved(other, resolve), resolve)
    elif UNION in (one.kind, other.kind):
        union, factor = (one, other) if one.kind == UNION else (other, one)
        merged = _distributed(union, factor, resolve)
    else:
        merged = _merged(one, other, resolve)
    return merged.noted(notes) if merged.notes != notes else merged


def _resolved(shape: SchemaShape, resolve: Resolve) -> SchemaShape:
    if shape.kind != REF:
        return shape
    target = resolve(shape.target)
    if target is None or shape.rest:
        raise Unmergeable
    return target.noted(shape.notes)


def _distributed(union: SchemaShape, rest: SchemaShape, resolve: Resolve) -> SchemaShape:
    branches = rest.branches if rest.kind == UNION else [rest]
    if union.rest or rest.rest or len(union.branches) * len(branches) > _MOST_BRANCHES:
        raise Unmergeable
    if rest.kind == UNION and (union.exclusive or rest.exclusive):
        raise Unmergeable
    products = [merge(branch, factor, resolve) for branch in union.branches for factor in branches]
    return union_of(products, exclusive=union.exclusive)


def _merged(one: SchemaShape, other: SchemaShape, resolve: Resolve) -> SchemaShape:
    """Return the shape of what fits both of two that are neither references nor unions."""
    if ENUM in (one.kind, other.kind) and (one.rest or other.rest):
        raise Unmergeable
    lost: set[str] = set()
    keywords = merge_keywords(
        _keywords(one), _keywords(other), lost, lambda first, second: merge(first, second, resolve)
    )
    if keywords is None:
        return SchemaShape(NEVER)
    if lost or one.rest.keys() & other.rest.keys():
        raise Unmergeable
    if "enum" in keywords:
        return enum_of(listed_values(keywords) or ())
    merged = SchemaShape(keywords.get("type", ANY))
    merged.limits = {key: keywords[key] for key in (*one.limits, *other.limits)}
    merged.rest = {key: keywords[key] for key in (*one.rest, *other.rest)}
    for field, keyword in _KEYWORDS.items():
        if keyword in keywords:
            setattr(merged, field, keywords[keyword])
    if one.extra is True:
        merged.extra = other.extra
    impossible = {  # closed by `False`, or nothing fits both
        key for key, part in merged.properties.items() if getattr(part, "kind", NEVER) == NEVER
    }
    # Nothing fits, or the items of one would follow the positions of the other: that is better left
    # as it was written.
    if impossible & set(merged.required) or merged.prefix not in ([], one.prefix, other.prefix):
        raise Unmergeable
    merged.properties = {k: part for k, part in merged.properties.items() if k not in impossible}
    return merged


def _keywords(shape: SchemaShape) -> JsonObject:
    """Return what a shape says as a schema, inside which there are shapes."""
    if shape.kind == ENUM:
        return {"enum": shape.values}
    fields = {keyword: getattr(shape, field) for field, keyword in _KEYWORDS.items()}
    fields = {keyword: value for keyword, value in fields.items() if value not in (None, [], {})}
    typed = {} if shape.kind == ANY else {"type": shape.kind}
    return {**typed, **fields, **shape.limits, **shape.rest}
