"""Definitions: written once for many tools, then copied into each schema."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from .._json_values import JsonObject
from ..json_schema.document import REF_PREFIX
from ..json_schema.walk import nodes, refs, rewrite
from ..read.signature import Lost
from .generate import BYTES_KEY, NAME_KEY
from .style_rules import StyleRule, apply_rules, both_texts, placed

Refs = Counter[str]


class Definition:
    """One definition with the rules of a style applied."""

    __slots__ = ("losses", "name", "refs", "schema", "size")

    def __init__(self, key: str, schema: JsonObject, steps: tuple[StyleRule, ...]) -> None:
        self.name = _short_name(schema.get(NAME_KEY), key)
        self.losses = placed(schema, self.name)
        self.schema = apply_rules(schema, steps)
        self.refs: Refs = Counter(refs(self.schema))
        self.size = _written_size(self.schema)


class Definitions:
    """All definitions of one batch, in one style and direction; each is computed when needed."""

    def __init__(self, raw: Mapping[str, JsonObject], steps: tuple[StyleRule, ...]) -> None:
        self.raw = raw
        self.steps = steps
        self._known: dict[str, Definition] = {}
        self._reach: dict[str, frozenset[str]] = {}
        self._expanded: dict[str, JsonObject] = {}

    def __getitem__(self, key: str) -> Definition:
        definition = self._known.get(key)
        if definition is None:
            definition = self._known[key] = Definition(key, self.raw[key], self.steps)
        return definition

    def reach(self, key: str) -> frozenset[str]:
        """Return every definition that one refers to, directly or not."""
        reached = self._reach.get(key)
        if reached is None:
            visited: set[str] = set()
            todo = list(self[key].refs)
            while todo:
                name = todo.pop()
                if name not in visited:
                    visited.add(name)
                    todo.extend(self[name].refs)
            reached = self._reach[key] = frozenset(visited)
        return reached

    def is_recursive(self, key: str) -> bool:
        """Return whether a definition refers to itself."""
        return key in self.reach(key)

    def used_by(self, root: JsonObject) -> list[str]:
        """Return the definitions a schema needs, in the order it meets them."""
        order: dict[str, None] = {}
        todo = list(refs(root))
        while todo:
            key = todo.pop(0)
            if key not in order:
                order[key] = None
                todo.extend(self[key].refs)
        return list(order)

    def losses(self, used: Iterable[str]) -> list[Lost]:
        """Return what definitions could not express."""
        return [loss for key in used for loss in self[key].losses]

    # -- giving a schema its definitions

    def attach(self, root: JsonObject, used: list[str], *, inline: bool, limit: int) -> JsonObject:
        """Return a self-contained schema: its definitions are inlined or attached.

        `used` are the definitions that it needs.
        """
        if not used:
            return root
        recursive = {key for key in used if self.is_recursive(key)}
        if not inline:
            attached = set(used)
        elif self._size(root, recursive, limit) <= limit:
            attached = recursive
        else:
            counts = Counter(refs(root))
            for key in used:
                counts.update(self[key].refs)
            attached = recursive | {key for key in used if self._saves(key, counts[key])}
            shared = self._attached(root, used, attached)
            # The choice is made for each definition alone, so together they may save nothing.
            most = _written_size(shared)
            if attached == recursive or self._size(root, recursive, 2 * most) > 2 * most:
                return shared
            copied = self._attached(root, used, recursive)
            return shared if most < _written_size(copied) else copied
        return self._attached(root, used, attached)

    def _attached(self, root: JsonObject, used: list[str], kept: set[str]) -> JsonObject:
        names = _unique_names([key for key in used if key in kept], self)
        schema = self._place(root, kept, names)
        if names:
            schema["$defs"] = {
                name: self._place(self[key].schema, kept, names) for key, name in names.items()
            }
        return schema

    def _saves(self, key: str, uses: int) -> bool:
        """Return whether a definition and references to it are shorter than as many copies."""
        definition = self[key]
        reference = len(f'{{"$ref":"{REF_PREFIX}{definition.name}"}}')
        return uses * (definition.size - reference) > definition.size + len(definition.name) + len(
            '"":,'
        )

    def _size(self, root: JsonObject, recursive: set[str], limit: int) -> int:
        """Estimate the size with everything inlined; stops counting above the limit."""
        total = _written_size(root)
        todo = list(refs(root))
        counted: set[str] = set()
        while todo and total <= limit:
            key = todo.pop()
            if key in recursive:
                if key in counted:
                    continue
                counted.add(key)
            total += self[key].size
            todo.extend(self[key].refs.elements())
        return total

    def _inlined(self, key: str, kept: set[str], names: Mapping[str, str]) -> JsonObject:
        """Return a definition with all it refers to; with none kept, it suits all tools."""
        if kept:
            return self._place(self[key].schema, kept, names)
        inlined = self._expanded.get(key)
        if inlined is None:
            inlined = self._expanded[key] = self._place(self[key].schema, kept, names)
        return inlined

    def _place(self, schema: JsonObject, kept: set[str], names: Mapping[str, str]) -> JsonObject:
        def change(node: JsonObject, key: str) -> JsonObject:
            ref = node.get("$ref")
            if not isinstance(ref, str) or not ref.startswith(REF_PREFIX):
                return node
            target = ref.removeprefix(REF_PREFIX)
            if target in kept:
                required = self[target].schema.get("required", ())
                if "required" in node and not set(node["required"]).difference(required):
                    del node["required"]
                return {**node, "$ref": REF_PREFIX + names[target]}
            siblings = {word: value for word, value in node.items() if word != "$ref"}
            return merge(self._inlined(target, kept, names), siblings)

        return rewrite(schema, change)


def _written_size(schema: JsonObject) -> int:
    """Return how many characters a schema has on the wire."""
    return len(json.dumps(schema, separators=(",", ":")))


def keys_with_bytes(raw: Mapping[str, JsonObject]) -> frozenset[str]:
    """Return the definitions that reach bytes inside a class that has no rule for them."""
    with_bytes = {
        key for key, schema in raw.items() if any(BYTES_KEY in node for node in nodes(schema))
    }
    grown = bool(with_bytes)
    while grown:
        more = {key for key, schema in raw.items() if not with_bytes.isdisjoint(refs(schema))}
        grown = not more <= with_bytes
        with_bytes |= more
    return frozenset(with_bytes)


def merge(definition: JsonObject, said: JsonObject) -> JsonObject:
    """Put a definition where it is used; what is said there comes first, and nothing is lost."""
    own_text, text_of_definition = said.get("description"), definition.get("description")
    merged = {**definition, **said}
    if own_text and text_of_definition:
        merged["description"] = both_texts(own_text, text_of_definition)
    if "required" in said:
        both = [*definition.get("required", []), *said["required"]]
        merged["required"] = list(dict.fromkeys(both))
    return merged


def _unique_names(keys: list[str], definitions: Definitions) -> dict[str, str]:
    """Name definitions as if the tool were alone; equal names get a number, in order."""
    names: dict[str, str] = {}
    for key in keys:
        base = name = definitions[key].name
        number = 2
        while name in names.values():
            name = f"{base}_{number}"
            number += 1
        names[key] = name
    return names


def _short_name(name: Any, key: str) -> str:
    if not isinstance(name, str):
        name = re.sub(r"-(Input|Output)(__\d+)?$", "", key).rsplit("__", 1)[-1]
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)
