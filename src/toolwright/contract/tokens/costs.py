"""What tools cost a model, part by part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..._json_values import is_list, is_object
from .estimate import estimate_tokens

_INPUTS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema")
_OUTPUTS = ("outputSchema", "output_schema")
_DEEPEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCost:
    """How many tokens the definition of a tool takes, and what for; all of it is estimated."""

    tool: str
    total: int
    name: int = 0
    description: int = 0
    parameters: Mapping[str, int] = field(default_factory=dict[str, int])
    """By parameter: its name, its schema and its description."""
    schema: int = 0
    """The whole input schema."""
    output: int = 0
    """The output schema; most clients do not show it to the model."""
    result: int | None = None
    """What the results of its examples take on average; None if there were none."""
    most_result: int | None = None
    """What a result can take at most; None if that is not bounded."""

    @property
    def other(self) -> int:
        """What is left: title, hints, and what the wire shape adds."""
        return max(self.total - self.name - self.description - self.schema - self.output, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        document: dict[str, Any] = {
            "tool": self.tool,
            "total": self.total,
            "name": self.name,
            "description": self.description,
            "schema": self.schema,
            "parameters": dict(self.parameters),
            "output": self.output,
            "other": self.other,
        }
        if self.result is not None:
            document["result"] = self.result
        if self.most_result is not None:
            document["most_result"] = self.most_result
        return document


def costs_of(
    definitions: Iterable[Any], results: Mapping[str, Sequence[int]] | None = None
) -> list[ToolCost]:
    """Return what definitions in the shape of any provider cost; each has a `name` in it.

    >>> [cost] = costs_of([{"name": "add", "description": "Add two numbers."}])
    >>> (cost.tool, cost.description)
    ('add', 7)
    """
    measured = results or {}
    costs: list[ToolCost] = []
    for definition in definitions:
        entries = list(_entries(definition))
        for entry in entries:
            # What wraps a single entry is part of its cost.
            wrapped = definition if len(entries) == 1 else entry
            costs.append(_cost(entry, wrapped, measured.get(str(entry["name"]), ())))
    return costs


def _entries(node: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that describe tools in a definition: providers wrap them differently."""
    if depth > _DEEPEST:
        return
    if is_object(node) and isinstance(node.get("name"), str):
        yield node
    elif is_object(node):
        for value in node.values():
            yield from _entries(value, depth + 1)
    elif is_list(node):
        for value in node:
            yield from _entries(value, depth + 1)


def _cost(entry: Mapping[str, Any], whole: Any, results: Sequence[int]) -> ToolCost:
    properties = properties_of(entry)
    return ToolCost(
        tool=str(entry["name"]),
        total=estimate_tokens(_written(whole)),
        name=_part(entry, ("name",)),
        description=_part(entry, ("description",)),
        schema=_part(entry, _INPUTS),
        parameters={name: _pair(name, schema) for name, schema in properties.items()},
        output=_part(entry, _OUTPUTS),
        result=round(sum(results) / len(results)) if results else None,
    )


def schema_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the input schema of a definition, whatever it is called."""
    empty: Mapping[str, Any] = {}
    schema: Any = next((entry[key] for key in _INPUTS if is_object(entry.get(key))), empty)
    json_schema: Any = schema.get("json")  # as Bedrock wraps it
    return json_schema if is_object(json_schema) and len(schema) == 1 else schema


def properties_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schemas of the parameters of a definition."""
    properties: Any = schema_of(entry).get("properties")
    return properties if is_object(properties) else {}


def entries_of(definitions: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Return the objects that describe tools in definitions of any shape."""
    return [entry for definition in definitions for entry in _entries(definition)]


def _part(entry: Mapping[str, Any], keys: Sequence[str]) -> int:
    return sum(_pair(key, entry[key]) for key in keys if key in entry)


def _pair(key: str, value: Any) -> int:
    return estimate_tokens(f"{json.dumps(key)}:{_written(value)},")


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
