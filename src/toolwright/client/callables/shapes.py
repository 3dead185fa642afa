"""What schemas say, in Python's terms: names, and shapes for hints.

Both runtime hints and the source of generated modules are made from these.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ..._json_values import JsonObject, is_list, is_object, kind_of
from ..._words import truncate
from ...errors import SchemaError
from ...json_schema.document import NOTES, REF_PREFIX, Document, combined, own_part
from ...json_schema.facts import KINDS, Arm, SchemaReader, listed_values

_LONGEST = 200

# -- names


def python_name(name: str) -> str:
    """Return the Python name for any text: `approval-policy` becomes `approval_policy`.

    Keywords get an underscore at the end, names that begin with a digit one at the front, and the
    empty text is `_`.

    >>> [python_name(each) for each in ("approval-policy", "class", "2d", "", "naïve")]
    ['approval_policy', 'class_', '_2d', '_', 'naïve']
    """
    identifier = "".join(char if _may_stand(char) else "_" for char in name[:_LONGEST]) or "_"
    if not identifier.isidentifier():
        identifier = f"_{identifier}"
    # Soft keywords are names like any other; `_` is one of them.
    return (
        f"{identifier}_"
        if keyword.iskeyword(identifier) or identifier == "__debug__"
        else identifier
    )


def _may_stand(char: str) -> bool:
    """Return whether a character may be in a name, and means what it shows there.

    Python reads names in their compatibility form, so one that changes could hide a keyword.
    """
    return (char.isascii() and (char.isalnum() or char == "_")) or _is_plain_letter(char)


def _is_plain_letter(char: str) -> bool:
    import unicodedata

    return f"a{char}".isidentifier() and unicodedata.normalize("NFKC", f"a{char}") == f"a{char}"


def python_names(names: Iterable[str], tool: str) -> dict[str, str]:
    """Return the Python name for each name. Raises `SchemaError` if two would have the same."""
    python_by_name: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        python = python_name(name)
        if python in owners:
            first, second = truncate(owners[python], 60), truncate(name, 60)
            raise SchemaError(
                f"has a name collision: `{first}` and `{second}` are both `{python[:60]}` in Python",
                tool=truncate(tool, 100),
                hint="rename one of them where the tool is defined",
            )
        owners[python] = name
        python_by_name[name] = python
    return python_by_name


def class_name(text: str) -> str:
    """Return a name for a class: `order-line` becomes `OrderLine`."""
    words = "".join(char if char.isascii() and char.isalnum() else " " for char in text[:100])
    camel_case = "".join(word[:1].upper() + word[1:] for word in words.split())
    if not camel_case or camel_case[0].isdigit():
        camel_case = f"Type{camel_case}"
    return f"{camel_case}_" if keyword.iskeyword(camel_case) else camel_case


# -- shapes


@dataclass(frozen=True)
class PlainShape:
    """A hint without parts: `str`, `int`, `float`, `bool`, `None`, `Any`, `datetime` and so on."""

    hint: str


@dataclass(frozen=True)
class LiteralShape:
    """One of some texts, integers and booleans."""

    values: tuple[Any, ...]


@dataclass(frozen=True)
class ListShape:
    """A list of one kind of items."""

    item: SchemaShape


@dataclass(frozen=True)
class TupleShape:
    """A list of fixed length with a kind for each position."""

    items: tuple[SchemaShape, ...]


@dataclass(frozen=True)
class MapShape:
    """An object with any keys."""

    value: SchemaShape


@dataclass(frozen=True)
class UnionShape:
    """One of several kinds of values."""

    arms: tuple[SchemaShape, ...]


@dataclass(frozen=True)
class RecordField:
    """One named part of an object, or one parameter."""

    name: str
    """The name in JSON."""
    shape: SchemaShape
    required: bool
    description: str = ""
    has_default: bool = False
    default: Any = None


@dataclass(eq=False)
class RecordShape:
    """An object with named parts; its fields are added later, since it may hold itself."""

    name: str
    """The name of its class, which no other record of the same schemas has."""
    description: str = ""
    stem: str = ""
    """The name it would have if no other record wanted it."""
    fields: list[RecordField] = field(default_factory=list[RecordField])


SchemaShape = (
    PlainShape | LiteralShape | ListShape | TupleShape | MapShape | UnionShape | RecordShape
)

ANY = PlainShape("Any")
NONE = PlainShape("None")


def union_of(arms: list[SchemaShape]) -> SchemaShape:
    """Return one shape for several: flat, without repeats, None at the end; Any absorbs all."""
    flat: list[SchemaShape] = []
    for arm in arms:
        flat += arm.arms if isinstance(arm, UnionShape) else (arm,)
    literals = [arm for arm in flat if isinstance(arm, LiteralShape)]
    if len(literals) > 1:
        merged = LiteralShape(unique_values([v for literal in literals for v in literal.values]))
        flat = [arm for arm in flat if arm is literals[0] or not isinstance(arm, LiteralShape)]
        flat[flat.index(literals[0])] = merged
    unique = list(dict.fromkeys(flat))
    if not unique or ANY in unique:
        return ANY
    if NONE in unique:
        unique = [*(arm for arm in unique if arm != NONE), NONE]
    return unique[0] if len(unique) == 1 else UnionShape(tuple(unique))


def unique_values(values: list[Any]) -> tuple[Any, ...]:
    """Return values without repeats; 1 and True, which Python calls equal, are different."""
    unique: dict[tuple[str, Any], None] = {}
    for value in values:
        unique[type(value).__name__, value] = None
    return tuple(value for _, value in unique)


def admits_none(shape: SchemaShape) -> bool:
    """Return whether None is one of the values."""
    if isinstance(shape, UnionShape):
        return any(map(admits_none, shape.arms))
    return shape in (ANY, NONE)


# -- read off schemas in normal form

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
        if not self._named(node):
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
            self._field(name, facts.properties[name], f"{owner} {name}", name in required)
            for name in self._named(node)
        ]
        unnamed = (name for name in required if name not in facts.properties)
        return [*fields, *(RecordField(name, ANY, required=True) for name in unnamed)]

    def _named(self, node: Any) -> list[str]:
        """Return the names of an object's properties that may be there at all."""
        facts = self.reader.facts(node)
        return [
            name
            for name, part in facts.properties.items()
            if name in facts.required or self.reader.facts(part).kinds
        ]

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
