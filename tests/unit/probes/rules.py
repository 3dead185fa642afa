"""What holds for every schema in the portable style, whatever the target (DESIGN, section 6)."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema

MAPS = ("properties", "patternProperties", "$defs", "dependentSchemas")
LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
SINGLES = ("items", "additionalProperties", "propertyNames", "not", "contains", "contentSchema")
FORBIDDEN = (
    "oneOf",
    "discriminator",
    "prefixItems",
    "const",
    "$schema",
    "uniqueItems",
    "patternProperties",
    "propertyNames",
)


def nodes(node: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every schema inside a schema, with its path; never data such as a default."""
    if not isinstance(node, dict):
        return
    yield path, node
    for word in MAPS:
        for name, inner in node.get(word, {}).items():
            yield from nodes(inner, f"{path}/{word}/{name}")
    for word in LISTS:
        for at, inner in enumerate(node.get(word, ())):
            yield from nodes(inner, f"{path}/{word}/{at}")
    for word in SINGLES:
        if word in node:
            yield from nodes(node[word], f"{path}/{word}")


def faults(schema: dict[str, Any], *, is_input: bool, titles: bool = False) -> list[str]:
    """Return every break of a rule."""
    json.dumps(schema, allow_nan=False)
    jsonschema.Draft202012Validator.check_schema(schema)
    found: list[str] = []
    if is_input and (schema.get("type") != "object" or {"anyOf", "$ref"} & schema.keys()):
        found.append("#: the root is not a plain object")
    for path, node in nodes(schema):
        found += [f"{path}: {fault}" for fault in _faults(node, path, schema, titles=titles)]
    return found


def _faults(node: dict[str, Any], path: str, root: dict[str, Any], *, titles: bool) -> list[str]:
    found = [f"has {word}" for word in FORBIDDEN if word in node]
    found += [f"has the private key {word!r}" for word in node if word.startswith("\0")]
    if not {"type", "enum", "anyOf", "$ref"} & node.keys():
        found.append("has no type")
    if node.get("type") == "array" and not isinstance(node.get("items"), dict):
        found.append("is an array without items")
    if "title" in node and not titles:
        found.append("has a title that nobody wrote")
    if re.search(r"\(\?[=!<]", node.get("pattern", "")):
        found.append("has a pattern with look-around")
    missing = set(node.get("required", ())) - node.get("properties", {}).keys()
    if missing and "$ref" not in node:
        found.append(f"requires {sorted(missing)}, which it does not describe")
    ref = node.get("$ref")
    if ref is not None and ref.removeprefix("#/$defs/") not in root.get("$defs", {}):
        found.append(f"refers to {ref}, which is nowhere")
    if "default" in node:
        alone = {**node, "$defs": root.get("$defs", {})}
        if not jsonschema.Draft202012Validator(alone).is_valid(node["default"]):
            found.append(f"has a default {node['default']!r} that it does not allow itself")
    return found


def dead_definitions(schema: dict[str, Any]) -> set[str]:
    """Return definitions that nothing refers to."""
    used = {node["$ref"].removeprefix("#/$defs/") for _, node in nodes(schema) if "$ref" in node}
    return set(schema.get("$defs", {})) - used
