"""Schemas as seed document 003 writes them."""

from typing import Any

JSON_TYPES = ["string", "number", "boolean", "object", "array", "null"]
ANY = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "object"},
        {"type": "array", "items": {"type": JSON_TYPES}},
        {"type": "null"},
    ]
}


def arguments(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The root of an input schema."""
    root = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**root, "required": list(required)} if required else root
