"""Schemas with the document that their references point into."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from ..._json_values import (
    JsonObject,
    canonical_json,
    depth_of,
    is_list,
    is_object,
)
from ...json_schema.document import COMBINING, REF, Document, combined, own_part

MOST_DEPTH = 100
"""How deeply a schema may be nested: ours are not so deep, and Python's stack is limited."""
_MOST_STEPS = 20
"""How many references to references are followed."""
_INDIRECT = frozenset((REF, "$dynamicRef", "$recursiveRef"))
_INDIRECT_TEXTS = tuple(f'"{word}"'.encode() for word in _INDIRECT)
_UNORDERED = frozenset((*COMBINING, "enum", "required", "type"))
"""Keywords with lists whose order says nothing."""
_DATA = frozenset(("const", "enum", "default", "examples"))
_DEFINITIONS = ("$defs", "definitions")


class Undecided(Exception):
    """The question is too large, or too deep, to be decided."""


class Budget:
    """How many steps may still be taken to decide one question."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> None:
        """Take some steps. Raises `Undecided` if none are left."""
        self.left -= steps
        if self.left < 0:
            raise Undecided


class SchemaDocument:
    """A whole schema, which the references in it point into.

    Raises `Undecided` if it is nested too deeply to be examined.
    """

    def __init__(self, root: Any) -> None:
        if depth_of(root) > MOST_DEPTH:
            raise Undecided
        self.root = root
        self._document = Document(root)
        self.is_old = self._document.draft <= 7
        """Whether keywords beside a `$ref` are ignored (draft 07, section 8.3)."""
        self._modern: dict[int, tuple[Any, Any]] = {}
        self._places: dict[int, Any] = {}
        """What each node was made from, which says where its references start."""
        self._made: list[Any] = []
        """Schemas that were made while deciding; kept, because nodes are identified by `id()`."""
        self._texts: dict[int, tuple[Any, bytes]] = {}

    def modern(self, value: Any) -> Any:
        """Return a part of it as the last draft writes it, the same object each time."""
        if not is_object(value):
            return value
        entry = self._modern.get(id(value))
        if entry is None:
            modern = self._written(value)
            entry = self._modern[id(value)] = value, modern
            self._modern[id(modern)] = modern, modern
            self._places.setdefault(id(modern), value)
        return entry[1]

    def _written(self, value: JsonObject) -> JsonObject:
        reference = combined(value).reference
        if reference is not None and (self.is_old or REF in value):
            # Some validators apply the keywords beside it, and others do not.
            return value if self.is_old else self._document.modern(value)
        modern = self._document.modern(value)
        reference = combined(modern).reference
        if reference is None or self._document.is_dynamic(value):
            return modern
        return {**own_part(modern), REF: reference, **_arms_of(modern)}

    def node(self, value: Any) -> SchemaNode:
        """Return a part of it as a schema of its own."""
        return SchemaNode(self, self.modern(value))

    def made(self, value: Any) -> SchemaNode:
        """Return a schema that is not part of it, but whose references point into it."""
        self._made.append(value)
        return self.node(value)

    def resolved(self, value: JsonObject) -> SchemaNode | None:
        """Return what a schema refers to; None if that is not in this document."""
        reference = combined(value).reference
        if reference is None or REF not in value:
            return None
        target = self._document.resolve(reference, self._places.get(id(value), value))
        return self.node(target) if isinstance(target, dict | bool) else None

    def key(self, value: Any) -> bytes:
        """Return a key that two schemas share only if they mean the same."""
        head, text = b"old" if self.is_old else b"new", self._text(value)
        if not any(word in text for word in _INDIRECT_TEXTS):
            return head + text
        # The schemas that it refers to are part of its meaning; so is its place, where parts have
        # addresses of their own.
        place = str(id(value)).encode() if self._document.has_names else b""
        return head + text + self._referred + place

    def _text(self, value: Any) -> bytes:
        entry = self._texts.get(id(value))
        if entry is None:
            entry = self._texts[id(value)] = value, canonical_json(_in_order(value))
        return entry[1]

    @functools.cached_property
    def _referred(self) -> bytes:
        """A digest of everything that references point into."""
        root = self.root
        if is_object(root) and all(map(_is_defined, _references(root))):
            root = {name: root[name] for name in _DEFINITIONS if name in root}
        return hashlib.sha256(canonical_json(_in_order(root))).digest()


class SchemaNode(NamedTuple):
    """A schema, and the document that it belongs to."""

    document: SchemaDocument
    value: Any

    @property
    def identity(self) -> tuple[int, Any]:
        """Return a key that is the same only for the same place."""
        value = self.value
        return id(self.document), value if isinstance(value, bool) else id(value)

    @property
    def key(self) -> bytes:
        """Return a key that two schemas share only if they mean the same."""
        return self.document.key(self.value)

    def inner(self, value: Any) -> SchemaNode:
        """Return a part of it."""
        return self.document.node(value)

    def followed(self) -> SchemaNode:
        """Return the schema that it stands for, if it is nothing but a reference."""
        node = self
        for _ in range(_MOST_STEPS):
            is_reference = is_object(node.value) and node.value.keys() == {REF}
            target = node.target() if is_reference else None
            if target is None:
                break
            node = target
        return node

    def target(self) -> SchemaNode | None:
        """Return what its `$ref` points to."""
        return self.document.resolved(self.value)


def _in_order(value: Any, keyword: str = "") -> Any:
    """Return a part of a schema with one order for all lists that say nothing by theirs."""
    if is_list(value):
        items = value if keyword in _DATA else [_in_order(item) for item in value]
        return sorted(items, key=canonical_json) if keyword in _UNORDERED else items
    if is_object(value) and keyword not in _DATA:
        return {name: _in_order(part, name) for name, part in value.items()}
    return value


def _references(value: Any) -> Iterator[Any]:
    if is_object(value):
        for name, part in value.items():
            if name in _INDIRECT:
                yield part
            yield from _references(part)
    elif is_list(value):
        for part in value:
            yield from _references(part)


def _is_defined(reference: Any) -> bool:
    return isinstance(reference, str) and reference.startswith(("#/$defs/", "#/definitions/"))


def _arms_of(node: JsonObject) -> JsonObject:
    return {key: node[key] for key in COMBINING & node.keys() if is_list(node[key])}
