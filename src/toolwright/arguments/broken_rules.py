"""Errors of a schema's validator, in the form that `explain` takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .._json_values import is_list, is_object
from .._words import truncate
from ..errors import Fault
from ..json_schema.document import ONE_OF
from ..json_schema.walk import COMBINED
from ..schema.explicit import matches_pattern
from .explain import explain
from .shape import Shape

_Error = dict[str, Any]
_LIMITS: Mapping[str, tuple[str, str]] = {
    "minimum": ("greater_than_equal", "ge"),
    "maximum": ("less_than_equal", "le"),
    "exclusiveMinimum": ("greater_than", "gt"),
    "exclusiveMaximum": ("less_than", "lt"),
    "multipleOf": ("multiple_of", "multiple_of"),
    "minLength": ("string_too_short", "min_length"),
    "maxLength": ("string_too_long", "max_length"),
    "minItems": ("too_short", "min_length"),
    "maxItems": ("too_long", "max_length"),
    "pattern": ("string_pattern_mismatch", "pattern"),
}
"""Keywords of JSON Schema, with pydantic's names for the errors and for their limits."""
_WORDS: Mapping[str, Callable[[Any], str]] = {
    "uniqueItems": lambda which: f"must have no item twice: {truncate(which, 60)}",
    "minProperties": lambda least: f"must have at least {_entries(least)}",
    "maxProperties": lambda most: f"must have at most {_entries(most)}",
    "contains": lambda _: "must contain an item of the declared kind",
    "format": lambda name: f"must have the format `{truncate(str(name), 60)}`",
}
_KEYWORDS_OF_KINDS = frozenset(("type", "enum", "const", "not", *COMBINED))


def broken_faults(broken: Iterable[Any], data: Any, shape: Shape) -> list[Fault]:
    """Return faults for the rules that arguments break, in the words of all others."""
    return explain((entry for error in broken for entry in _errors(error)), data, shape)


def value_fault(fault: Fault) -> str:
    """Return the text of a fault for a value that is no argument."""
    text = fault.text.replace(" argument `", " `", 1)
    return text if fault.path else text.replace("the arguments", "the value", 1)


def _errors(error: Any) -> Iterator[_Error]:
    path, key = tuple(error.absolute_path), str(error.validator)
    limit, value = error.validator_value, error.instance
    if key in ("required", "dependentRequired"):
        yield from ({"type": "missing", "loc": (*path, name)} for name in _missing(limit, value))
    elif key == "additionalProperties" and is_object(value):
        names = _extra(error.schema, value)
        yield from ({"type": "extra_forbidden", "loc": (*path, name)} for name in names)
    elif error.validator is None and path:  # the schema `false`
        yield {"type": "extra_forbidden", "loc": path}
    elif key in _LIMITS:
        kind, name = _LIMITS[key]
        yield {"type": kind, "loc": path, "ctx": {name: limit}}
    elif key in _KEYWORDS_OF_KINDS:
        several = key == ONE_OF and re.search(r"is valid under each of", str(error.message)[-2000:])
        fits = "only one" if several else "one"
        text = "is ruled out" if key in ("enum", "const", "not") else ""
        yield {"type": key, "loc": path, "msg": text or f"must fit {fits} of its alternatives"}
    else:
        say = _WORDS.get(key)
        if key == "uniqueItems":  # which ones are the same is nowhere else
            limit = str(error.message).rpartition(": ")[2]
        text = f"does not fit what `{truncate(key, 60)}` says" if say is None else say(limit)
        yield {"type": "constraint", "loc": path, "ctx": {"wanted": text}}


def _missing(required: Any, value: Any) -> list[str]:
    if is_object(required):
        lists = [names for name, names in required.items() if name in value and is_list(names)]
        required = [name for names in lists for name in names]
    return [name for name in dict.fromkeys(required) if name not in value]


def _extra(schema: Any, value: Mapping[str, Any]) -> list[str]:
    """Return the names in an object that its schema does not know."""
    properties = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    return [
        name
        for name in value
        if name not in properties
        and not any(matches_pattern(pattern, name) for pattern in patterns)
    ]


def _entries(count: Any) -> str:
    return "1 entry" if count == 1 else f"{count} entries"
