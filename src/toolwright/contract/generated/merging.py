"""Two schemas made one: what both ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..._json_values import is_list, is_object

_TABLES = ("properties", "patternProperties", "$defs", "definitions")
_AT_LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_AT_MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def merged(one: Mapping[str, Any], other: Any) -> Any:
    """Return a schema that asks for what both ask for, as far as that is easy to express."""
    if other is False:
        return False
    if not is_object(other):
        return dict(one)
    result: dict[str, Any] = {**one, **other}
    for key in one.keys() & other.keys():
        result[key] = _both(key, one[key], other[key])
    return result


def _both(key: str, mine: Any, yours: Any) -> Any:
    """Return the value of a keyword that both schemas have."""
    if key in _TABLES and is_object(mine) and is_object(yours):
        return _tables(key, mine, yours)
    if key == "required" and is_list(mine) and is_list(yours):
        return list(dict.fromkeys([*mine, *yours]))
    if key in _AT_LEAST and _are_numbers(mine, yours):
        return max(mine, yours)
    if key in _AT_MOST and _are_numbers(mine, yours):
        return min(mine, yours)
    return _shared_types(mine, yours) if key == "type" else yours


def _tables(key: str, mine: Mapping[str, Any], yours: Mapping[str, Any]) -> dict[str, Any]:
    result = {**mine, **yours}
    for name in mine.keys() & yours.keys():
        if key == "properties" and is_object(mine[name]):
            result[name] = merged(mine[name], yours[name])
    return result


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(each, int | float) and not isinstance(each, bool) for each in values)


def _shared_types(one: Any, other: Any) -> list[str]:
    mine: list[str] = cast("list[str]", one) if is_list(one) else [one]
    yours: list[str] = cast("list[str]", other) if is_list(other) else [other]
    shared = [kind for kind in mine if kind in yours or (kind == "integer" and "number" in yours)]
    return shared or [kind for kind in yours if kind == "integer" and "number" in mine]
