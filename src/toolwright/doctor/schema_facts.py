"""Facts about schemas of tools, by the node of a whole."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._json_values import JsonObject, is_list, is_object
from ..json_schema.document import Document
from ..json_schema.facts import Facts, SchemaReader
from ..json_schema.walk import reachable

MARKER = "x-user-providable"
"""Says that a user can give a value: no other tool has to (platools' keyword)."""
_MOST_NODES = 5_000
"""How many nodes of one schema are looked at: a schema may contain itself."""


class _Whole:
    """A whole schema, as a key."""

    def __init__(self, root: JsonObject) -> None:
        self.root = root

    def __hash__(self) -> int:
        return id(self.root)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Whole) and other.root is self.root


@functools.lru_cache(maxsize=500)
def _reader(whole: _Whole) -> SchemaReader:
    return SchemaReader(Document(whole.root))


def facts_of(root: JsonObject, node: Any) -> Facts:
    """Return what a node of a schema says."""
    return _reader(_Whole(root)).facts(node)


def nodes_within(root: JsonObject, node: Any) -> Iterator[JsonObject]:
    """Yield every schema inside a node, through references, each once, and never endlessly."""
    return reachable(_reader(_Whole(root)).document, node)


def description_of(root: JsonObject, node: Any) -> str:
    """Return the nearest description of a node: its own, or that of what it refers to."""
    return facts_of(root, node).description


def kinds_of(root: JsonObject, node: Any) -> frozenset[str]:
    """Return the JSON types that a node takes; empty if it says nothing about them."""
    facts = facts_of(root, node)
    if facts.is_anything:
        return frozenset()
    return facts.kinds - {"integer"} if "number" in facts.kinds else facts.kinds


def fits(given: frozenset[str], taken: frozenset[str]) -> bool:
    """Return whether values of the given types may fit where others are wanted."""
    given, taken = given - {"null"}, taken - {"null"}
    if not given or not taken or given & taken:
        return True
    # A number may be whole.
    return bool(given & {"integer", "number"} and taken & {"integer", "number"})


def is_providable(root: JsonObject, node: Any) -> bool:
    """Return whether a user can give the value: it is marked, or all its values are known."""
    facts = facts_of(root, node)
    if facts.values or any(arm.get(MARKER) is True for arm in facts.arms):
        return True
    return facts.kinds - {"null"} == frozenset(("boolean",))


def is_marked(root: JsonObject, node: Any) -> bool:
    """Return whether a node says if users can give its value."""
    return any(MARKER in arm for arm in facts_of(root, node).arms)


class SchemaField(NamedTuple):
    """A field anywhere in a schema: its name, its own schema, and how deep it is."""

    name: str
    node: Any
    depth: int


def fields_of(root: JsonObject) -> Iterator[SchemaField]:
    """Yield every field of a schema, including those of items and of fields, outermost first."""
    todo: list[tuple[Any, int]] = [(root, 0)]
    visited: set[int] = set()
    position = 0
    while position < len(todo) and len(visited) < _MOST_NODES:
        node, depth = todo[position]
        position += 1
        for arm in facts_of(root, node).arms:
            if id(arm) in visited:
                continue
            visited.add(id(arm))
            item_schemas = (arm.get(word) for word in ("items", "additionalProperties"))
            todo.extend((schema, depth) for schema in item_schemas if is_object(schema))
            if is_list(arm.get("prefixItems")):
                todo.extend((schema, depth) for schema in arm["prefixItems"])
            properties = arm.get("properties")
            for name, field in properties.items() if is_object(properties) else ():
                yield SchemaField(name, field, depth)
                todo.append((field, depth + 1))


def parts_of(root: JsonObject, node: Any) -> Mapping[str, Any]:
    """Return the required fields of an object, or of a list's items: what it is assembled from."""
    facts = facts_of(root, node)
    facts = facts.items if is_object(facts.item) else facts
    return {name: facts.properties[name] for name in facts.required if name in facts.properties}
