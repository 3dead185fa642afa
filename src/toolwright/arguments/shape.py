"""The declared shape of arguments, for repairing and explaining them.

It is worked out from the same adapter as everything else, when a call first fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._json_values import JsonObject, is_list, is_object
from ..json_schema.build import REF_PREFIX
from ..schema.generate import MEMBERS_KEY


class Shape:
    """A neutral schema with its definitions; nodes are looked at through it."""

    def __init__(self, root: JsonObject, definitions: JsonObject) -> None:
        self.root = root
        self.definitions = definitions
        # By the identity of nodes, all of which this shape holds.
        self._arms: dict[int, tuple[JsonObject, ...]] = {}
        self._kinds: dict[int, frozenset[str]] = {}
        self._choices: dict[int, Choices | None] = {}
        self._members: dict[int, Choices] = {}

    def arms(self, node: Any) -> tuple[JsonObject, ...]:
        """Return the alternatives of a node, references and unions opened."""
        known = self._arms.get(id(node))
        if known is None:
            known = tuple(self._opened(node, frozenset()))
            if is_object(node):
                self._arms[id(node)] = known
        return known

    def _opened(self, node: Any, seen: frozenset[str]) -> Iterator[JsonObject]:
        if not is_object(node):
            return
        ref = str(node.get("$ref", ""))
        if ref:
            name = ref.removeprefix(REF_PREFIX)
            if name not in seen:
                yield from self._opened(self.definitions.get(name), seen | {name})
            return
        choices = node.get("anyOf") or node.get("oneOf")
        if choices:
            for choice in choices:
                yield from self._opened(choice, seen)
            return
        yield node

    def kinds(self, node: Any) -> frozenset[str]:
        """Return the JSON types a node admits; an empty set means any."""
        known = self._kinds.get(id(node))
        if known is None:
            known = self._kinds_of(node)
            if is_object(node):
                self._kinds[id(node)] = known
        return known

    def _kinds_of(self, node: Any) -> frozenset[str]:
        found: set[str] = set()
        for arm in self.arms(node):
            kind = arm.get("type")
            if is_list(kind):
                found.update(kind)
            elif isinstance(kind, str):
                found.add(kind)
            elif "enum" in arm or "const" in arm:
                values: list[Any] = arm.get("enum", [arm.get("const")])
                found.update(kind_of(value) for value in values)
            else:
                return frozenset()
        if "number" in found:
            found.add("integer")
        return frozenset(found)

    def values(self, node: Any) -> list[Any] | None:
        """Return the values a node admits, if it lists them all."""
        found: list[Any] = []
        for arm in self.arms(node):
            if "enum" in arm:
                found.extend(arm["enum"])
            elif "const" in arm:
                found.append(arm["const"])
            elif arm.get("type") != "null":
                return None
        return found or None

    def choices(self, node: Any) -> Choices | None:
        """Return the texts a node admits, if it lists all of its values."""
        if id(node) not in self._choices:
            values = self.values(node)
            if values is not None:
                values = [each for each in values if isinstance(each, str)]
            self._choices[id(node)] = (
                None if values is None else Choices(values, self.members(node).members)
            )
        return self._choices[id(node)]

    def members(self, node: Any) -> Choices:
        """Return the members of the enums a node admits, by name."""
        known = self._members.get(id(node))
        if known is None:
            found: dict[str, Any] = {}
            for arm in self.arms(node):
                found.update(arm.get(MEMBERS_KEY, {}))
            known = self._members[id(node)] = Choices([], found)
        return known

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
                inner = arm.get("properties", {}).get(key, arm.get("additionalProperties"))
            else:
                positions = arm.get("prefixItems", [])
                inner = positions[key] if key < len(positions) else arm.get("items")
            if is_object(inner):
                return inner
        return None


class Choices:
    """Texts to choose from, found by a member's name or regardless of case."""

    def __init__(self, values: Sequence[str], members: Mapping[str, Any]) -> None:
        self.values = frozenset(values)
        self.members = members
        self._folded_values = _by_folded((each, each) for each in values)
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
    found: dict[str, list[Any]] = {}
    for name, value in named:
        found.setdefault(name.casefold(), []).append(value)
    return found


def kind_of(value: Any) -> str:
    """Return the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list | tuple) else "object"
