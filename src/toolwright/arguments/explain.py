"""Explain faults of arguments, one short line each."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from .._json_values import is_list, is_object, kind_of
from .._words import count_of, nearest, path_text, truncate, value_text
from ..errors import Fault
from ..json_schema.document import ONE_OF
from ..json_schema.walk import COMBINED
from ..schema.explicit import matches_pattern
from .repair import begins_like_json, may_be_several
from .shape import Shape

_MOST_NAMES = 200
MOST_EXPLAINED = 200
"""How many of a validator's errors are read."""
_MOST_HINTS = 10
"""For how many faults the nearest name or value is searched for: this costs the most."""
_NARROWER = ("enum", "const", "format", "pattern")
_SHORT = 40
"""The longest text that is shown as it should be sent, in characters."""
_WORDS_OF_KINDS = {
    "integer": "an integer",
    "number": "a number",
    "string": "a string",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_MISSING = frozenset(("missing", "missing_keyword_only_argument", "missing_argument"))
_UNKNOWN = frozenset(("unexpected_keyword_argument", "extra_forbidden"))
_UNSENDABLE = frozenset(("needs_python_object", "callable_type"))
"""The errors that a part of a type that cannot be sent reports for any value."""
_RULES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than": lambda c: f"must be more than {c['gt']}",
    "greater_than_equal": lambda c: f"must be at least {c['ge']}",
    "less_than": lambda c: f"must be less than {c['lt']}",
    "less_than_equal": lambda c: f"must be at most {c['le']}",
    "multiple_of": lambda c: f"must be a multiple of {c['multiple_of']}",
    "string_too_short": lambda c: f"must have at least {count_of(c['min_length'], 'character')}",
    "string_too_long": lambda c: f"must have at most {count_of(c['max_length'], 'character')}",
    "bytes_too_short": lambda c: f"must have at least {count_of(c['min_length'], 'byte')}",
    "bytes_too_long": lambda c: f"must have at most {count_of(c['max_length'], 'byte')}",
    "too_short": lambda c: f"must have at least {count_of(c['min_length'], _piece(c['got']))}",
    "too_long": lambda c: f"must have at most {count_of(c['max_length'], _piece(c['got']))}",
    "constraint": lambda c: c["wanted"],
    "string_pattern_mismatch": lambda c: f"must match `{c['pattern']}`",
    "finite_number": lambda _: "must be a finite number",
    "bytes_invalid_encoding": lambda _: "must be base64",
    "complex_str_parsing": lambda _: "must be a complex number, such as `1+2j`",
}


def explain(
    errors: Iterable[Mapping[str, Any]], data: Any, shape: Shape, flat: frozenset[str] = frozenset()
) -> list[Fault]:
    """Turn pydantic's errors into faults, one for each place; `flat` keys are not shown."""
    places: dict[tuple[str | int, ...], list[Mapping[str, Any]]] = {}
    for error in itertools.islice(errors, MOST_EXPLAINED):
        places.setdefault(_path_in(error, data), []).append(error)
    deep = [path for path in places if len(path) > 0]
    faults: list[Fault] = []
    for index, (path, same_place) in enumerate(places.items()):
        # Where a union failed, its own arms say no more than the places inside them.
        if len(same_place) > 1 and any(longer[: len(path)] == path != longer for longer in deep):
            continue
        fault = _fault(path, same_place, data, shape, flat, hints=index < _MOST_HINTS)
        if len(path) > 1 and path[0] in flat:
            fault = Fault(path[1:], fault.code, fault.text.replace(f"`{path[0]}.", "`", 1))
        faults.append(fault)
    return faults


def _path_in(error: Mapping[str, Any], data: Any) -> tuple[str | int, ...]:
    """Keep the steps of a location that lead into the data; the rest are names of union arms."""
    path: list[str | int] = []
    steps: list[str | int] = list(error["loc"])
    for index, step in enumerate(steps):
        if is_object(data) and step in data:
            data = data[str(step)]
        elif is_list(data) and isinstance(step, int) and step < len(data):
            data = data[step]
        elif not (index == len(steps) - 1 and error["type"] in _MISSING):
            continue
        path.append(step)
    return tuple(path)


