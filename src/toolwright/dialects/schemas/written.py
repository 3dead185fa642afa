"""What the parts of a writer pass to each other."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from ..._json_values import JsonObject
from ..codecs import JSON_KEY, Codec
from ..facts.rules import Rules
from .parse import ParsedDocument
from .shapes import SchemaShape

IN_WORDS = "is only said in words; the tool itself still checks it"


class Written(NamedTuple):
    """A schema that a dialect accepts, and the codec that undoes it."""

    schema: JsonObject
    codec: Codec | None = None
    is_text: bool = False
    """Whether it is written as JSON text."""


class ShapeWriter(Protocol):
    """Writes shapes as one dialect has them."""

    rules: Rules
    document: ParsedDocument

    def write(self, shape: SchemaShape, path: str) -> Written:
        """Return a shape as a schema."""
        ...

    def lose(self, path: str, keyword: str, message: str = IN_WORDS) -> None:
        """Note what the dialect cannot express."""
        ...

    def finish(
        self, schema: JsonObject, shape: SchemaShape, sentences: list[str], *, changed: bool = False
    ) -> JsonObject:
        """Add the notes of a shape, and what had to be said in words."""
        ...

    def rest(self, schema: JsonObject, shape: SchemaShape, path: str) -> list[str]:
        """Add what only some dialects have; return the rest in words."""
        ...


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
