"""Commands of Typer, in each of its three generations.

Up to 0.25 they are Click's. From 0.26 on they are copies of Click's classes. Since 0.29 a parameter
has a `type_descriptor` instead of a `type`. So nothing here checks for a class.
"""

from __future__ import annotations

import enum
import sys
import typing
from dataclasses import replace
from typing import Any

from ..program import Program
from .click_tree import click_kinds, read_click
from .kinds import (
    TEXT,
    Kind,
    clamped,
    file_kind,
    forms_of_time,
    json_schema_of,
    kind_of_callable,
    kind_of_hint,
    limits,
    path_kind,
)
from .parts import annotations_of, plain_text


def read_typer(app: Any, name: str = "") -> Program:
    """Return the program of a Typer app, or of a command made from one."""
    root = app
    if not hasattr(app, "params"):
        main: Any = sys.modules[
            next(base for base in type(app).__mro__ if base.__name__ == "Typer").__module__
        ]
        root = main.get_command(app)
        name = name or plain_text(getattr(getattr(app, "info", None), "name", None))
    program = read_click(root, name, kinds_of=_kinds_of, framework="typer")
    hints = {**annotations_of(app), **program.root.annotations}  # the app itself is no command
    return replace(program, root=replace(program.root, annotations=hints))


def _kinds_of(parameter: Any) -> tuple[Kind, list[Kind] | None]:
    descriptor = getattr(parameter, "type_descriptor", None)
    if descriptor is None:
        return click_kinds(parameter)
    info = descriptor.parameter_info
    carried = json_schema_of(getattr(info, "parser", None), getattr(info, "click_type", None))
    if carried is not None:
        return carried, None
    if getattr(info, "parser", None) is not None:
        return kind_of_callable(info.parser), None
    hint = descriptor.annotation
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(origin, type) and issubclass(origin, tuple):
        return TEXT, [_kind_of(member, parameter) for member in members]
    if isinstance(origin, type) and issubclass(origin, list):
        hint = members[0]
    return _kind_of(hint, parameter), None


def _kind_of(hint: Any, parameter: Any) -> Kind:
    descriptor = parameter.type_descriptor
    info = descriptor.parameter_info
    if _is_file(hint):
        mode = getattr(info, "mode", None) or ("w" if "Write" in hint.__name__ else "r")
        return file_kind(mode)
    kind = kind_of_hint(hint, _spelled)
    if kind.schema.get("format") == "path":
        return path_kind(info)
    if "enum" in kind.schema:
        return replace(kind, ignores_case=not descriptor.case_sensitive)
    if getattr(hint, "__name__", "") == "datetime" and getattr(info, "formats", None):
        return forms_of_time(info.formats)
    if kind.schema.get("type") in ("integer", "number"):
        low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
        if getattr(info, "clamp", False):
            return clamped(kind, low, high)
        return replace(kind, schema={**kind.schema, **limits(low, high)})
    return kind


def _is_file(hint: Any) -> bool:
    return isinstance(hint, type) and any(
        base.__name__.startswith("File") and base.__module__.startswith("typer.")
        for base in hint.__mro__
    )


def _spelled(member: enum.Enum) -> str:
    return str(member.value)