def _fault(
    path: tuple[str | int, ...],
    errors: list[Mapping[str, Any]],
    data: Any,
    shape: Shape,
    flat: frozenset[str],
    *,
    hints: bool,
) -> Fault:
    errors = [error for error in errors if error["type"] not in _UNSENDABLE] or errors
    error = errors[0]
    kind = str(error["type"])
    place = path_text(path)
    if kind in _MISSING:
        node = _node_at(path, shape)
        type_hint = f" ({_wanted(node, shape)})" if node else ""
        return Fault(path, "missing", f"missing argument {place}{type_hint}")
    if kind in _UNSENDABLE:
        path = _left_out(path, shape)
    if kind in _UNKNOWN or kind in _UNSENDABLE:
        return Fault(path, "unknown", unknown(path, shape, flat, hints=hints))
    messages = [
        _said(error_of_author)
        for error_of_author in errors
        if error_of_author["type"] in ("value_error", "assertion_error")
    ]
    if messages:
        return Fault(path, "invalid", f"{place}: {messages[0]}")
    got = f"; got {value_text(_value_at(path, data))}"
    if len(errors) == 1 and kind in _RULES:
        said_of = {"got": _value_at(path, data), **error.get("ctx", {})}
        return Fault(path, kind, f"{place} {_RULES[kind](said_of)}{got}")
    node = _node_at(path, shape)
    if node is None:
        return Fault(path, kind, f"{place}: {plain(str(error['msg']))}{got}")
    near = _nearest(_value_at(path, data), shape.values(node) or []) if hints else None
    hint = f"; did you mean {value_text(near)}?" if near is not None else ""
    value = _value_at(path, data)
    if not hint and kind_of(value) in shape.kinds(node) and shape.values(node) is None:
        # The JSON type is right; the content of the text or number is wrong.
        return Fault(path, kind, f"{place} {plain(str(error['msg']))}{got}")
    hint = hint or _list_hint(value, node, shape)
    return Fault(path, "type", f"{place} must be {_wanted(node, shape)}{got}{hint}")


def _list_hint(value: Any, node: Any, shape: Shape) -> str:
    """Return how to send what came as a text in place of a list; empty if it did not."""
    if not isinstance(value, str) or "array" not in shape.kinds(node):
        return ""
    if begins_like_json(value):
        return "; the JSON in this text is no such list: send the list itself, not a text"
    if not may_be_several(value):
        return ""
    if len(value) > _SHORT or not value.strip():
        return "; send a list with each item on its own"
    arms = shape.arms(shape.child(node, 0)) or ({"type": "string"},)
    takes_any = any(
        arm.keys().isdisjoint(_NARROWER) and arm.get("type", "string") == "string" for arm in arms
    )
    example = f": {value_text([value])} is one item" if takes_any else ""
    return f"; send a list with each item on its own{example}"


def unknown(
    path: tuple[str | int, ...],
    shape: Shape,
    flat: frozenset[str] = frozenset(),
    *,
    hints: bool = True,
) -> str:
    """Return the message for an unknown argument, with the nearest known one."""
    if not hints:
        return f"unknown argument {path_text(path)}"
    *above, last = path
    node = _node_at(tuple(above), shape)
    names = [name for arm in shape.arms(node) for name in arm.get("properties", ())]
    if not above:
        names += [
            name
            for key in flat
            for arm in shape.arms(shape.child(shape.root, key))
            for name in arm.get("properties", ())
        ]
    near = _nearest(str(last), [name for name in names if name not in flat])
    hint = f"; did you mean `{near}`?" if near is not None else ""
    return f"unknown argument {path_text(path)}{hint}"


def _left_out(path: tuple[str | int, ...], shape: Shape) -> tuple[str | int, ...]:
    """Return the place of the field that a schema leaves out, at or above a place."""
    for end in range(1, len(path)):
        if _node_at(path[:end], shape) is None:
            return path[:end]
    return path


def _nearest(value: Any, known: list[Any]) -> Any:
    """Return the known name or value that is nearest; the search is bounded."""
    if not isinstance(value, str) or len(value) > 100:
        return None
    names = {
        str(candidate).casefold(): candidate
        for candidate in known[:_MOST_NAMES]
        if isinstance(candidate, str)
    }
    exact = names.get(value.casefold())
    if exact is not None or not names:
        return exact
    return names.get(nearest(value.casefold(), names))


def _node_at(path: tuple[str | int, ...], shape: Shape) -> Any:
    node: Any = shape.root
    for step in path:
        node = shape.child(node, step)
    return node


def _value_at(path: tuple[str | int, ...], data: Any) -> Any:
    for step in path:
        data = data[step]
    return data


def _wanted(node: Any, shape: Shape) -> str:
    values = shape.values(node)
    if values:
        choices = ", ".join(value_text(value) for value in values[:10])
        return f"one of {choices}" + (", ..." if len(values) > 10 else "")
    kinds = sorted(shape.kinds(node) - ({"integer"} if "number" in shape.kinds(node) else set()))
    if not kinds:
        return "a valid value"
    if kinds == ["array"]:
        items = shape.kinds(shape.child(node, 0))
        return f"a list of {next(iter(items))}s" if len(items) == 1 else "a list"
    return " or ".join(_WORDS_OF_KINDS[kind] for kind in kinds)


def _piece(value: Any) -> str:
    return "character" if isinstance(value, str) else "item"


def _said(error: Mapping[str, Any]) -> str:
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return truncate(message, 300)


def plain(message: str) -> str:
    """Put the message of a validator in our own form."""
    text = message.removeprefix("Input should be ").removeprefix("Value should be ")
    return f"must be {text}" if text != message else message[:1].lower() + message[1:]


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
_WORDS_OF_KEYWORDS: Mapping[str, Callable[[Any], str]] = {
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
        say = _WORDS_OF_KEYWORDS.get(key)
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
