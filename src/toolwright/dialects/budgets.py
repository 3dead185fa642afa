"""The limits of strict tools, and which tools can be strict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .._json_values import is_list, is_object
from .facts.rules import Quota


class Cost(NamedTuple):
    """How much of the limits one strict schema takes."""

    optional: int
    unions: int
    properties: int
    levels: int
    characters: int
    enum_values: int
    longest_enum: tuple[int, int]
    """Values and characters of the largest enum."""
    bare_objects: int
    """Objects without a required property."""


def cost_of(schema: Mapping[str, Any]) -> Cost:
    """Return how much a schema takes; references are not followed."""
    optional = unions = properties = levels = characters = values = bare = 0
    longest = (0, 0)
    todo: list[tuple[Any, int]] = [(schema, 1)]
    while todo:
        node, level = todo.pop()
        if not is_object(node):
            continue
        unions += "anyOf" in node or is_list(node.get("type"))
        declared = node.get("properties")
        if is_object(declared):
            levels = max(levels, level)
            properties += len(declared)
            needed = _listed(node.get("required"))
            optional += len(declared.keys() - set(needed))
            bare += not needed
            characters += sum(map(len, declared))
            todo.extend((child, level + 1) for child in declared.values())
        enum = _listed(node.get("enum"))
        if enum:
            size = sum(len(str(member)) for member in enum)
            values += len(enum)
            characters += size
            longest = max(longest, (len(enum), size))
        for name, definition in _definitions(node):
            characters += len(name)
            todo.append((definition, 1))
        todo.extend((child, level) for child in _inside(node))
        if "items" in node:
            todo.append((node["items"], level + 1))
            levels = max(levels, level)
    return Cost(optional, unions, properties, levels, characters, values, longest, bare)


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else []


def _definitions(node: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    definitions = node.get("$defs")
    return definitions.items() if is_object(definitions) else ()


def _inside(node: Mapping[str, Any]) -> list[Any]:
    return [*_listed(node.get("anyOf")), *_listed(node.get("prefixItems"))]


def too_large(cost: Cost, limits: Quota) -> tuple[str, str] | None:
    """Return the limit that one strict tool breaks by itself, and how; None if it breaks none."""
    checks = (
        ("properties", cost.levels, limits.levels, "levels of nesting"),
        ("properties", cost.properties, limits.properties, "properties"),
        ("properties", cost.characters, limits.characters, "characters in names and enums"),
        ("enum", cost.enum_values, limits.enum_values, "enum values"),
        ("properties", cost.optional, limits.optional, "optional parameters"),
        ("anyOf", cost.unions, limits.unions, "parameters of several types"),
        ("properties", cost.properties, limits.fields, "fields"),
    )
    for keyword, has, most, what in checks:
        if most is not None and has > most:
            return keyword, f"has {has} {what}, and at most {most} are strict"
    if limits.enum_characters is not None:
        count, size = limits.enum_characters
        if cost.longest_enum[0] > count and cost.longest_enum[1] > size:
            return "enum", f"has {cost.longest_enum[1]} characters, and at most {size} are strict"
    return None


def allotted(costs: Mapping[str, Cost], limits: Quota) -> set[str]:
    """Return the tools that can be strict together: the cheapest first, so that there are many."""
    order = {name: position for position, name in enumerate(costs)}
    tools = optional = unions = fields = 0
    chosen: set[str] = set()

    def price(name: str) -> tuple[int, int]:
        cost = costs[name]
        return cost.optional + cost.unions, order[name]

    for name in sorted(costs, key=price):
        cost = costs[name]
        after = (
            (tools + 1, limits.strict_tools),
            (optional + cost.optional, limits.optional),
            (unions + cost.unions, limits.unions),
            (fields + cost.properties, limits.fields),
        )
        if all(most is None or count <= most for count, most in after):
            chosen.add(name)
            tools, optional = tools + 1, optional + cost.optional
            unions, fields = unions + cost.unions, fields + cost.properties
    return chosen
