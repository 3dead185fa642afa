"""What references in a schema lead to; nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from ..._json_values import is_list, is_object

MISSING: Any = object()


class Pointers:
    """Finds what references lead to inside one document."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self._named: dict[str, Any] | None = None

    def find(self, reference: str) -> Any:
        """Return the schema that a reference leads to, or `MISSING`."""
        if reference in ("#", ""):
            return self.document
        if reference.startswith("#/"):
            return _at(self.document, reference[2:])
        if self._named is None:
            self._named = dict(_names(self.document))
        base, _, pointer = reference.partition("#")
        if reference in self._named:
            return self._named[reference]
        found = self._named.get(base, MISSING)
        if found is MISSING or not pointer:
            return found
        return _at(found, pointer[1:]) if pointer.startswith("/") else MISSING


def _at(node: Any, pointer: str) -> Any:
    for part in pointer.split("/"):
        step = unquote(part).replace("~1", "/").replace("~0", "~")
        if is_object(node) and step in node:
            node = node[step]
        elif is_list(node) and step.isascii() and step.isdigit() and int(step[:9]) < len(node):
            node = node[int(step[:9])]
        else:
            return MISSING
    return node if is_object(node) or isinstance(node, bool) else MISSING


def _names(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield every name that a schema gives itself: `$id`, `$anchor`, `$dynamicAnchor`."""
    todo = [document]
    while todo:
        node = todo.pop()
        if is_list(node):
            todo.extend(node)
        elif is_object(node):
            for key in ("$anchor", "$dynamicAnchor"):
                if isinstance(node.get(key), str):
                    yield f"#{node[key]}", node
            for key in ("$id", "id"):
                name = node.get(key)
                if isinstance(name, str):
                    yield name.rstrip("#"), node
                    yield name.rstrip("#").rpartition("/")[2], node
            todo.extend(node.values())
