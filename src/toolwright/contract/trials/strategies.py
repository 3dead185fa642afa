"""From a JSON Schema to values that fit it (hypothesis)."""

from __future__ import annotations

import base64
import json
import math
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from ..._json_values import JsonObject, is_list, is_object
from ...json_schema.document import LATEST, NOTES, Document, combined, draft_of, with_definitions
from ...json_schema.facts import KINDS, Arm, SchemaReader, listed_values
from ...json_schema.normal_form import normal_form
from ...schema.explicit import validator_for

_SMALL, _LARGE = 1000, 2**53
"""Most integers are small: a tool may count up to one. JSON's own integers go up to 2**53."""
_MOST_ITEMS = 8
_USUAL_LENGTH = 20
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
    if draft_of(schema) != LATEST:
        schema = normal_form(schema)
    validator = validator_for(schema)
    return _Strategies(schema, known or {}).of(schema).filter(validator.is_valid)


class _Strategies:
    """Builds strategies for the parts of one schema; each reference once."""

    def __init__(self, root: Mapping[str, Any], known: Mapping[str, Sequence[Any]]) -> None:
        self.root, self.known = root, known
        self.reader = SchemaReader(Document(root))
        self.references: dict[tuple[int, int], SearchStrategy[Any]] = {}
        self.open: set[int] = set()
        """The parts that are being built: a union may lead back to itself without being named."""
        self.depth = 0
        """How many references lead to the part that is being built."""

    def of(self, schema: Any) -> SearchStrategy[Any]:
        """Return a strategy for a part of the schema."""
        if schema is False:
            return st.nothing()
        if not is_object(schema):
            return self._anything()
        if combined(schema).reference is None and id(schema) not in self.open:
            self.open.add(id(schema))
            drawn = self._alternatives(schema)
            self.open.discard(id(schema))
            return drawn
        # Built once for each depth: a schema that contains itself would never end.
        key = (id(schema), self.depth)
        if key not in self.references:
            self.depth += 1
            deeper = self._alternatives(schema) if self.depth <= _DEEPEST else st.nothing()
            self.depth -= 1
            self.references[key] = deeper
        return self.references[key]

    def _alternatives(self, schema: JsonObject) -> SearchStrategy[Any]:
        drawn = [self._flat(arm) for arm in self.reader.arms(schema)]
        return st.one_of(drawn) if drawn else st.nothing()

    def _flat(self, arm: Arm) -> SearchStrategy[Any]:
        """Return a strategy for one alternative."""
        node = arm.schema
        values = listed_values(node)
        if values is not None:
            fitting = [member for member in values if _is_valid(node, member, self.root)]
            return st.sampled_from(fitting) if fitting else st.nothing()
        kinds, _ = self.reader.kinds(arm)
        if not kinds:
            return st.nothing()
        if len(kinds) == len(KINDS) and not node.keys() - _SAID:
            return self._anything()
        drawn = st.one_of([self._typed(kind, node) for kind in KINDS if kind in kinds])
        examples = [
            example for example in _known_values(node) if _is_valid(node, example, self.root)
        ]
        return st.one_of(drawn, st.sampled_from(examples)) if examples else drawn

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

    @property
    def _is_deep(self) -> bool:
        """Whether only required parts are drawn."""
        return self.depth > _FULL_DEPTH

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
        integers = self._integers({**schema, "multipleOf": 1})
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
            return integers
        return st.one_of(floats, integers)

    # -- containers

    def _arrays(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        least, most = _sizes(schema, "minItems", "maxItems", _MOST_ITEMS)
        most = least if self._is_deep else most
        first = [self.of(item_schema) for item_schema in schema.get("prefixItems", ())]
        items = self.of(schema.get("items", True)) if schema.get("items") is not False else None
        unique = _canonical if schema.get("uniqueItems") else None
        if not first:
            if items is None or most == 0:
                return st.just([]) if least == 0 else st.nothing()
            return st.lists(items, min_size=least, max_size=most, unique_by=unique)
        head = st.tuples(*first)
        further = st.just([])
        if items is not None and most > len(first):
            further = st.lists(
                items, min_size=max(least - len(first), 0), max_size=most - len(first)
            )
        return st.tuples(head, further).map(lambda both: [*both[0], *both[1]][:most])

    def _objects(self, schema: Mapping[str, Any]) -> SearchStrategy[Any]:
        properties: dict[str, Any] = dict(schema.get("properties", {}))
        required = [name for name in schema.get("required", ()) if isinstance(name, str)]
        open_ended = schema.get("additionalProperties", True)
        for name in required:
            properties.setdefault(name, self._schema_for(name, schema))
        draw = self._property if schema is self.root else self._part
        needed = {name: draw(name, properties[name]) for name in required}
        chosen = () if self._is_deep else properties.keys() - set(required)
        optional = {
            name: draw(name, property_schema)
            for name, property_schema in properties.items()
            if name in chosen
        }
        optional = {name: strategy for name, strategy in optional.items() if not strategy.is_empty}
        fixed = st.fixed_dictionaries(needed, optional=optional)
        extra = self._extra(schema, open_ended, set(properties), len(properties))
        if extra is None:
            return fixed
        return st.tuples(extra, fixed).map(lambda both: {**both[0], **both[1]})

    def _part(self, name: str, schema: Any) -> SearchStrategy[Any]:
        return self.of(schema)

    def _property(self, name: str, schema: Any) -> SearchStrategy[Any]:
        """Return a strategy for a property of the root, including known values."""
        examples = [
            example for example in self.known.get(name, ()) if _is_valid(schema, example, self.root)
        ]
        drawn = self.of(schema)
        return st.one_of(drawn, st.sampled_from(examples)) if examples else drawn

    def _extra(
        self, schema: Mapping[str, Any], open_ended: Any, taken: set[str], known: int
    ) -> SearchStrategy[Any] | None:
        """Return a strategy for keys that are not declared; None if there should be none."""
        patterns: dict[str, Any] = schema.get("patternProperties", {})
        least = schema.get("minProperties", 0)
        # Undeclared keys are drawn where they are what the object is for.
        has_extra = is_object(open_ended) or patterns or not known
        has_extra = (has_extra and not self._is_deep) or least > known
        if not has_extra or (open_ended is False and not patterns):
            return None
        names = self.of({"type": "string", "minLength": 1, **(schema.get("propertyNames") or {})})
        values = self.of(open_ended) if open_ended is not False else st.nothing()
        pairs: list[SearchStrategy[Any]] = []
        if open_ended is not False:
            pairs.append(st.tuples(names.filter(lambda name: name not in taken), values))
        for pattern, pattern_schema in patterns.items():
            keys = texts_of({"pattern": pattern}).filter(lambda name: name not in taken)
            pairs.append(st.tuples(keys, self.of(pattern_schema)))
        size = max(least - known, 0)
        most = min(schema.get("maxProperties", size + 4), size + 4)
        items = st.lists(
            st.one_of(pairs), min_size=size, max_size=max(most, size), unique_by=_first
        )
        return items.map(dict)

    def _schema_for(self, name: str, schema: Mapping[str, Any]) -> Any:
        """Return the schema of a key that is required but not declared."""
        for pattern, pattern_schema in schema.get("patternProperties", {}).items():
            if re.search(pattern, name):
                return pattern_schema
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


_SAID = frozenset((*NOTES, "$schema", "$defs", "definitions"))
"""Keywords that do not affect what is accepted."""


def _canonical(item: Any) -> str:
    return json.dumps(item, sort_keys=True)


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _known_values(schema: Mapping[str, Any]) -> list[Any]:
    """Return values that the author has named."""
    examples = list(schema["examples"]) if is_list(schema.get("examples")) else []
    if "default" in schema:
        examples.append(schema["default"])
    return examples


def _is_valid(schema: Any, value: Any, root: Mapping[str, Any]) -> bool:
    if not is_object(schema):
        return schema is not False
    try:
        return bool(validator_for(with_definitions(schema, root)).is_valid(value))
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


def plain_texts(least: int = 0, most: int | None = None) -> SearchStrategy[str]:
    """Return a strategy for texts that JSON can hold, most of them easily read."""
    longest = max(least, min(most if most is not None else least + _USUAL_LENGTH, least + _LONGEST))
    letters = st.characters(min_codepoint=32, max_codepoint=126)
    every = st.characters(codec="utf-8")
    return st.one_of(
        st.text(letters, min_size=least, max_size=longest),
        st.text(every, min_size=least, max_size=longest),
    )


def texts_of(schema: Mapping[str, Any]) -> SearchStrategy[str]:
    """Return a strategy for the texts that a schema of a string accepts."""
    least = int(schema.get("minLength", 0))
    most = schema.get("maxLength")
    fitting = _length_fits(least, most)
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            # JSON Schema's `$` is the very end; Python's lets a line break follow.
            texts = st.from_regex(
                re.compile(_python(pattern)), alphabet=st.characters(codec="utf-8")
            )
        except re.error:
            return plain_texts(least, most)
        return texts.filter(fitting)
    make = _FORMATS.get(schema.get("format") or schema.get("contentEncoding") or "")
    if make is not None:
        return make().filter(fitting)
    return plain_texts(least, most)


def _length_fits(least: int, most: int | None) -> Callable[[str], bool]:
    return lambda text: least <= len(text) and (most is None or len(text) <= most)


def _python(pattern: str) -> str:
    r"""Return a pattern of JSON Schema for Python: `$` ends the text, `\d` is ASCII."""
    anchored = (
        pattern[:-1] + r"\Z" if pattern.endswith("$") and not pattern.endswith(r"\$") else pattern
    )
    return anchored.replace(r"\d", "[0-9]") if "[" not in pattern else anchored


def _dates() -> SearchStrategy[str]:
    return st.dates().map(lambda day: day.isoformat())


def _date_times() -> SearchStrategy[str]:
    zones = st.sampled_from(["Z", "+02:00", "-11:30"])
    return st.tuples(st.datetimes(), zones).map(lambda both: both[0].isoformat() + both[1])


def _times() -> SearchStrategy[str]:
    zones = st.sampled_from(["Z", "+02:00"])
    return st.tuples(st.times(), zones).map(lambda both: both[0].isoformat() + both[1])


def _durations() -> SearchStrategy[str]:
    parts = st.tuples(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59))
    return parts.map(lambda given: f"P{given[0]}DT{given[1]}H{given[2]}M")


def _uuids() -> SearchStrategy[str]:
    return st.uuids().map(str)


def _addresses() -> SearchStrategy[str]:
    users = st.sampled_from(["ada", "grace.hopper", "a+b", "x"])
    return st.tuples(users, st.sampled_from(["example.com", "mail.example.org"])).map("@".join)


def _uris() -> SearchStrategy[str]:
    places = ["https://example.com", "http://example.org:8080/a?b=c#d", "https://example.com/%20"]
    return st.sampled_from(places)


def _binary() -> SearchStrategy[str]:
    return st.binary(max_size=40).map(lambda data: base64.b64encode(data).decode())


_FORMATS: dict[str, Callable[[], SearchStrategy[str]]] = {
    "date": _dates,
    "date-time": _date_times,
    "time": _times,
    "duration": _durations,
    "uuid": _uuids,
    "email": _addresses,
    "uri": _uris,
    "url": _uris,
    "binary": _binary,
    "base64": _binary,
    "byte": _binary,
    "ipv4": lambda: st.ip_addresses(v=4).map(str),
    "ipv6": lambda: st.ip_addresses(v=6).map(str),
    "uuid4": lambda: st.integers(0, 2**128 - 1).map(lambda n: str(uuid.UUID(int=n, version=4))),
}
