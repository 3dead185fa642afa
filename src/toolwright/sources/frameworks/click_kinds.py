"""Click's parameter types, by their names: Typer has carried copies of them since 0.26."""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import Any

from .kinds import (
    BOOLEAN,
    INTEGER,
    PATH,
    TEXT,
    Kind,
    choices,
    clamped,
    forms_of_time,
    json_schema_of,
    kind_of_callable,
    limits,
)

_OWN = ("click.", "typer.", "asyncclick.")


def class_names(value: Any) -> set[str]:
    """Return the names of a value's class and of those above it."""
    return {each.__name__ for each in type(value).__mro__}


def kind_of_type(found: Any) -> Kind:
    """Return the kind of a `click.ParamType`."""
    carried = json_schema_of(found, getattr(found, "func", None))
    if carried is not None:
        return carried
    names = class_names(found)
    # Typer's copies have names of their own (`TyperChoice`), so these go by what they say.
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
        # A type of the program's own may take other texts than the one it is made of.
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
    """Return how a choice is written: Click goes by the name of a member (since 8.2)."""
    return value.name if isinstance(value, enum.Enum) else value


def file_kind(mode: Any) -> Kind:
    """Return the kind of a file that the program opens; `-` would be its own stdin or stdout."""
    written = any(letter in str(mode) for letter in "wax+")
    note = "A file to be written." if written else "A file to be read."
    return replace(PATH, note=note, refused="-")


def path_kind(found: Any) -> Kind:
    """Return the kind of a path, from what `click.Path` or Typer say about it."""
    file_okay, dir_okay = getattr(found, "file_okay", True), getattr(found, "dir_okay", True)
    thing = "file" if not dir_okay else "directory" if not file_okay else "file or directory"
    exists = bool(getattr(found, "exists", False))
    says = exists or not (file_okay and dir_okay)
    article = "An existing" if exists else "A"
    refused = "-" if getattr(found, "allow_dash", False) else ""
    return replace(PATH, note=f"{article} {thing}." if says else "", refused=refused)
