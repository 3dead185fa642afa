"""Targets with readers of their own: command-line programs, and code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .annotations import annotate
    from .command_line import CommandLine
    from .json_options import json_option
    from .program import Command, CommandParameter, Program
    from .python_code.inside import python
    from .python_code.tool import python_tool
    from .rules import Rule

__all__ = [
    "Command",
    "CommandLine",
    "CommandParameter",
    "Program",
    "Rule",
    "annotate",
    "json_option",
    "python",
    "python_tool",
]
_HOMES = {
    "annotations": ("annotate",),
    "command_line": ("CommandLine",),
    "json_options": ("json_option",),
    "program": ("Command", "CommandParameter", "Program"),
    "python_code.inside": ("python",),
    "python_code.tool": ("python_tool",),
    "rules": ("Rule",),
}


def __getattr__(name: str) -> object:
    # Loaded on first use: readers also run in other programs, where pydantic may be missing.
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
