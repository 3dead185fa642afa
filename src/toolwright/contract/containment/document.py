"""Schemas with the document that their references point into."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from ..._json_values import compact_json, depth_of, is_list, is_object

MOST_DEPTH = 100
"""How deeply a schema may be nested: ours are not so deep, and Python's stack is limited."""
_MOST_STEPS = 20
"""How many references to references are followed."""
_OLD_DRAFTS = ("draft-03", "draft-04", "draft-06", "draft-07")
_INDIRECT = frozenset(("$ref", "$dynamicRef", "$recursiveRef"))
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
        said = root.get("$schema") if is_object(root) else None
        self.is_old = isinstance(said, str) and any(draft in said for draft in _OLD_DRAFTS)
        """Whether keywords beside a `$ref` are ignored (draft 07, section 8.3)."""
        self._has_bases = any(_bases(root))
        """Whether references in it may be relative to something other than the whole."""
        self._made: list[Any] = []
        """Schemas that were made while deciding; kept, because nodes are identified by `id()`."""
        self._digests: dict[int, tuple[bytes, bool]] = {}
        self._definitions = b"".join(
            self._digest(root[name])[0] for name in _DEFINITIONS if is_object(root) and name in root
        )

    def node(self, value: Any) -> SchemaNode:
        """Return a part of it as a schema of its own."""
        return SchemaNode(self, value)

    def made(self, value: Any) -> SchemaNode:
        """Return a schema that is not part of it, but whose references point into it."""
        self._made.append(value)
        return SchemaNode(self, value)

    def resolved(self, reference: Any) -> SchemaNode | None:
        """Return what a reference points to; None if that is not in this document."""
        if not isinstance(reference, str) or not reference.startswith("#") or self._has_bases:
            return None
        found = self.root
        for step in reference[1:].split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if is_object(found) and key in found:
                found = found[key]
            elif is_list(found) and key.isdecimal() and len(key) < 10 and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
        is_pointer = reference == "#" or reference.startswith("#/")
        return SchemaNode(self, found) if is_pointer and isinstance(found, dict | bool) else None

    def key(self, value: Any) -> bytes:
        """Return a key that two schemas share only if they mean the same."""
        digest, is_indirect = self._digest(value)
        head = b"old" if self.is_old else b"new"
        if not is_indirect:
            return head + digest
        # The schemas that it refers to are part of its meaning.
        return head + digest + self._referred

    @functools.cached_property
    def _referred(self) -> bytes:
        """A digest of everything that references point into."""
        return hashlib.sha256(self._definitions + self._root_key()).digest()

    def _root_key(self) -> bytes:
        """Return a digest of the whole document if references point outside the definitions."""
        if all(_is_defined(each) for each in _references(self.root)):
            return b""
        return self._digest(self.root)[0]

    def _digest(self, value: Any) -> tuple[bytes, bool]:
        """Return a digest of a part, and whether there are references in it."""
        if not is_object(value) and not is_list(value):
            return hashlib.sha256(compact_json(value)).digest(), False
        known = self._digests.get(id(value))
        if known is not None:
            return known
        made = hashlib.sha256(b"{" if is_object(value) else b"[")
        indirect = False
        if is_object(value):
            for name in sorted(value):
                inner, is_indirect = self._digest(value[name])
                made.update(compact_json(name) + inner)
                indirect = indirect or is_indirect or name in _INDIRECT
        else:
            for item in value:
                inner, is_indirect = self._digest(item)
                made.update(inner)
                indirect = indirect or is_indirect
        self._digests[id(value)] = made.digest(), indirect
        return self._digests[id(value)]


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
        return SchemaNode(self.document, value)

    def followed(self) -> SchemaNode:
        """Return the schema that it stands for, if it is nothing but a reference."""
        node = self
        for _ in range(_MOST_STEPS):
            is_reference = is_object(node.value) and node.value.keys() == {"$ref"}
            target = node.target() if is_reference else None
            if target is None:
                break
            node = target
        return node

    def target(self) -> SchemaNode | None:
        """Return what its `$ref` points to."""
        return self.document.resolved(self.value.get("$ref"))


def _references(value: Any) -> Iterator[Any]:
    if is_object(value):
        for name, inner in value.items():
            if name in _INDIRECT:
                yield inner
            yield from _references(inner)
    elif is_list(value):
        for inner in value:
            yield from _references(inner)


def _bases(root: Any) -> Iterator[bool]:
    """Yield whether each schema inside a document has an address of its own."""
    waiting: list[Any] = list(root.values()) if is_object(root) else []
    while waiting:
        each = waiting.pop()
        if is_object(each):
            yield isinstance(each.get("$id"), str) or isinstance(each.get("id"), str)
            waiting.extend(each.values())
        elif is_list(each):
            waiting.extend(each)


def _is_defined(reference: Any) -> bool:
    return isinstance(reference, str) and reference.startswith(("#/$defs/", "#/definitions/"))
