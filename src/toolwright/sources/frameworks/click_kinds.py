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
    return {base.__name__ for base in type(value).__mro__}


def kind_of_type(param_type: Any) -> Kind:
    """Return the kind of a `click.ParamType`."""
    carried = json_schema_of(param_type, getattr(param_type, "func", None))
    if carried is not None:
        return carried
    names = class_names(param_type)
    # Typer's copies have names of their own (`TyperChoice`), so attributes identify them.
    if hasattr(param_type, "choices") and hasattr(param_type, "case_sensitive"):
        spelled = [spelled_choice(choice) for choice in param_type.choices]
        ignores_case = not getattr(param_type, "case_sensitive", True)
        return replace(choices(spelled), ignores_case=ignores_case)
    if "FuncParamType" in names:
        return kind_of_callable(param_type.func)
    if "File" in names:
        return file_kind(getattr(param_type, "mode", "r"))
    if hasattr(param_type, "file_okay") and hasattr(param_type, "dir_okay"):
        return path_kind(param_type)
    if not type(param_type).__module__.startswith(_OWN):
        # A type of the program's own may accept other texts than the type that it derives from.
        return Kind(type_name=str(getattr(param_type, "name", type(param_type).__name__)))
    return _plain_kind(param_type, names)


def _plain_kind(param_type: Any, names: set[str]) -> Kind:
    if "IntParamType" in names or "FloatParamType" in names:
        number = INTEGER if "IntParamType" in names else Kind(schema={"type": "number"})
        return _ranged(number, param_type) if hasattr(param_type, "clamp") else number
    if "BoolParamType" in names:
        return BOOLEAN
    if "UUIDParameterType" in names:
        return Kind(schema={"type": "string", "format": "uuid"})
    if "DateTime" in names:
        return forms_of_time(param_type.formats)
    if names & {"StringParamType", "UnprocessedParamType"}:
        return TEXT
    return Kind(type_name=str(getattr(param_type, "name", type(param_type).__name__)))


def _ranged(number: Kind, param_type: Any) -> Kind:
    if param_type.clamp:
        return clamped(number, param_type.min, param_type.max)
    low_open, high_open = (
        getattr(param_type, "min_open", False),
        getattr(param_type, "max_open", False),
    )
    ends = limits(param_type.min, param_type.max, low_open=low_open, high_open=high_open)
    return replace(number, schema={**number.schema, **ends})


def spelled_choice(value: Any) -> Any:
    """Return how a choice is written: Click uses the name of an enum member (since 8.2)."""
    return value.name if isinstance(value, enum.Enum) else value
