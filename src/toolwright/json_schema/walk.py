"""Visits the schemas inside a schema, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .._json_values import JsonObject, is_list, is_object
from .document import REF_PREFIX, Document, Draft, combined, draft_of, modern

MAPS = frozenset(("properties", "patternProperties", "$defs", "dependentSchemas"))
_MOST_NODES = 5_000
"""How many schemas are looked at: one may contain itself."""
COMBINED = ("anyOf", "oneOf", "allOf")
LISTS = frozenset((*COMBINED, "prefixItems"))
SINGLES = frozenset(
    (
        "items",
        "additionalProperties",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "contentSchema",
        "unevaluatedItems",
        "unevaluatedProperties",
    )
)


def rewrite(node: Any, change: Callable[[JsonObject, str], JsonObject], key: str = "") -> Any:
    """Copy a schema, innermost nodes first; `change` gets each fresh node and the keyword it
    is under. What a node holds as data (`default`, `enum`, `examples`, ...) stays as it is."""
    if not is_object(node):
        return node
    rewritten: JsonObject = {}
    for word, value in node.items():
        if word in SINGLES:
            rewritten[word] = rewrite(value, change, word)
        elif word in LISTS and is_list(value):
            rewritten[word] = [rewrite(item, change, word) for item in value]
        elif word in MAPS and is_object(value):
            rewritten[word] = {name: rewrite(item, change, word) for name, item in value.items()}
        else:
            rewritten[word] = value
    return change(rewritten, key)


def modernised(root: JsonObject) -> JsonObject:
    """Return a document as draft 2020-12 writes it: itself, where an older draft says the same.

    Many servers write tuples as draft 7 does, and open bounds as draft 4 and OpenAPI 3.0 do.
    """
    modern_root: JsonObject = _modern(root, draft_of(root))
    if modern_root == root:
        return root
    modern_root.pop("$schema", None)
    return modern_root


def _modern(node: Any, draft: Draft) -> Any:
    if is_list(node):
        return [_modern(part, draft) for part in node]
    if not is_object(node):
        return node
    modern_node = dict(modern(node, draft))
    for word, value in modern_node.items():
        if word in SINGLES or word in LISTS:
            modern_node[word] = _modern(value, draft)
        elif is_object(value) and (word in MAPS or word == "definitions"):
            modern_node[word] = {name: _modern(part, draft) for name, part in value.items()}
    return modern_node


def parts(node: JsonObject) -> Iterator[Any]:
    """Yield every schema that a schema holds, one after the other."""
    for word, value in node.items():
        if word in SINGLES:
            yield from value if is_list(value) else (value,)  # up to 2019-09, one per position
        elif word in LISTS and is_list(value):
            yield from value
        elif word in MAPS and is_object(value):
            yield from value.values()


def nodes(node: Any) -> Iterator[JsonObject]:
    """Yield a schema and every schema inside it."""
    if is_object(node):
        yield node
        for part in parts(node):
            yield from nodes(part)


def refs(node: Any) -> Iterator[str]:
    """Yield the name of every definition a schema refers to, as often as it does."""
    for part in nodes(node):
        ref = part.get("$ref")
        if isinstance(ref, str) and ref.startswith(REF_PREFIX):
            yield ref.removeprefix(REF_PREFIX)


def without_repeats(values: list[Any]) -> list[Any]:
    """Drop repeated values: a member may have several names."""
    by_text: dict[str, Any] = {}
    for value in values:
        by_text.setdefault(repr(value), value)
    return list(by_text.values())


def reachable(document: Document, node: Any) -> Iterator[JsonObject]:
    """Yield every schema inside a part of a document, through references, each once."""
    todo, visited = [node], set[int]()
    while todo and len(visited) < _MOST_NODES:
        part = todo.pop()
        if not is_object(part) or id(part) in visited:
            continue
        visited.add(id(part))
        yield part
        reference = combined(part).reference
        if reference is not None:
            todo.append(document.resolve(reference, part))
        todo.extend(parts({word: value for word, value in part.items() if word != "$defs"}))
