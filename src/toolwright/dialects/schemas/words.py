"""Keywords that a dialect does not have, said in words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..._json_values import is_list, is_object
from ..._words import truncate, value_text
from ...json_schema.document import Document, combined

_LONGEST = 300
_MOST_DEPTH = 4
_MOST_ARMS = 5
_MOST_NAMES = 8
_BOXES = ("x-toolwright-box", "x-fastmcp-wrap-result")
"""Keys by which servers mark a value that is wrapped in `{"result": ...}`."""
_RETURNS = re.compile(r"^[^\w\n]*(?:returns?|yields?)\b", re.IGNORECASE | re.MULTILINE)
_NOUNS = {
    "string": ("a string", "strings"),
    "integer": ("an integer", "integers"),
    "number": ("a number", "numbers"),
    "boolean": ("a boolean", "booleans"),
    "array": ("a list", "lists"),
    "object": ("an object", "objects"),
    "null": ("null", "null"),
}
"""What one value of a type is called, and what many are."""


def in_words(key: str, value: Any) -> str:
    """Return a keyword and its value as a sentence."""
    say = _SENTENCES.get(key)
    return say(value) if say is not None else f"{key}: {shown(value)}."


def shown(value: Any) -> str:
    """Return a value as JSON, cut where it is long."""
    return value_text(value, _LONGEST)


def with_sentences(text: str, sentences: list[str]) -> str:
    """Return a description followed by sentences."""
    if not sentences:
        return text
    addition = " ".join(sentences)
    text = text.rstrip()
    if not text:
        return addition
    return f"{text} {addition}" if text[-1] in ".!?:;" else f"{text}. {addition}"


def with_returns(text: str, schema: Any) -> str:
    """Return a description followed by what a tool with this output schema returns."""
    words = _ResultWords(schema)
    if is_object(schema) and any(schema.get(key) for key in _BOXES):
        schema = schema.get("properties", {}).get("result")
    phrase = words.said(schema)
    if not phrase or phrase == "null":
        return text
    sentence = f"The result is {phrase}." if _RETURNS.search(text) else f"Returns {phrase}."
    # A text of many lines may end in a list, or an example.
    return f"{text.rstrip()}\n\n{sentence}" if "\n" in text else with_sentences(text, [sentence])


class _ResultWords:
    """Says in a few words what values a schema admits; nothing where they could be any."""

    def __init__(self, root: Any) -> None:
        self._document = Document(root)

    def said(self, node: Any, depth: int = 0, *, many: bool = False) -> str:
        """Return the words for one value, or for many."""
        if not is_object(node) or depth > _MOST_DEPTH:
            return ""
        parts = combined(node)
        if parts.reference is not None:
            target = self._document.resolve(parts.reference, node)
            return self.said(target, depth + 1, many=many)
        for union in parts.unions():
            return self._union(union, depth, many=many)
        values = node.get("enum", [node["const"]] if "const" in node else None)
        if is_list(values) and 0 < len(values) <= _MOST_ARMS:
            return " or ".join(map(shown, values))
        kind = node.get("type")
        if is_list(kind):
            return self._union(
                [{**node, "type": type_name} for type_name in kind], depth, many=many
            )
        if not isinstance(kind, str) or kind not in _NOUNS:
            return ""
        return _NOUNS[kind][many] + self._rest(kind, node, depth)

    def _union(self, arms: list[Any], depth: int, *, many: bool) -> str:
        if len(arms) > _MOST_ARMS:
            return ""
        phrases = [self.said(arm, depth + 1, many=many) for arm in arms]
        return " or ".join(dict.fromkeys(phrases)) if all(phrases) else ""

    def _rest(self, kind: str, node: Any, depth: int) -> str:
        """Return what is said of the format, items or fields of a value."""
        if kind == "string":
            format_name = node.get("format")
            return f" ({_cut_name(format_name)})" if isinstance(format_name, str) else ""
        if kind == "array":
            items = self.said(node.get("items"), depth + 1, many=True)
            return f" of {items}" if items else ""
        if kind != "object" or depth > 2:
            return ""
        fields = node.get("properties")
        if is_object(fields) and fields:
            names = [f"`{_cut_name(name)}`" for name in list(fields)[:_MOST_NAMES]]
            return f" with {', '.join([*names, *(['...'] if len(fields) > len(names) else [])])}"
        values = self.said(node.get("additionalProperties"), depth + 1, many=True)
        return f" whose values are {values}" if values else ""


def _cut_name(name: str) -> str:
    return truncate(name, 40)


def _choice(values: Any) -> str:
    listed = values if is_list(values) else [values]
    text = ", ".join(shown(member) for member in listed[:50])
    return f"One of: {text}{', ...' if len(listed) > 50 else ''}."


def _groups(branches: Any) -> str:
    names = [
        " and ".join(f"`{key}`" for key in branch["required"])
        for branch in branches
        if is_object(branch) and is_list(branch.get("required"))
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
        f"With `{key}`, {', '.join(f'`{need}`' for need in needs)} must be given."
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
