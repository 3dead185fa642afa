"""Targets with readers of their own: command-line programs, and code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._door import on_first_use

if TYPE_CHECKING:
    from .command_line import CommandLine
    from .frameworks.parts import annotate
    from .json_options import json_option
    from .program import Command, CommandParameter, Program
    from .python_code import python, python_tool
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

# Loaded on first use: readers also run in other programs, where pydantic may be missing.
__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "frameworks.parts": ("annotate",),
        "command_line": ("CommandLine",),
        "json_options": ("json_option",),
        "program": ("Command", "CommandParameter", "Program"),
        "python_code": ("python", "python_tool"),
        "rules": ("Rule",),
    },
)
