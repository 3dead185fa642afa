"""From a JSON Schema to values that fit it (hypothesis)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..._json_values import is_list, is_object
from ...schema.explicit import validator_for
from .merging import merged
from .texts import plain_texts, texts_of

_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_SMALL, _LARGE = 1000, 2**53
"""Most integers are small: a tool may count up to one. JSON's own integers go up to 2**53."""
_MOST_ITEMS = 8
_FULL_DEPTH, _DEEPEST = 2, 12
"""Nested references: up to the first depth, everything is drawn; then only what is required."""
_LONGEST = 2000
"""The most items or characters, where a schema asks for more than anyone would send."""


def values_of(
    schema: Mapping[str, Any], known: Mapping[str, Sequence[Any]] | None = None
) -> SearchStrategy[Any]:
    """Return a strategy for values that a schema accepts; `known` has values of some properties.

    What cannot be drawn directly (`not`, `if`, `contains`) is filtered by the validator.
    """
    validator = validator_for(schema)
    return _Strategies(schema, known or {}).of(schema).filter(validator.is_valid)


class _Strategies:
    """Builds strategies for the parts of one schema; each reference once."""

    def __init__(self, root: Mapping[str, Any], known: Mapping[str, Sequence[Any]]) -> None:
        self.root, self.known = root, known
        self.references: dict[tuple[str, int], SearchStrategy[Any]] = {}
        self.depth = 0
        """How many references lead to the part that is being built."""

    def of(self, schema: Any) -> SearchStrategy[Any]:
        """Return a strategy for a part of the schema."""
        if schema is False:
            return st.nothing()
        if not is_object(schema):
            return self._anything()
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return self._reference(schema["$ref"], rest)
        if "const" in schema:
            return st.just(schema["const"])
        if "enum" in schema:
            fitting = [each for each in schema["enum"] if _is_valid(schema, each, self.root)]
            return st.sampled_from(fitting) if fitting else st.nothing()
        for key in ("anyOf", "oneOf"):
            if is_list(schema.get(key)):
                base = {name: value for name, value in schema.items() if name != key}
                arms = [merged(base, arm) for arm in schema[key]]
                return st.one_of([self.of(arm) for arm in arms])
        if is_list(schema.get("allOf")):
            whole: Any = {name: value for name, value in schema.items() if name != "allOf"}
            for part in schema["allOf"]:
                whole = merged(whole, self._resolved(part))
            return self.of(whole)
        drawn = st.one_of([self._typed(kind, schema) for kind in _kinds(schema)])
        known = [each for each in _known_values(schema) if _is_valid(schema, each, self.root)]
        return st.one_of(drawn, st.sampled_from(known)) if known else drawn

    def _typed(self, kind: str, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        if kind == "null":
            return st.none()
        if kind == "boolean":
            return st.booleans()
        if kind == "integer":
            return self._integers(schema)
        if kind == "number":
            return self._numbers(schema)
        if kind == "string":
            return texts_of(schema)
        return self._arrays(schema) if kind == "array" else self._objects(schema)

    # -- references

    def _reference(self, reference: str, rest: Mapping[str, Any]) -> SearchStrategy[Any]:
        meaningful = {key: value for key, value in rest.items() if key not in _SAID}
        if meaningful and not meaningful.keys() <= {"$defs", "definitions"}:
            return self.of(merged(meaningful, self._resolved({"$ref": reference})))
        # Built once for each depth: a schema that contains itself would never end.
        key = (reference, self.depth)
        if key not in self.references:
            self.depth += 1
            found = self._resolved({"$ref": reference})
            deeper = self.of(found) if self.depth <= _DEEPEST else st.nothing()
            self.depth -= 1
            self.references[key] = deeper
        return self.references[key]

    @property
    def _is_deep(self) -> bool:
        """Whether only required parts are drawn."""
        return self.depth > _FULL_DEPTH

    def _resolved(self, part: Any) -> Any:
        """Return what a reference stands for, following it as far as it leads."""
        for _ in range(20):
            if not is_object(part) or "$ref" not in part:
                return part
            found: Any = self.root
            for step in str(part["$ref"]).lstrip("#").split("/")[1:]:
                name = step.replace("~1", "/").replace("~0", "~")
                found = found[int(name)] if is_list(found) else found.get(name, {})
            rest = {key: value for key, value in part.items() if key != "$ref"}
            part = merged(rest, found) if rest else found
        return part

    # -- numbers

    def _integers(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        low, high = _bounds(schema)
        least = None if low is None else _least_whole(*low)
        most = None if high is None else -_least_whole(-high[0], high[1])
        step = schema.get("multipleOf")
        if isinstance(step, int) and step > 1:
            few = None if least is None else -(-least // step)
            many = None if most is None else most // step
            return self._whole(few, many).map(lambda number: number * step)
        return self._whole(least, most)

    def _whole(self, least: int | None, most: int | None) -> SearchStrategy[int]:
        if least is not None and most is not None and least > most:
            return st.nothing()
        low = max(least if least is not None else -_LARGE, -(10**30))
        high = min(most if most is not None else _LARGE, 10**30)
        if low > high:  # bounds beyond what anyone sends
            return st.integers(least, most)
        near = (max(low, -_SMALL), min(high, _SMALL))
        if near[0] > near[1] or (low, high) == near:
            return st.integers(low, high)
        return st.one_of(st.integers(*near), st.integers(low, high))

    def _numbers(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        low, high = _bounds(schema)
        step = schema.get("multipleOf")
        whole = self._integers({**schema, "multipleOf": 1})
        if isinstance(step, int | float) and step > 0:
            few = None if low is None else math.ceil(low[0] / step)
            many = None if high is None else math.floor(high[0] / step)
            return self._whole(few, many).map(lambda number: number * step)
        try:
            floats = st.floats(
                None if low is None else float(low[0]),
                None if high is None else float(high[0]),
                exclude_min=low is not None and low[1],
                exclude_max=high is not None and high[1],
                allow_nan=False,
                allow_infinity=False,
            )
        except Exception:  # noqa: BLE001 - bounds that no float can meet
            return whole
        return st.one_of(floats, whole)

    # -- containers

    def _arrays(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        least, most = _sizes(schema, "minItems", "maxItems", _MOST_ITEMS)
        most = least if self._is_deep else most
        first = [self.of(each) for each in schema.get("prefixItems", ())]
        items = self.of(schema.get("items", True)) if schema.get("items") is not False else None
        unique = _canonical if schema.get("uniqueItems") else None
        if not first:
            if items is None or most == 0:
                return st.just([]) if least == 0 else st.nothing()
            return st.lists(items, min_size=least, max_size=most, unique_by=unique)
        head = st.tuples(*first)
        rest = st.just([])
        if items is not None and most > len(first):
            rest = st.lists(items, min_size=max(least - len(first), 0), max_size=most - len(first))
        return st.tuples(head, rest).map(lambda both: [*both[0], *both[1]][:most])

    def _objects(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        properties: dict[str, Any] = dict(schema.get("properties", {}))
        required = [name for name in schema.get("required", ()) if isinstance(name, str)]
        open_ended = schema.get("additionalProperties", True)
        for name in required:
            properties.setdefault(name, self._schema_for(name, schema))
        draw = self._property if schema is self.root else self._part
        needed = {name: draw(name, properties[name]) for name in required}
        chosen = () if self._is_deep else properties.keys() - set(required)
        optional = {name: draw(name, each) for name, each in properties.items() if name in chosen}
        optional = {name: each for name, each in optional.items() if not each.is_empty}
        fixed = st.fixed_dictionaries(needed, optional=optional)
        extra = self._extra(schema, open_ended, set(properties), len(properties))
        if extra is None:
            return fixed
        return st.tuples(extra, fixed).map(lambda both: {**both[0], **both[1]})

    def _part(self, name: str, schema: Any) -> SearchStrategy[Any]:
        return self.of(schema)

    def _property(self, name: str, schema: Any) -> SearchStrategy[Any]:
        """Return a strategy for a property of the root, including known values."""
        known = [each for each in self.known.get(name, ()) if _is_valid(schema, each, self.root)]
        drawn = self.of(schema)
        return st.one_of(drawn, st.sampled_from(known)) if known else drawn

    def _extra(
        self, schema: Mapping[str, Any], open_ended: Any, taken: set[str], known: int
    ) -> SearchStrategy[Any] | None:
        """Return a strategy for keys that are not declared; None if there should be none."""
        patterns: dict[str, Any] = schema.get("patternProperties", {})
        least = schema.get("minProperties", 0)
        # Undeclared keys are drawn where they are what the object is for.
        wanted = is_object(open_ended) or patterns or not known
        wanted = (wanted and not self._is_deep) or least > known
        if not wanted or (open_ended is False and not patterns):
            return None
        names = self.of({"type": "string", "minLength": 1, **(schema.get("propertyNames") or {})})
        values = self.of(open_ended) if open_ended is not False else st.nothing()
        pairs: list[SearchStrategy[Any]] = []
        if open_ended is not False:
            pairs.append(st.tuples(names.filter(lambda name: name not in taken), values))
        for pattern, each in patterns.items():
            keys = texts_of({"pattern": pattern}).filter(lambda name: name not in taken)
            pairs.append(st.tuples(keys, self.of(each)))
        size = max(least - known, 0)
        most = min(schema.get("maxProperties", size + 4), size + 4)
        items = st.lists(
            st.one_of(pairs), min_size=size, max_size=max(most, size), unique_by=_first
        )
        return items.map(dict)

    def _schema_for(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Return the schema of a key that is required but not declared."""
        for pattern, each in schema.get("patternProperties", {}).items():
            if re.search(pattern, name):
                return each
        return schema.get("additionalProperties", True)

    def _anything(self) -> SearchStrategy[Any]:
        plain = st.one_of(
            st.none(),
            st.booleans(),
            st.integers(-_SMALL, _SMALL),
            st.floats(allow_nan=False, allow_infinity=False),
            plain_texts(),
        )
        return st.recursive(
            plain,
            lambda inner: st.one_of(
                st.lists(inner, max_size=3),
                st.dictionaries(plain_texts(), inner, max_size=3),
            ),
            max_leaves=5,
        )


_SAID = frozenset(("title", "description", "default", "examples", "deprecated", "$comment"))
"""Keywords that do not affect what is accepted."""


def _canonical(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type")
    if kinds is None:
        implied = [kind for kind, keys in _IMPLIED.items() if keys & schema.keys()]
        return implied or list(_TYPES)
    return [kind for kind in (kinds if is_list(kinds) else [kinds]) if kind in _TYPES]


_IMPLIED = {
    "object": frozenset(("properties", "required", "additionalProperties", "patternProperties")),
    "array": frozenset(("items", "prefixItems", "minItems", "maxItems")),
    "string": frozenset(("pattern", "minLength", "maxLength", "format")),
    "number": frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")),
}
"""The types that a schema without `type` implies, by its keywords."""


def _known_values(schema: Mapping[str, Any]) -> list[Any]:
    """Return values that the author has named."""
    known = list(schema["examples"]) if is_list(schema.get("examples")) else []
    if "default" in schema:
        known.append(schema["default"])
    return known


def _is_valid(schema: Any, value: Any, root: Mapping[str, Any]) -> bool:
    if not is_object(schema):
        return schema is not False
    definitions = {key: root[key] for key in ("$defs", "definitions") if key in root}
    try:
        return bool(validator_for({**definitions, **schema}).is_valid(value))
    except Exception:  # noqa: BLE001 - a reference to elsewhere in the whole schema
        return True


def _bounds(schema: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the bounds of a number, each with whether it is excluded; None if there is none."""
    lows = [(schema[key], key != "minimum") for key in _LOWS if _is_number(schema.get(key))]
    highs = [(schema[key], key != "maximum") for key in _HIGHS if _is_number(schema.get(key))]
    return (
        max(lows, key=lambda each: (each[0], each[1]), default=None),
        min(highs, key=lambda each: (each[0], not each[1]), default=None),
    )


def _least_whole(bound: float, excluded: bool) -> int:  # noqa: FBT001
    return math.floor(bound) + 1 if excluded else math.ceil(bound)


_LOWS = ("minimum", "exclusiveMinimum")
_HIGHS = ("maximum", "exclusiveMaximum")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _sizes(schema: Mapping[str, Any], low: str, high: str, usual: int) -> tuple[int, int]:
    least = int(schema.get(low, 0))
    most = int(schema.get(high, max(least, 0) + usual))
    return least, max(least, min(most, least + _LONGEST))
