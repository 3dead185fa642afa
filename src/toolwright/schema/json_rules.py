"""JSON rules for values that validators of authors hand on.

A validator that runs before pydantic's own (`BeforeValidator`, `WrapValidator`, a model's
`mode="before"`) hands on a Python value, and so does a default that is validated. The strict rules
for Python take no text for a date there, and no list for a tuple. Here each value below such a
validator is read by what it is: by the rules of JSON if JSON can hold it, else by those of Python.
Constraints that cannot be checked on a value refuse it here, instead of failing.
"""

from __future__ import annotations

import enum
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, cast

from pydantic_core import (
    PydanticCustomError,
    PydanticKnownError,
    SchemaValidator,
    ValidationError,
    to_json,
)
from pydantic_core import core_schema as core

from .._json_values import is_list, is_object
from .constraints import held, is_constraint
from .core_schemas import OPAQUE, rewritten

Node = dict[str, Any]

_HANDING_ON = frozenset(("function-before", "function-wrap", "chain"))
# What JSON writes as a list or an object, though Python has a class of its own for it.
_CLASSES: Mapping[str, tuple[type, Callable[[Any], Any]]] = {
    "tuple": (list, tuple),
    "deque": (list, deque),
    "ordered-dict": (dict, OrderedDict),
    "counter": (dict, Counter),
}
_SETS: Mapping[str, type] = {"set": set, "frozenset": frozenset}
_LEAVES = ("bytes", "complex", "date", "datetime", "decimal", "fraction", "time", "timedelta")
_SCALARS = ("bool", "float", "int", "literal", "none", "str")
# Texts in JSON, read by its rules wherever they come from, but exact only in Python.
_TEXTS = ("enum", "multi-host-url", "url", "uuid")
_JSON_TYPES = frozenset((str, int, float, bool, type(None), list, dict))
_EMPTY: Mapping[type, bytes] = {list: b"[]", dict: b"{}"}
_KEPT = OPAQUE | {"config"}
_LEFT_OUT = frozenset(("ref", "serialization", "computed_fields", "json_schema_input_schema"))
"""What a validator has no use for; a reference gets its new name in `node`."""
_NOTHING: Mapping[str, Any] = {}


class Place(Enum):
    """Where a node is. The values are the suffixes of the names of definitions used there."""

    ABOVE = ""
    """No validator of an author has run yet: the value is JSON."""
    BELOW = ":below"
    CHOICE = ":choice"
    """Below, and in a union: which choice fits best must not depend on where the value comes from,
    and texts and numbers are exact in Python, but not in JSON."""


def hands_on(node: Mapping[str, Any]) -> bool:
    """Return whether a node of a core schema hands Python values to the nodes inside it."""
    return (
        node["type"] in _HANDING_ON
        or node.get("validate_default") is True
        or node.get("config", _NOTHING).get("validate_default") is True
    )


def is_read_otherwise(node: Mapping[str, Any]) -> bool:
    """Return whether a node below a validator must be rewritten."""
    kind = node["type"]
    if kind == "union":
        return not _has_scalars_only(node)
    if kind == "dict":
        return node.get("keys_schema", _NOTHING).get("type", "str") != "str"
    return kind in _REWRITTEN


class JsonRules:
    """Rewrites a core schema; the new one is only for JSON, and for strict validation."""

    def __init__(self, schema: Any, config: Any) -> None:
        self.config = config
        self.definitions: list[Any] = []
        self.wanted: dict[tuple[str, Place], None] = {}
        """The definitions that are used, in each place."""
        self.validates_defaults = False
        by_ref: dict[str, Node] = {}
        if schema["type"] == "definitions":
            by_ref = {definition["ref"]: definition for definition in schema["definitions"]}
            schema = schema["schema"]
        self.schema = self.node(schema, Place.ABOVE)
        done: set[tuple[str, Place]] = set()
        while todo := [place_of_ref for place_of_ref in self.wanted if place_of_ref not in done]:
            done.update(todo)
            self.definitions += [self.node(by_ref[ref], place) for ref, place in todo]

    def validator(self, schema: Any = None) -> Any:
        """Return a validator of the new schema, or of a part of it."""
        with_definitions = core.definitions_schema(schema or self.schema, self.definitions)
        return SchemaValidator(with_definitions, self.config, _use_prebuilt=False)

    def node(self, node: Node, place: Place) -> Any:
        """Rewrite one node and everything inside it."""
        before = self.validates_defaults
        if "config" in node:
            self.validates_defaults = node["config"].get("validate_default") is True
        change = _CHANGES[place].get(node["type"])
        rewritten = change(self, node, place) if change else self.copy(node, place)
        if is_constraint(node):
            rewritten = held(rewritten)
        self.validates_defaults = before
        if "ref" in node:
            rewritten = {**rewritten, "ref": node["ref"] + place.value}
        return rewritten

    def copy(self, node: Node, place: Place) -> Node:
        """Rewrite what is inside a node."""
        return {
            word: value if word in _KEPT else self._part(value, place)
            for word, value in node.items()
            if word not in _LEFT_OUT
        }

    def _part(self, part: Any, place: Place) -> Any:
        if is_list(part):
            return [self._part(member, place) for member in part]
        if isinstance(part, tuple):  # a choice with its label
            return tuple(self._part(member, place) for member in cast("tuple[Any, ...]", part))
        if not is_object(part):
            return part
        if isinstance(part.get("type"), str):
            return self.node(part, place)
        return {name: self._part(member, place) for name, member in part.items()}


