"""Constructors for those who write schemas."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._json_values import JsonObject

REF = "$ref"
ONE_OF = "oneOf"
REF_PREFIX = "#/$defs/"


def reference_to(name: str) -> JsonObject:
    """Return a reference to a definition of the same document."""
    return {REF: f"{REF_PREFIX}{name.replace('~', '~0').replace('/', '~1')}"}


def any_of(arms: Iterable[Any]) -> JsonObject:
    """Return the schema of what fits one of several."""
    return {"anyOf": list(arms)}


def all_of(parts: Iterable[Any]) -> JsonObject:
    """Return the schema of what fits all of several."""
    return {"allOf": list(parts)}


def typed(kinds: Iterable[str]) -> JsonObject:
    """Return the schema of some kinds of values; it is `False` in effect if there are none."""
    listed = list(kinds)
    if "number" in listed and "integer" in listed:
        listed.remove("integer")
    return {"type": listed[0]} if len(listed) == 1 else {"type": listed}


def with_definitions(schema: Mapping[str, Any], root: Any) -> JsonObject:
    """Return a part of a document with the definitions of its root, which it may refer to."""
    definitions = {key: root[key] for key in ("$schema", "$defs", "definitions") if key in root}
    return {**definitions, **schema}
