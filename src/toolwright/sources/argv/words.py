"""JSON values as words of a command line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ..._words import truncate
from ..program import UNSET, CommandParameter

MAX_COUNT = 100
"""How often a flag may be repeated: a caller sends one number and gets that many words."""

MAX_WORD = 131_071
"""The longest word in bytes: Linux takes 32 pages with the closing NUL (execve(2))."""

SAYS_OFF = frozenset(
    ("", "0", "f", "n", "false", "off", "no", "none", "null", "disabled", "unset", "not set")
)
"""How help texts and variables say that an option is not given."""


class RefusedValue(ValueError):
    """A value that the program could read as something else, or that no word can hold."""

    def __init__(self, parameter: CommandParameter, reason: str, index: int | None = None) -> None:
        place = parameter.name if index is None else f"{parameter.name}[{index}]"
        super().__init__(f"{place} {reason}")
        self.parameter = parameter
        self.reason = reason
        self.index = index


def lost(parameter: CommandParameter, value: Any) -> str:
    """Return why a value cannot be said by writing nothing; empty if that says it.

    Without any word, the program uses its own default.
    """
    default, text = parameter.default, parameter.default_text.strip("[]{}()'\". ").lower()
    if text in SAYS_OFF if default is UNSET else default == value:
        return ""
    if parameter.emit == "flag":
        return "cannot be false: the program has no flag that switches it off"
    if parameter.emit == "negative":
        return "cannot be true: the program has no flag that switches it on"
    return f"cannot be {shown(value)}: no word says that, and the program would use its default"


def settable(parameter: CommandParameter) -> Mapping[str, Any]:
    """Return the schema of the values that the words of a parameter can say."""
    schema = parameter.schema
    match parameter.emit:
        case "flag" if lost(parameter, False):
            return {**schema, "enum": [True]}
        case "negative" if lost(parameter, True):
            return {**schema, "enum": [False]}
        case "count" if lost(parameter, 0):
            return {**schema, "minimum": max(1, schema.get("minimum", 1))}
        case "choices" if schema.get("items", {}).get("type") == "boolean":
            values = [
                state for state in (True, False) if as_text(parameter, state) in parameter.chosen_by
            ]
            return {**schema, "items": {**schema["items"], "enum": values}}
        case _:
            return schema


def switch(parameter: CommandParameter, value: Any) -> Iterator[str]:
    """Yield the flag that means true or false, if one is needed."""
    if not isinstance(value, bool):
        raise RefusedValue(parameter, f"must be true or false, not {shown(value)}")
    if parameter.emit == "negative":
        yield from () if value else (parameter.negatives or parameter.flags)[:1]
    elif value:
        yield parameter.flags[0]
    elif parameter.emit == "pair":
        yield parameter.negatives[0]


def times(parameter: CommandParameter, value: Any) -> int:
    """Return how often to repeat a flag for a number."""
    if not isinstance(value, int | float) or value != value // 1 or not 0 <= value <= MAX_COUNT:
        raise RefusedValue(parameter, f"must be a whole number from 0 to {MAX_COUNT}")
    return int(value)


def chosen(parameter: CommandParameter, value: Any, index: int | None) -> str:
    """Return the flag that stands for a value."""
    text = as_text(parameter, value, index)
    if text not in parameter.chosen_by:
        choices = ", ".join(parameter.chosen_by)
        raise RefusedValue(parameter, f"must be one of {choices}, not {shown(text)}", index)
    return parameter.chosen_by[text]


def as_word(parameter: CommandParameter, text: str, index: int | None = None) -> str:
    """Return a text if it can be a word, or the value in one."""
    if "\0" in text:
        raise RefusedValue(parameter, "must not contain NUL", index)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise RefusedValue(parameter, "must not contain a lone surrogate", index) from None
    if size + 256 > MAX_WORD:  # leaves room for a flag before it
        raise RefusedValue(parameter, f"is {size} bytes long; a word has at most {MAX_WORD}", index)
    if text.lower() in parameter.refused_values:
        reason = f"must not be {shown(text)}: the program would read it as something else"
        raise RefusedValue(parameter, reason, index)
    if text and text[0] in parameter.refused_prefixes:
        reason = f"must not begin with `{text[0]}`: the program would read it as something else"
        raise RefusedValue(parameter, reason, index)
    return text


def as_text(parameter: CommandParameter, value: Any, index: int | None = None) -> str:
    """Return a JSON value as the text that programs read."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            try:
                return str(value)
            except ValueError:  # Python's own limit: more digits take quadratic time
                raise RefusedValue(parameter, "has too many digits", index) from None
        case float() if math.isfinite(value):
            is_whole = _type_at(parameter.schema, index) == "integer" and value.is_integer()
            return str(int(value)) if is_whole else repr(value)
        case _:
            raise RefusedValue(parameter, f"cannot be {shown(value)}", index)


def _type_at(schema: Mapping[str, Any], index: int | None) -> Any:
    """Return the type of a value, or of an item of an array of any depth."""
    if index is not None:
        prefix = schema.get("prefixItems", ())
        schema = prefix[index] if index < len(prefix) else schema.get("items", {})
        while schema.get("type") == "array" and "items" in schema:
            schema = schema["items"]
    return schema.get("type")


def shown(value: Any) -> str:
    """Return the beginning of a value, for a one-line message."""
    text = repr(value) if isinstance(value, str | int | float) else type(value).__name__
    if value is None or isinstance(value, bool):
        text = json.dumps(value)
    elif isinstance(value, list | dict) and not value:
        text = "empty"
    return truncate(text, 60)


def as_list(parameter: CommandParameter, value: Any) -> Sequence[Any]:
    """Return a value that must be a list."""
    if not isinstance(value, list | tuple):
        raise RefusedValue(parameter, f"must be a list, not {shown(value)}")
    return cast("Sequence[Any]", value)


def pairs_of(parameter: CommandParameter, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a value that must be an object."""
    if not isinstance(value, Mapping):
        raise RefusedValue(parameter, f"must be an object, not {shown(value)}")
    for key, item in cast("Mapping[Any, Any]", value).items():
        yield str(key), item


def flattened(value: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Yield items, or the items of those that are lists, each with its outer index."""
    for index, item in enumerate(value):
        if isinstance(item, list | tuple):
            yield from ((index, part) for part in cast("Sequence[Any]", item))
        else:
            yield index, item


def as_json(parameter: CommandParameter, value: Any) -> str:
    """Return any value as compact JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise RefusedValue(parameter, "cannot be written as JSON") from None


def as_csv(parameter: CommandParameter, index: int, item: Any) -> str:
    """Return an item as a field of comma-separated values."""
    text = as_text(parameter, item, index)
    if "\r" in text:  # CSV readers drop it before a newline
        raise RefusedValue(parameter, "must not contain a carriage return", index)
    needs_quotes = not text or text != text.strip() or set(text) & set(',"\n')
    return quoted(text) if needs_quotes else text


def quoted(text: str) -> str:
    """Return a text as a quoted field of comma-separated values."""
    return '"' + text.replace('"', '""') + '"'