class _Reading:
    """Reads a value by the rules of JSON through a handler, or by those of Python."""

    def __init__(self, rules: JsonRules, schema: Any) -> None:
        self.rules = rules
        self.schema = schema

    @cached_property
    def by_python(self) -> Any:
        """Made when first needed: most validators hand on what JSON can hold."""
        return self.rules.validator(self.schema).validate_python

    def value(self, value: Any, handler: Any) -> Any:
        """Read a value; the handler takes it as it is."""
        if type(value) in _JSON_TYPES:
            return handler(value)
        return self.by_python(value, strict=True)

    def text(self, value: Any, handler: Any) -> Any:
        """Read a value; the handler takes JSON text."""
        if type(value) not in _JSON_TYPES:
            return self.by_python(value, strict=True)
        if value.__class__ in _EMPTY:
            return handler(_EMPTY[value.__class__])  # refused, whatever is in it
        return handler(to_json(value, inf_nan_mode="constants"))

    def key(self, value: Any, handler: Any) -> Any:
        """Read the key of a map; the handler takes JSON text, of an object with that key."""
        if type(value) is not str:
            return self.by_python(value, strict=True)
        try:
            return next(iter(handler(to_json({value: None}))))
        except ValidationError as error:
            # Its location is in the small object, so only its message is kept.
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            raise PydanticCustomError("key", "{said}", {"said": first["msg"]}) from None


# -- what becomes of the nodes of each kind


def _hand_on(rules: JsonRules, node: Node, _place: Place) -> Any:
    return rules.copy(node, Place.BELOW)


def _chain(rules: JsonRules, node: Node, _place: Place) -> Any:
    first, *later = node["steps"]
    steps = [rules.node(first, Place.ABOVE), *(rules.node(step, Place.BELOW) for step in later)]
    return {**node, "steps": steps}


def _default(rules: JsonRules, node: Node, _place: Place) -> Any:
    validates = node.get("validate_default", rules.validates_defaults) is True
    return rules.copy(node, Place.BELOW if validates else Place.ABOVE)


def _reference(rules: JsonRules, node: Node, place: Place) -> Any:
    rules.wanted[node["schema_ref"], place] = None
    return {**node, "schema_ref": node["schema_ref"] + place.value}


def _strict_branch(rules: JsonRules, node: Node, place: Place) -> Any:
    return rules.node(node["strict_schema"], place)


def _json_branch(rules: JsonRules, node: Node, place: Place) -> Any:
    return rules.node(node["json_schema"], place)


def _either_branch(rules: JsonRules, node: Node, place: Place) -> Any:
    reading = _Reading(rules, rules.node(node["python_schema"], place))
    return core.no_info_wrap_validator_function(reading.value, _json_branch(rules, node, place))


def _json_text(rules: JsonRules, node: Node, _place: Place) -> Any:
    return rules.copy(node, Place.ABOVE)


def _union(rules: JsonRules, node: Node, _place: Place) -> Any:
    return rules.copy(node, Place.BELOW if _has_scalars_only(node) else Place.CHOICE)


def _has_scalars_only(union: Mapping[str, Any]) -> bool:
    choices = (choice if is_object(choice) else choice[0] for choice in union["choices"])
    return all(choice["type"] in _SCALARS for choice in choices)


