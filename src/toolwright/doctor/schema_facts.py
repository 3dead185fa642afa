"""Facts about JSON Schemas, seen through references and unions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from .._json_values import JsonObject, is_list, is_object
from ..json_schema.walk import LISTS, MAPS, SINGLES

MARKER = "x-user-providable"
"""Says that a user can give a value: no other tool has to (platools' keyword)."""
_MOST_NODES = 5_000
"""How many nodes of one schema are looked at: a schema may contain itself."""
_ARMS = ("anyOf", "oneOf", "allOf")
_KINDS: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    dict: "object",
    list: "array",
    type(None): "null",
}


def pointed_at(root: JsonObject, reference: object) -> Any:
    """Return what a reference inside a document points at (RFC 6901); None if nothing is there."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Any = root
    for part in unquote(reference[1:]).split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if is_object(found):
            found = found.get(name)
        elif is_list(found) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            return None
    return found


def arms_of(root: JsonObject, node: Any) -> Iterator[JsonObject]:
    """Yield a node and everything it refers to or chooses from, each once."""
    todo, seen = [node], set[int]()
    while todo and len(seen) < _MOST_NODES:
        found = todo.pop()
        if not is_object(found) or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if "$ref" in found:
            todo.append(pointed_at(root, found["$ref"]))
        for word in _ARMS:
            arms = found.get(word)
            if is_list(arms):
                todo.extend(reversed(arms))


def nodes_within(root: JsonObject, node: Any) -> Iterator[JsonObject]:
    """Yield every schema inside a node, through references, each once, and never endlessly."""
    todo, seen = [node], set[int]()
    while todo and len(seen) < _MOST_NODES:
        found = todo.pop()
        if not is_object(found) or id(found) in seen:
            continue
        seen.add(id(found))
        yield found
        if "$ref" in found:
            todo.append(pointed_at(root, found["$ref"]))
        for word, value in found.items():
            if word in SINGLES:
                todo.append(value)
            elif word in LISTS and is_list(value):
                todo.extend(value)
            elif word in MAPS and word != "$defs" and is_object(value):
                todo.extend(value.values())


def properties_of(root: JsonObject, node: Any) -> dict[str, Any]:
    """Return the properties of a node by name."""
    found: dict[str, Any] = {}
    for arm in arms_of(root, node):
        properties = arm.get("properties")
        if is_object(properties):
            for name, schema in properties.items():
                found.setdefault(name, schema)
    return found


def required_of(root: JsonObject, node: Any) -> list[str]:
    """Return the names that a node requires, however it is put together."""
    found: dict[str, None] = {}
    todo, seen = [node], set[int]()
    while todo and len(seen) < _MOST_NODES:
        arm = todo.pop()
        if not is_object(arm) or id(arm) in seen:
            continue
        seen.add(id(arm))
        names = arm.get("required")
        if is_list(names):
            found.update(dict.fromkeys(name for name in names if isinstance(name, str)))
        if "$ref" in arm:
            todo.append(pointed_at(root, arm["$ref"]))
        if is_list(arm.get("allOf")):
            todo.extend(arm["allOf"])
    return list(found)


def description_of(root: JsonObject, node: Any) -> str:
    """Return the nearest description of a node: its own, or that of what it refers to."""
    for arm in arms_of(root, node):
        text = arm.get("description")
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""


def kinds_of(root: JsonObject, node: Any) -> frozenset[str]:
    """Return the JSON types that a node takes; empty if it says nothing about them."""
    found: set[str] = set()
    for arm in arms_of(root, node):
        kind = arm.get("type")
        if isinstance(kind, str):
            found.add(kind)
        elif is_list(kind):
            found.update(each for each in kind if isinstance(each, str))
        elif is_list(arm.get("enum")):
            found.update(kind_of(value) for value in arm["enum"])
        elif "const" in arm:
            found.add(kind_of(arm["const"]))
        elif not any(word in arm for word in (*_ARMS, "$ref")):
            return frozenset()  # this arm takes anything
    return frozenset(found)


def kind_of(value: object) -> str:
    """Return the JSON type of a value."""
    return _KINDS.get(type(value), "object")


def fits(given: frozenset[str], taken: frozenset[str]) -> bool:
    """Return whether values of the given types may fit where others are wanted."""
    given, taken = given - {"null"}, taken - {"null"}
    if not given or not taken or given & taken:
        return True
    # Every integer is a number, and a number may be whole.
    return bool(given & {"integer", "number"} and taken & {"integer", "number"})


def is_providable(root: JsonObject, node: Any) -> bool:
    """Return whether a user can give the value: it is marked, or all its values are known."""
    for arm in arms_of(root, node):
        if arm.get(MARKER) is True or is_list(arm.get("enum")) or "const" in arm:
            return True
    return kinds_of(root, node) - {"null"} == frozenset(("boolean",))


def is_marked(root: JsonObject, node: Any) -> bool:
    """Return whether a node says if users can give its value."""
    return any(MARKER in arm for arm in arms_of(root, node))


class SchemaField(NamedTuple):
    """A field anywhere in a schema: its name, its own schema, and how deep it is."""

    name: str
    node: Any
    depth: int


def fields_of(root: JsonObject) -> Iterator[SchemaField]:
    """Yield every field of a schema, including those of items and of fields, outermost first."""
    todo: list[tuple[Any, int]] = [(root, 0)]
    seen: set[int] = set()
    at = 0
    while at < len(todo) and len(seen) < _MOST_NODES:
        node, depth = todo[at]
        at += 1
        for arm in arms_of(root, node):
            if id(arm) in seen:
                continue
            seen.add(id(arm))
            inner = (arm.get(word) for word in ("items", "additionalProperties"))
            todo.extend((each, depth) for each in inner if is_object(each))
            if is_list(arm.get("prefixItems")):
                todo.extend((each, depth) for each in arm["prefixItems"])
            properties = arm.get("properties")
            for name, field in properties.items() if is_object(properties) else ():
                yield SchemaField(name, field, depth)
                todo.append((field, depth + 1))


def parts_of(root: JsonObject, node: Any) -> Mapping[str, Any]:
    """Return the required fields of an object, or of a list's items: what it is assembled from."""
    for arm in arms_of(root, node):
        if is_object(arm.get("items")):
            return parts_of_object(root, arm["items"])
    return parts_of_object(root, node)


def parts_of_object(root: JsonObject, node: Any) -> Mapping[str, Any]:
    """Return the required fields of an object."""
    properties = properties_of(root, node)
    return {name: properties[name] for name in required_of(root, node) if name in properties}
