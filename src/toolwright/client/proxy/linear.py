"""Schemas of other servers, without anything that could block this one."""

from __future__ import annotations

from typing import Any, cast

from ..._json_values import is_list, is_object
from ...schema.explicit import searcher

_TABLE = "patternProperties"


def linear(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without patterns that only a backtracking engine takes.

    A hostile server may choose both the pattern and the text for which it takes forever. Each
    server checks its own patterns, whatever is published here.
    """
    return cast("dict[str, Any]", _linear(schema, has_table=_mentions_table(schema)))


def _linear(node: Any, *, has_table: bool) -> Any:
    if is_list(node):
        return [_linear(part, has_table=has_table) for part in node]
    if not is_object(node):
        return node
    linear_node = {
        key: _linear(value, has_table=has_table)
        for key, value in node.items()
        if not (key == "pattern" and isinstance(value, str) and searcher(value) is None)
    }
    if has_table:
        # jsonschema looks for these with Python's engine.
        linear_node.pop("unevaluatedProperties", None)
    table = linear_node.get(_TABLE)
    if is_object(table) and any(searcher(name) is None for name in table):
        linear_node[_TABLE] = {
            name: subschema for name, subschema in table.items() if searcher(name) is not None
        }
        linear_node.pop("additionalProperties", None)  # it would refuse what the others allow
    return linear_node


def _mentions_table(node: Any) -> bool:
    if is_list(node):
        return any(map(_mentions_table, node))
    return is_object(node) and (_TABLE in node or any(map(_mentions_table, node.values())))
