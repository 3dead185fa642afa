"""What all parts of a writer of schemas need."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..._json_values import JsonObject, is_list, is_object
from ..codecs import JSON_KEY, Codec
from ..rules import Rules
from .parse import ParsedDocument
from .shapes import SchemaShape
from .words import in_words, with_sentences

IN_WORDS = "is only said in words; the tool itself still checks it"


_MOST_LOSSES = 200
"""How many losses of one tool are named."""


class LossPlace(NamedTuple):
    """One thing that a dialect could not express, and where."""

    path: str
    keyword: str
    message: str


_MORE_LOSSES = LossPlace("", "", "there are more losses than are named here")


class Written(NamedTuple):
    """A schema that a dialect accepts, and the codec that undoes it."""

    schema: JsonObject
    codec: Codec | None = None
    is_text: bool = False
    """Whether it is written as JSON text."""


class ShapeWriter(ABC):
    """Writes shapes as one dialect has them: what all parts of that need."""

    def __init__(self, document: ParsedDocument, rules: Rules) -> None:
        self.document = document
        self.rules = rules
        self.places: dict[LossPlace, None] = {}
        """What the dialect could not express, each once."""

    @abstractmethod
    def write(self, shape: SchemaShape, path: str) -> Written:
        """Return a shape as a schema."""

    def lose(self, path: str, keyword: str, message: str = IN_WORDS) -> None:
        """Note what the dialect cannot express."""
        if len(self.places) < _MOST_LOSSES:
            self.places[LossPlace(path, keyword, message)] = None
        else:
            self.places[_MORE_LOSSES] = None

    def finish(
        self, schema: JsonObject, shape: SchemaShape, sentences: list[str], *, changed: bool = False
    ) -> JsonObject:
        """Add the notes of a shape, and what had to be said in words."""
        notes = shape.notes
        if not notes and not sentences:
            return schema
        description = _text(schema.get("description"))
        own_description = _text(notes.get("description"))
        text = with_sentences(
            own_description, [description] if description and description != own_description else []
        )
        sentences = [*self._noted(schema, notes, text, changed=changed), *sentences]
        text = with_sentences(text, sentences)
        if text:
            schema["description"] = text
        return schema

    def _noted(
        self, schema: JsonObject, notes: Mapping[str, Any], text: str, *, changed: bool
    ) -> list[str]:
        """Add notes that the dialect has; return the others in words."""
        sentences: list[str] = []
        for key, value in notes.items():
            if key == "description":
                continue
            is_supported = key in self.rules.keywords and not (
                changed and key in ("default", "examples")
            )
            if is_supported:
                schema[key] = value
            elif key == "title":
                if value and value != text:
                    sentences.append(f"Title: {value}.")
            elif key == "default":
                sentences += [in_words(key, value)] if value is not None else []
            elif value and key not in ("readOnly", "writeOnly"):
                sentences.append(in_words(key, value))
        return sentences

    def rest(self, schema: JsonObject, shape: SchemaShape, path: str) -> list[str]:
        """Add what only some dialects have; return the rest in words."""
        if not shape.rest:
            return []
        unsupported: dict[str, Any] = {}
        for key, value in shape.rest.items():
            if key not in self.rules.keywords or key in schema or not _is_plain(value, self.rules):
                unsupported[key] = value
            else:
                schema[key] = value
        return self.all_in_words(unsupported, path)

    def all_in_words(self, rest: Mapping[str, Any], path: str) -> list[str]:
        """Return keywords that the dialect does not have in words, and note them."""
        for key in rest:
            if key not in ("then", "else", "minContains", "maxContains"):
                self.lose(path, key)
        return [in_words(key, value) for key, value in rest.items()]


_NOT_PLAIN = frozenset(
    (
        *("$ref", "$dynamicRef", "properties", "patternProperties", "propertyNames"),
        *("items", "prefixItems", "additionalItems", "contains", "dependencies"),
    )
)


def _is_plain(value: Any, rules: Rules) -> bool:
    """Return whether schemas can be kept as they were written: nothing in them must change."""
    banned = _NOT_PLAIN
    if rules.keys is not None:
        banned |= {"required", "dependentRequired"}
    if rules.patterns != "any":
        banned |= {"pattern"}
    todo = [value]
    while todo:
        node = todo.pop()
        if is_list(node):
            todo.extend(node)
        elif is_object(node):
            if node.keys() & banned or is_list(node.get("type")):
                return False
            todo.extend(node.values())
    return True


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def closed_object(properties: dict[str, Any], rules: Rules) -> JsonObject:
    """Return an object that must have all of some properties, and no others."""
    schema: JsonObject = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
    }
    if rules.extra != "omit":
        schema["additionalProperties"] = False
    return schema


def json_text(rules: Rules, description: str) -> JsonObject:
    """Return the schema of a value as JSON text."""
    text = {"type": "string", "description": description}
    return closed_object({JSON_KEY: text}, rules)
