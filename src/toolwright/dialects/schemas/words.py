"""Keywords that a dialect does not have, said in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..._json_values import is_list, is_object

_LONGEST = 300


def in_words(key: str, value: Any) -> str:
    """Return a keyword and its value as a sentence."""
    say = _SENTENCES.get(key)
    return say(value) if say is not None else f"{key}: {shown(value)}."


def shown(value: Any) -> str:
    """Return a value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def with_sentences(text: str, sentences: list[str]) -> str:
    """Return a description followed by sentences."""
    if not sentences:
        return text
    said = " ".join(sentences)
    text = text.rstrip()
    if not text:
        return said
    return f"{text} {said}" if text[-1] in ".!?:;" else f"{text}. {said}"


def _choice(values: Any) -> str:
    listed = values if is_list(values) else [values]
    text = ", ".join(shown(each) for each in listed[:50])
    return f"One of: {text}{', ...' if len(listed) > 50 else ''}."


def _groups(branches: Any) -> str:
    names = [
        " and ".join(f"`{key}`" for key in each["required"])
        for each in branches
        if is_object(each) and is_list(each.get("required"))
    ]
    return "; or ".join(names)


def _any_of(branches: Any) -> str:
    if groups := _groups(branches):
        return f"At least one of these must be given: {groups}."
    return f"Must fit one of: {shown(branches)}."


def _one_of(branches: Any) -> str:
    if groups := _groups(branches):
        return f"Just one of these must be given: {groups}."
    return f"Must fit just one of: {shown(branches)}."


def _needs(value: Any) -> str:
    if not is_object(value):
        return f"dependentRequired: {shown(value)}."
    return " ".join(
        f"With `{key}`, {', '.join(f'`{each}`' for each in needs)} must be given."
        for key, needs in value.items()
        if is_list(needs)
    )


_SENTENCES: dict[str, Callable[[Any], str]] = {
    "minLength": lambda value: f"At least {value} characters.",
    "maxLength": lambda value: f"At most {value} characters.",
    "pattern": lambda value: f"Must match the pattern {value}",
    "format": lambda value: f"Format: {value}.",
    "minimum": lambda value: f"At least {value}.",
    "maximum": lambda value: f"At most {value}.",
    "exclusiveMinimum": lambda value: f"More than {value}.",
    "exclusiveMaximum": lambda value: f"Less than {value}.",
    "multipleOf": lambda value: f"A multiple of {value}.",
    "minItems": lambda value: f"At least {value} items.",
    "maxItems": lambda value: f"At most {value} items.",
    "uniqueItems": lambda _: "No item twice.",
    "contains": lambda value: f"One item fits {shown(value)}.",
    "minProperties": lambda value: f"At least {value} entries.",
    "maxProperties": lambda value: f"At most {value} entries.",
    "propertyNames": lambda value: f"Keys must fit {shown(value)}.",
    "not": lambda value: f"Must not fit {shown(value)}.",
    "if": lambda value: f"If it fits {shown(value)}:",
    "then": lambda value: f"then it must fit {shown(value)}.",
    "else": lambda value: f"else it must fit {shown(value)}.",
    "allOf": lambda value: f"Must also fit all of {shown(value)}.",
    "anyOf": _any_of,
    "oneOf": _one_of,
    "dependentRequired": _needs,
    "enum": _choice,
    "default": lambda value: f"Default: {shown(value)}.",
    "examples": lambda value: (
        f"Examples: {', '.join(map(shown, value)) if is_list(value) else shown(value)}."
    ),
    "unevaluatedProperties": lambda _: "Nothing else may be given.",
    "unevaluatedItems": lambda _: "No further items.",
    "deprecated": lambda _: "Deprecated.",
}
