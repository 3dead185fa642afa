"""Drafts of JSON Schema, and older ones as written today."""

from __future__ import annotations

from typing import Any

from .._json_values import JsonObject, is_list, is_object

Draft = int
"""3, 4, 6, 7, 2019 or 2020."""
LATEST: Draft = 2020
_DRAFTS: dict[str, Draft] = {
    "draft-03": 3,
    "draft-04": 4,
    "draft-06": 6,
    "draft-07": 7,
    "2019-09": 2019,
    "2020-12": 2020,
}
NOTES = (
    *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
    "$comment",
)
"""Keywords that say something and check nothing."""
_CHANGED = frozenset(
    (
        *("dependencies", "exclusiveMinimum", "exclusiveMaximum", "additionalItems"),
        *("extends", "disallow", "divisibleBy", "$recursiveRef", "nullable"),
    )
)
_BESIDE_OLD_REFERENCE = frozenset((*NOTES, "$schema", "$defs", "definitions"))


def draft_of(root: Any, default: Draft = LATEST) -> Draft:
    """Return the draft that a document names; the default if it names none that is known."""
    address = root.get("$schema") if is_object(root) else None
    if isinstance(address, str):
        for part, draft in _DRAFTS.items():
            if part in address:
                return draft
    return default


def modern(node: JsonObject, draft: Draft = LATEST, *, nullable: bool = False) -> JsonObject:
    """Return a node as draft 2020-12 writes it; the node itself where that is no different.

    Only the node: schemas inside it stay as they are. With `nullable`, as OpenAPI 3.0 means it.
    """
    if draft <= 7 and isinstance(node.get("$ref"), str):  # nothing else counts (8.3)
        beside = node.keys() - _BESIDE_OLD_REFERENCE - {"$ref"}
        return {key: node[key] for key in node if key not in beside} if beside else node
    if is_list(node.get("items")):
        node = _positions(node)
    if node.keys() & _CHANGED:
        node = _renamed(dict(node), nullable=nullable)
    return _third(node) if draft == 3 else node


def _positions(node: JsonObject) -> JsonObject:
    """Write one schema per position (up to 2019-09) as `prefixItems`."""
    modern = {key: value for key, value in node.items() if key != "items"}
    if node["items"]:
        modern["prefixItems"] = node["items"]
    if "additionalItems" in modern:
        modern["items"] = modern.pop("additionalItems")
    return modern


def _renamed(node: JsonObject, *, nullable: bool) -> JsonObject:
    for bound in ("minimum", "maximum"):
        name = f"exclusive{bound.capitalize()}"
        if isinstance(node.get(name), bool) and node.pop(name) and bound in node:
            node[name] = node.pop(bound)
    if is_object(tied := node.pop("dependencies", None)):
        for name, needs in tied.items():
            is_schema = is_object(needs) or isinstance(needs, bool)
            key = "dependentSchemas" if is_schema else "dependentRequired"
            demand = [needs] if isinstance(needs, str) else needs  # draft 3
            node[key] = {**(node[key] if is_object(node.get(key)) else {}), name: demand}
    if "divisibleBy" in node:
        node.setdefault("multipleOf", node.pop("divisibleBy"))
    if "$recursiveRef" in node:
        node.setdefault("$dynamicRef", node.pop("$recursiveRef"))
    if nullable and node.pop("nullable", False) is True:
        _with_null(node)
    return node


def _with_null(node: JsonObject) -> None:
    kinds = node.get("type")
    if isinstance(kinds, str):
        kinds = [kinds]
    if is_list(kinds) and "null" not in kinds:
        node["type"] = [*kinds, "null"]
    if is_list(node.get("enum")) and None not in node["enum"]:
        node["enum"] = [*node["enum"], None]


def _third(node: JsonObject) -> JsonObject:
    """Write what only draft 3 has: schemas as types, and parts that say they are required."""
    modern = dict(node)
    kinds = modern.get("type")
    if is_list(kinds) and any(is_object(kind) for kind in kinds):
        del modern["type"]
        arms = [kind if is_object(kind) else {"type": kind} for kind in kinds]
        modern["allOf"] = [*_listed(modern.get("allOf")), {"anyOf": arms}]
    if modern.get("type") == "any" or (is_list(kinds) and "any" in kinds):
        modern.pop("type", None)
    extended = modern.pop("extends", None)
    if extended is not None:
        parts = extended if is_list(extended) else [extended]
        modern["allOf"] = [*_listed(modern.get("allOf")), *parts]
    if isinstance(modern.get("required"), bool):
        del modern["required"]
    properties = modern.get("properties")
    if is_object(properties):
        parts = [(name, part) for name, part in properties.items() if is_object(part)]
        modern["required"] = [name for name, part in parts if part.get("required") is True]
    return modern


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else []
