"""Two schemas made one: what fits both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._json_values import JsonObject, canonical_json, is_list, is_object, kind_of
from .drafts import NOTES

KINDS = ("null", "boolean", "integer", "number", "string", "array", "object")
"""The kinds of JSON values; `number` stands for numbers that are not integers."""
_AT_LEAST = frozenset(
    (
        *("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "uniqueItems"),
        *("minContains",),
    )
)
_AT_MOST = frozenset(
    ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
)
_VALUES = frozenset(("const", "enum"))
_INNER = frozenset(("items", "propertyNames", "contains", "unevaluatedItems"))
_NOTES = frozenset((*NOTES, "$schema", "$defs", "definitions", "$id", "$anchor", "$dynamicAnchor"))


def kinds_named(given: Any) -> frozenset[str]:
    """Return the kinds that `type` names: all of them if it names none."""
    names = [given] if isinstance(given, str) else given if is_list(given) else None
    if names is None:
        return frozenset(KINDS)
    kinds = {name for name in names if isinstance(name, str) and name in KINDS}
    return frozenset(kinds | {"integer"} if "number" in kinds else kinds)


def merge(one: JsonObject, other: JsonObject, lost: set[str]) -> JsonObject | None:
    """Return the schema of what fits both; None if nothing does.

    Neither has alternatives. Notes of the first count more. Keywords that cannot be said as one go
    to `lost`: what is returned then admits more.
    """
    if not other or other.keys() <= _NOTES:
        return one if other.keys() <= one.keys() else {**other, **one}
    if not one:
        return other
    merged = {**other, **one}
    for key in one.keys() & other.keys():
        # To Python, 1 and true are equal.
        if key not in _NOTES and (key in _VALUES or one[key] != other[key]):
            both = _both(key, one[key], other[key], lost)
            if both is None:
                return None
            merged[key] = both
    _close(merged, one, other, lost)
    return merged if _is_possible(merged) else None


def _both(key: str, mine: Any, yours: Any, lost: set[str]) -> Any:
    """Return what a keyword says that both schemas have; None if nothing fits."""
    if key == "type":
        return _types(mine, yours)
    if key == "enum" and is_list(mine) and is_list(yours):
        listed = {canonical_json(value) for value in yours}
        return [value for value in mine if canonical_json(value) in listed] or None
    if key == "const":
        return mine if canonical_json(mine) == canonical_json(yours) else None
    if key == "required" and is_list(mine) and is_list(yours):
        return list(dict.fromkeys([*mine, *yours]))
    if key in _AT_LEAST | _AT_MOST and _are_numbers(mine, yours):
        return max(mine, yours) if key in _AT_LEAST else min(mine, yours)
    if key in ("properties", "patternProperties") and is_object(mine) and is_object(yours):
        shared = {name: fitting(mine[name], yours[name]) for name in mine.keys() & yours.keys()}
        return {**mine, **yours, **shared}
    if key in _INNER or key == "additionalProperties":
        return fitting(mine, yours)
    if key == "prefixItems" and is_list(mine) and is_list(yours):
        shared = [fitting(*pair) for pair in zip(mine, yours, strict=False)]
        return [*shared, *mine[len(shared) :], *yours[len(shared) :]]
    lost.add(key)
    return mine


def _close(made: JsonObject, one: JsonObject, other: JsonObject, lost: set[str]) -> None:
    """Let what closes one schema hold for the parts that only the other names."""
    for closing, yours in ((one, other), (other, one)):
        extra = closing.get("additionalProperties", True)
        properties = yours.get("properties")
        if extra is not True and extra != {} and is_object(properties):
            if closing.get("patternProperties"):
                lost.add("patternProperties")
                continue
            declared = closing.get("properties")
            foreign = properties.keys() - (declared.keys() if is_object(declared) else set[str]())
            if foreign:
                parts = made["properties"]
                closed = {name: fitting(parts[name], extra) for name in foreign}
                made["properties"] = {**parts, **closed}
        items, first = closing.get("items", True), yours.get("prefixItems")
        if items is not True and items != {} and is_list(first):
            start = len(closing.get("prefixItems") or ())
            made["prefixItems"] = [
                fitting(item_schema, items) if position >= start else item_schema
                for position, item_schema in enumerate(made["prefixItems"])
            ]


def fitting(one: Any, other: Any) -> Any:
    """Return a schema for what fits both of two, not yet merged."""
    if one is False or other is False:
        return False
    if one is True or one in ({}, other):
        return other
    return one if other is True or other == {} else {"allOf": [one, other]}


def _types(mine: Any, yours: Any) -> Any:
    shared = kinds_named(mine) & kinds_named(yours)
    if not shared:
        return None
    names = [
        kind for kind in KINDS if kind in shared and not (kind == "integer" and "number" in shared)
    ]
    return names[0] if len(names) == 1 else names


def _is_possible(made: Mapping[str, Any]) -> bool:
    """Return whether any of the listed values may fit."""
    if "type" not in made or not ("const" in made or is_list(made.get("enum"))):
        return True
    return bool(listed_values(made))


def listed_values(node: Mapping[str, Any]) -> list[Any] | None:
    """Return the values that a schema without alternatives lists, of the types that it names."""
    values = node.get("enum")
    if "const" in node:
        listed = is_list(values) and not any(
            canonical_json(member) == canonical_json(node["const"]) for member in values
        )
        values = [] if listed else [node["const"]]
    if not is_list(values):
        return None
    kinds = kinds_named(node.get("type"))
    return [value for value in values if kind_of(value) in kinds]


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(number, int | float) for number in values)
