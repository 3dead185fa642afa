"""Where the sub-schemas of a schema are, so that nothing else is ever taken for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeGuard

Schema = dict[str, Any]

MAPS = frozenset(("properties", "patternProperties", "$defs", "dependentSchemas"))
LISTS = frozenset(("anyOf", "oneOf", "allOf", "prefixItems"))
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
REF_PREFIX = "#/$defs/"


def is_node(value: Any) -> TypeGuard[Schema]:
    """Tell a schema that has keywords from `true`, `false` and everything else."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Tell a list."""
    return isinstance(value, list)


def rewrite(node: Any, change: Callable[[Schema, str], Schema], key: str = "") -> Any:
    """Copy a schema, innermost nodes first; `change` gets each fresh node and the keyword it
    stands under. What a node holds as data (`default`, `enum`, `examples`, ...) stays as it is."""
    if not is_node(node):
        return node
    made: Schema = {}
    for word, value in node.items():
        if word in SINGLES:
            made[word] = rewrite(value, change, word)
        elif word in LISTS and is_list(value):
            made[word] = [rewrite(item, change, word) for item in value]
        elif word in MAPS and is_node(value):
            made[word] = {name: rewrite(item, change, word) for name, item in value.items()}
        else:
            made[word] = value
    return change(made, key)


def nodes(node: Any) -> Iterator[Schema]:
    """Yield a schema and every schema inside it."""
    if not is_node(node):
        return
    yield node
    for word, value in node.items():
        if word in SINGLES:
            yield from nodes(value)
        elif word in LISTS and is_list(value):
            for item in value:
                yield from nodes(item)
        elif word in MAPS and is_node(value):
            for item in value.values():
                yield from nodes(item)


def refs(node: Any) -> Iterator[str]:
    """Yield the name of every definition a schema refers to, as often as it does."""
    for found in nodes(node):
        ref = found.get("$ref")
        if isinstance(ref, str) and ref.startswith(REF_PREFIX):
            yield ref.removeprefix(REF_PREFIX)
