"""The declared shape of arguments, for repairing and explaining them.

It is worked out when a call first fails: from the same adapter as everything else, or from the
schema that an author or another server wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._json_values import JsonObject, is_object
from ..json_schema.document import Document
from ..json_schema.facts import Facts, SchemaReader
from ..json_schema.normal_form import NOTHING, normal_form
from ..schema.explicit import searcher
from ..schema.generate import MEMBERS_KEY


class Shape:
    """A schema with its definitions; nodes are looked at through it."""

    def __init__(self, root: JsonObject, definitions: JsonObject | None = None) -> None:
        schema = {**root, "$defs": definitions} if definitions else root
        self._reader = SchemaReader(Document(schema))
        facts = self._reader.facts()
        # A root may be put together from parts, each of which says something about arguments.
        is_plain = len(facts.arms) == 1 and facts.arms[0] is schema
        self.root = schema if is_plain and not _is_closed(schema) else _plain_root(facts)
        # By the identity of nodes, all of which this shape holds.
        self._choices: dict[int, Choices | None] = {}
        self._members: dict[int, Choices] = {}

    def arms(self, node: Any) -> tuple[JsonObject, ...]:
        """Return the alternatives of a node, references and unions opened."""
        return self._reader.facts(node).arms if is_object(node) else ()

    def kinds(self, node: Any) -> frozenset[str]:
        """Return the JSON types a node admits; an empty set means any."""
        if not is_object(node):
            return frozenset()
        facts = self._reader.facts(node)
        return frozenset() if facts.is_anything else facts.kinds

    def values(self, node: Any) -> list[Any] | None:
        """Return the values a node admits, if it lists them all."""
        return self._reader.facts(node).values if is_object(node) else None

    def choices(self, node: Any) -> Choices | None:
        """Return the texts a node admits, if it lists all of its values."""
        if id(node) not in self._choices:
            values = self.values(node)
            if values is not None:
                values = [text for text in values if isinstance(text, str)]
            self._choices[id(node)] = (
                None if values is None else Choices(values, self.members(node).members)
            )
        return self._choices[id(node)]

    def members(self, node: Any) -> Choices:
        """Return the members of the enums a node admits, by name."""
        choices = self._members.get(id(node))
        if choices is None:
            members: dict[str, Any] = {}
            for arm in self.arms(node):
                members.update(arm.get(MEMBERS_KEY, {}))
            choices = self._members[id(node)] = Choices([], members)
        return choices

    def object_for(self, node: Any, value: Mapping[str, Any]) -> JsonObject | None:
        """Return the only object that a node admits, or the only one whose tags fit a value."""
        objects = [arm for arm in self.arms(node) if arm.get("type") == "object"]
        if len(objects) > 1:
            objects = [arm for arm in objects if self._tags_fit(arm, value)]
        return objects[0] if len(objects) == 1 else None

    def _tags_fit(self, arm: JsonObject, value: Mapping[str, Any]) -> bool:
        for name, node in arm.get("properties", {}).items():
            values = self.values(node)
            if values is not None and len(values) == 1 and value.get(name, values[0]) not in values:
                return False
        return True

    def child(self, node: Any, key: str | int) -> Any:
        """Return the node of a property or an item."""
        for arm in self.arms(node):
            if isinstance(key, str):
                subschema = arm.get("properties", {}).get(key)
                if subschema is None:
                    subschema = next(_matching(arm, key), arm.get("additionalProperties"))
            else:
                positions = arm.get("prefixItems", [])
                subschema = positions[key] if key < len(positions) else arm.get("items")
            if is_object(subschema):
                return subschema
        return None


class Choices:
    """Texts to choose from, found by a member's name or regardless of case."""

    def __init__(self, values: Sequence[str], members: Mapping[str, Any]) -> None:
        self.values = frozenset(values)
        self.members = members
        self._folded_values = _by_folded((text, text) for text in values)
        self._folded_names = _by_folded(members.items())

    def named(self, text: str, default: Any) -> Any:
        """Return the one value that a text names."""
        if text in self.members:
            return self.members[text]
        folded = text.strip().casefold()
        near = self._folded_values.get(folded, ())
        if len(near) != 1:
            near = self._folded_names.get(folded, ())
        return near[0] if len(near) == 1 else default


def _by_folded(named: Iterable[tuple[str, Any]]) -> dict[str, list[Any]]:
    by_folded: dict[str, list[Any]] = {}
    for name, value in named:
        by_folded.setdefault(name.casefold(), []).append(value)
    return by_folded


def _matching(arm: JsonObject, key: str) -> Iterator[Any]:
    """Yield the schemas of the patterns that a name matches."""
    for pattern, subschema in arm.get("patternProperties", {}).items():
        search = searcher(pattern)
        if search is not None and search(key):
            yield subschema


def _plain_root(said: Facts) -> JsonObject:
    """Return one object for what the parts of a root say together."""
    additional = said.keyword("additionalProperties", True)
    return {
        "type": "object",
        "properties": dict(said.properties),
        "required": said.required,
        "additionalProperties": additional != NOTHING and additional,
    }


def _is_closed(root: JsonObject) -> bool:
    """Return whether a root in normal form has no other properties."""
    return root.get("additionalProperties") == NOTHING


def shape_of(schema: Mapping[str, Any]) -> Shape:
    """Return the shape of a schema that somebody else wrote."""
    return Shape(normal_form(dict(schema)))
