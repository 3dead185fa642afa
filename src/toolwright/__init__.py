"""Turn anything a program can call into an exact, safe, fast tool for language models."""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False  # as type checkers know it; importing `typing` would cost most of our time

if TYPE_CHECKING:
    from .call import Call
    from .content import Audio, File, Image
    from .errors import (
        ArgumentError,
        CallCancelled,
        CallError,
        DefinitionError,
        Overloaded,
        ResultError,
        SchemaError,
        StoreError,
        ToolError,
        ToolNotFound,
        ToolTimeout,
        ToolwrightError,
        UnexpectedError,
    )
    from .limits import Process, Retry, Timeout
    from .markers import Fixed, Flatten, Hidden, Inject, Nullable
    from .options import SchemaOptions
    from .results import Result
    from .toolbox.box import Toolbox
    from .tools.catalog import Problem
    from .tools.decorator import tool
    from .tools.definition import Tool

__all__ = [
    "ArgumentError",
    "Audio",
    "Call",
    "CallCancelled",
    "CallError",
    "DefinitionError",
    "File",
    "Fixed",
    "Flatten",
    "Hidden",
    "Image",
    "Inject",
    "Nullable",
    "Overloaded",
    "Problem",
    "Process",
    "Result",
    "ResultError",
    "Retry",
    "SchemaError",
    "SchemaOptions",
    "StoreError",
    "Timeout",
    "Tool",
    "ToolError",
    "ToolNotFound",
    "ToolTimeout",
    "Toolbox",
    "ToolwrightError",
    "UnexpectedError",
    "tool",
]

_HOMES = {
    "call": ("Call",),
    "limits": ("Process", "Retry", "Timeout"),
    "tools.catalog": ("Problem",),
    "content": ("Audio", "File", "Image"),
    "results": ("Result",),
    "errors": (
        "ArgumentError",
        "CallCancelled",
        "CallError",
        "DefinitionError",
        "Overloaded",
        "ResultError",
        "SchemaError",
        "StoreError",
        "ToolError",
        "ToolNotFound",
        "ToolTimeout",
        "ToolwrightError",
        "UnexpectedError",
    ),
    "markers": ("Fixed", "Flatten", "Hidden", "Inject", "Nullable"),
    "options": ("SchemaOptions",),
    "tools.definition": ("Tool",),
    "tools.decorator": ("tool",),
    "toolbox.box": ("Toolbox",),
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
