"""Turn anything a program can call into an exact, safe, fast tool for language models."""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # as type checkers know it; importing `typing` would cost most of our time

if TYPE_CHECKING:
    from .catalog import Problem
    from .definition import Tool, tool
    from .errors import (
        ArgumentError,
        CallError,
        DefinitionError,
        SchemaError,
        ToolNotFound,
        ToolwrightError,
    )
    from .options import Fixed, Flatten, Hidden, Nullable, SchemaOptions
    from .toolbox import Toolbox

__all__ = [
    "ArgumentError",
    "CallError",
    "DefinitionError",
    "Fixed",
    "Flatten",
    "Hidden",
    "Nullable",
    "Problem",
    "SchemaError",
    "SchemaOptions",
    "Tool",
    "ToolNotFound",
    "Toolbox",
    "ToolwrightError",
    "tool",
]

_HOMES = {
    "catalog": ("Problem",),
    "errors": (
        "ArgumentError",
        "CallError",
        "DefinitionError",
        "SchemaError",
        "ToolNotFound",
        "ToolwrightError",
    ),
    "options": ("Fixed", "Flatten", "Hidden", "Nullable", "SchemaOptions"),
    "definition": ("Tool", "tool"),
    "toolbox": ("Toolbox",),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            module = import_module(f".{home}", __name__)
            for each in names:
                globals()[each] = getattr(module, each)
            return globals()[name]
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
