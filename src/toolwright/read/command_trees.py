"""Recognises the apps of command-line frameworks, without importing any."""

from __future__ import annotations

import types
from typing import Any, cast

_CLASSES = {
    ("click", "Command"): "click",
    ("click", "BaseCommand"): "click",
    ("typer", "Typer"): "typer",
    ("typer", "Command"): "typer",
    ("typer", "BaseCommand"): "typer",
    ("typer", "TyperCommand"): "typer",
    ("typer", "TyperGroup"): "typer",
    ("argparse", "ArgumentParser"): "argparse",
    ("optparse", "OptionParser"): "optparse",
    ("cyclopts", "App"): "cyclopts",
}
"""The first part of a class's module, the class's name, and the framework."""


_OTHERS = frozenset((types.FunctionType, types.MethodType, types.ModuleType, type))
"""The types of most targets."""


class ProgramSource:
    """The base of our classes for command-line programs, which most toolboxes never load."""

    __slots__ = ()


def is_program(source: Any) -> bool:
    """Return whether a source is a command-line program."""
    return issubclass(type(source), ProgramSource) or bool(framework_of(source))


def framework_of(target: Any) -> str:
    """Return the framework that an app is built with; empty if it is not an app."""
    cls = cast(
        "Any", type(target)
    )  # not `isinstance`: an object may raise when asked for its class
    if cls in _OTHERS:
        return ""
    for base in cls.__mro__:
        root = str(getattr(base, "__module__", "")).partition(".")[0]
        framework = _CLASSES.get((root, base.__name__))
        if framework is not None:
            return framework
    return ""