def _tagged(rules: JsonRules, node: Node, place: Place) -> Any:
    """Read instances of a choice too: strict rules do not look for the tag in their attributes."""
    copied: Any = rules.copy(node, place)
    reading = _Reading(rules, core.union_schema(list(copied["choices"].values())))
    return core.no_info_wrap_validator_function(reading.value, copied)


def _leaf(rules: JsonRules, node: Node, place: Place) -> Any:
    plain: Any = rules.copy(node, place)
    reading = _Reading(rules, plain)
    return core.no_info_wrap_validator_function(reading.text, core.json_schema(plain))


def _class(rules: JsonRules, node: Node, place: Place) -> Any:
    json_type, make = _CLASSES[node["type"]]

    def made(value: Any) -> Any:
        return make(value) if type(value) is json_type else value

    validator = core.no_info_before_validator_function(made, _map(rules, node, place))
    return _ranked(node, validator, place)


def _map(rules: JsonRules, node: Node, place: Place) -> Any:
    copied = rules.copy(node, place)
    keys = node.get("keys_schema")
    if keys is not None and keys["type"] != "str":
        # In JSON every key is a text, and is read by its content.
        key_reader = core.dict_schema(rules.node(keys, Place.ABOVE), core.any_schema())
        reading = _Reading(rules, copied["keys_schema"])
        copied["keys_schema"] = core.no_info_wrap_validator_function(
            reading.key, core.json_schema(key_reader)
        )
    return copied


def _set(rules: JsonRules, node: Node, place: Place) -> Any:
    """Read a set as a list, whose items need no hash before they are validated."""
    make = _SETS[node["type"]]

    def listed(value: Any) -> Any:
        return list(value) if isinstance(value, make) else value

    def made(items: list[Any]) -> Any:
        try:
            return make(items)
        except TypeError:
            raise PydanticKnownError("set_item_not_hashable") from None

    copied: Any = rules.copy(node, place)
    moved = ("items_schema", "fail_fast")
    items: Any = {"type": "list", **{word: copied.pop(word) for word in moved if word in copied}}
    steps = [items, core.no_info_plain_validator_function(made), copied]
    validator = core.no_info_before_validator_function(listed, core.chain_schema(steps))
    return _ranked(node, validator, place)


def _ranked(node: Node, made: Any, place: Place) -> Any:
    """Let other choices rank as in JSON: of those that take a list, the one for lists fits best."""
    if place is not Place.CHOICE:
        return made
    like: Any = {"type": node["type"]}
    if node["type"] == "tuple":
        like = core.tuple_variable_schema()
    rank = core.no_info_wrap_validator_function(_rank, core.json_schema(like))
    return core.chain_schema([rank, made])


def _rank(value: Any, handler: Any) -> Any:
    if value.__class__ in _EMPTY:
        handler(_EMPTY[value.__class__])
    return value


_Change = Callable[[JsonRules, Node, Place], Any]
_ABOVE: Mapping[str, _Change] = {
    "function-before": _hand_on,
    "function-wrap": _hand_on,
    "chain": _chain,
    "default": _default,
    "definition-ref": _reference,
    "lax-or-strict": _strict_branch,
    "json-or-python": _json_branch,
}
_BELOW: Mapping[str, _Change] = {
    "definition-ref": _reference,
    "lax-or-strict": _strict_branch,
    "json-or-python": _either_branch,
    "json": _json_text,
    "union": _union,
    "tagged-union": _tagged,
    "dict": _map,
    "frozendict": _map,
    **dict.fromkeys(_SETS, _set),
    **dict.fromkeys(_CLASSES, _class),
    **dict.fromkeys(_LEAVES, _leaf),
}
_CHANGES: Mapping[Place, Mapping[str, _Change]] = {
    Place.ABOVE: _ABOVE,
    Place.BELOW: _BELOW,
    Place.CHOICE: {**_BELOW, **dict.fromkeys((*_SCALARS, *_TEXTS), _leaf)},
}
_REWRITTEN = _BELOW.keys() - {"definition-ref", "lax-or-strict", "json", "union", "dict"}


