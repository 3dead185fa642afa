"""Click's parameter types, by their names."""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import Any

from .kinds import (
    BOOLEAN,
    INTEGER,
    TEXT,
    Kind,
    choices,
    clamped,
    file_kind,
    forms_of_time,
    json_schema_of,
    kind_of_callable,
    limits,
    path_kind,
)

_OWN = ("click.", "typer.", "asyncclick.")


def class_names(value: Any) -> set[str]:
    """Return the names of a value's class and of its base classes."""
    return {each.__name__ for each in type(value).__mro__}


def kind_of_type(found: Any) -> Kind:
    """Return the kind of a `click.ParamType`."""
    carried = json_schema_of(found, getattr(found, "func", None))
    if carried is not None:
        return carried
    names = class_names(found)
    # Typer's copies have names of their own (`TyperChoice`), so attributes identify them.
    if hasattr(found, "choices") and hasattr(found, "case_sensitive"):
        spelled = [spelled_choice(each) for each in found.choices]
        ignores_case = not getattr(found, "case_sensitive", True)
        return replace(choices(spelled), ignores_case=ignores_case)
    if "FuncParamType" in names:
        return kind_of_callable(found.func)
    if "File" in names:
        return file_kind(getattr(found, "mode", "r"))
    if hasattr(found, "file_okay") and hasattr(found, "dir_okay"):
        return path_kind(found)
    if not type(found).__module__.startswith(_OWN):
        # A type of the program's own may accept other texts than the type that it derives from.
        return Kind(type_name=str(getattr(found, "name", type(found).__name__)))
    return _plain_kind(found, names)


def _plain_kind(found: Any, names: set[str]) -> Kind:
    if "IntParamType" in names or "FloatParamType" in names:
        number = INTEGER if "IntParamType" in names else Kind(schema={"type": "number"})
        return _ranged(number, found) if hasattr(found, "clamp") else number
    if "BoolParamType" in names:
        return BOOLEAN
    if "UUIDParameterType" in names:
        return Kind(schema={"type": "string", "format": "uuid"})
    if "DateTime" in names:
        return forms_of_time(found.formats)
    if names & {"StringParamType", "UnprocessedParamType"}:
        return TEXT
    return Kind(type_name=str(getattr(found, "name", type(found).__name__)))


def _ranged(number: Kind, found: Any) -> Kind:
    if found.clamp:
        return clamped(number, found.min, found.max)
    low_open, high_open = getattr(found, "min_open", False), getattr(found, "max_open", False)
    ends = limits(found.min, found.max, low_open=low_open, high_open=high_open)
    return replace(number, schema={**number.schema, **ends})


def spelled_choice(value: Any) -> Any:
    """Return how a choice is written: Click uses the name of an enum member (since 8.2)."""
    return value.name if isinstance(value, enum.Enum) else value