# In Python `True` and `1.0` equal 1, so pydantic takes them for the member with the value 1; and a
# `Flag` takes numbers for which it has no members, -1 for all of them. So the type of a value is
# checked first, and the range of a flag's value.
_BY_TYPE: Mapping[type, Callable[[], Any]] = {
    bool: lambda: core.bool_schema(strict=True),
    int: lambda: core.int_schema(strict=True),
    float: lambda: core.float_schema(strict=True),
    str: lambda: core.str_schema(strict=True),
    type(None): core.none_schema,
    list: core.list_schema,
    dict: core.dict_schema,
}
_NOT_NUMBERS = (str, type(None), list, dict)
_PYTHONS_OWN = [vars(each)["_missing_"].__func__ for each in (enum.Enum, enum.Flag)]


class FlagRange(NamedTuple):
    """The range of a flag's numbers, in the keywords of JSON Schema."""

    of_inputs: dict[str, int]
    of_outputs: dict[str, int]
    """Wider where the class keeps bits that it has no members for."""
    text: str
    """The members that all others are sums of, in words."""


def flag_range(cls: Any) -> FlagRange:
    """Return the range of the sums of a flag's members."""
    members = {member.name: member.value for member in cls}
    bits = _together(members.values())
    for name, member in cls.__members__.items():
        if member.value & ~bits:  # bits that have no member of their own
            members[name] = member.value
    members = members or dict.fromkeys(cls.__members__, 0)
    every = _together(value for value in members.values() if value > 0)
    bounds = {"minimum": min(0, *members.values()), "maximum": every}
    of_outputs = bounds
    if cls._boundary_ is enum.KEEP:
        of_outputs = {"minimum": bounds["minimum"]}
    elif cls._boundary_ is enum.EJECT:
        of_outputs = {}
    text = ", ".join(f"{name}={value}" for name, value in members.items())
    return FlagRange(bounds, of_outputs, f"the sum of any of {text}")


def _together(values: Iterable[int]) -> int:
    bits = 0
    for value in values:
        bits |= value
    return bits


def has_numbers(node: Mapping[str, Any]) -> bool:
    """Return whether a node is an enum or a literal with numbers among its values."""
    return any(
        type(value) is not bool and isinstance(value, int | float) for value in _values(node)
    )


def _values(node: Mapping[str, Any]) -> list[Any]:
    constants = node.get("members" if node["type"] == "enum" else "expected", ())
    return [
        constant.value if isinstance(constant, enum.Enum) else constant for constant in constants
    ]


def with_exact_numbers(schema: Any) -> Any:
    """Copy a core schema; enums and literals with numbers take no value of another JSON type."""
    return rewritten(schema, _exact)


def _exact(node: dict[str, Any], copied: dict[str, Any]) -> Any:
    if node["type"] not in ("enum", "literal") or not has_numbers(node):
        return copied
    ref = copied.pop("ref", None)
    rewritten: Any = copied
    exact: Any = core.custom_error_schema(
        core.chain_schema([_of_those_types(node), rewritten]),
        custom_error_type="enum",
        custom_error_context={"expected": _expected(node)},
    )
    return exact if ref is None else {**exact, "ref": ref}


def _of_those_types(node: dict[str, Any]) -> Any:
    cls: Any = node.get("cls")
    types: set[type] = set()
    for value in _values(node):
        json_class = next(
            (json_class for json_class in _BY_TYPE if isinstance(value, json_class)), None
        )
        # What JSON writes in its own way, such as a date, is a text, a list or an object there.
        types.update(_NOT_NUMBERS if json_class is None else (json_class,))
    if cls is not None and cls._missing_.__func__ not in _PYTHONS_OWN:
        types.update((int, *_NOT_NUMBERS))  # the author reads other values
    choices = {json_class: make() for json_class, make in _BY_TYPE.items() if json_class in types}
    if cls is not None and issubclass(cls, enum.Flag):
        bounds = flag_range(cls).of_inputs
        choices[int] = core.int_schema(strict=True, ge=bounds["minimum"], le=bounds["maximum"])
    classes = {
        type(constant) for constant in node.get("expected", ()) if isinstance(constant, enum.Enum)
    }
    if cls is not None:
        classes.add(cls)
    # A validator of the author may have made a member of the value.
    instances = [core.is_instance_schema(enum_class) for enum_class in classes]
    if len(choices) == 1 and not instances:
        return choices.popitem()[1]
    return core.union_schema([*choices.values(), *instances])


def _expected(node: dict[str, Any]) -> str:
    cls: Any = node.get("cls")
    if cls is not None and issubclass(cls, enum.Flag):
        return flag_range(cls).text
    *most, last = (repr(value) for value in _values(node)[:10])
    return f"{', '.join(most)} or {last}" if most else last
