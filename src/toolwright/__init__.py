"""Turn anything a program can call into an exact, safe, fast tool for language models."""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing `typing` would cost most of our time

if TYPE_CHECKING:
    from ._door import __version__ as __version__
    from .call import Call
    from .cli.add_mcp import add_mcp
    from .content import Audio, File, Image, converter
    from .errors import (
        ArgumentError,
        CallCancelled,
        CallError,
        DefinitionError,
        LockError,
        Overloaded,
        ResultError,
        SchemaError,
        ServerUnavailable,
        StoreError,
        ToolError,
        ToolNotFound,
        ToolTimeout,
        ToolwrightError,
        UnexpectedError,
    )
    from .limits import Process, Retry, Timeout
    from .markers import Complete, Fixed, Flatten, FromText, Hidden, Inject, Nullable
    from .options import FULL, SchemaOptions
    from .refusals import Refused
    from .results import Result
    from .run.current import current_call
    from .run.hooks import Hook, Next
    from .serve.access.guard import Caller
    from .serve.access.oauth import SignIn
    from .stores import Store
    from .toolbox.box import Toolbox
    from .tools.catalog import Problem
    from .tools.decorator import tool
    from .tools.definition import Tool
    from .tools.prompt import Prompt
    from .tools.resource import Resource

__all__ = [
    "FULL",
    "ArgumentError",
    "Audio",
    "Call",
    "CallCancelled",
    "CallError",
    "Caller",
    "Complete",
    "DefinitionError",
    "File",
    "Fixed",
    "Flatten",
    "FromText",
    "Hidden",
    "Hook",
    "Image",
    "Inject",
    "LockError",
    "Next",
    "Nullable",
    "Overloaded",
    "Problem",
    "Process",
    "Prompt",
    "Refused",
    "Resource",
    "Result",
    "ResultError",
    "Retry",
    "SchemaError",
    "SchemaOptions",
    "ServerUnavailable",
    "SignIn",
    "Store",
    "StoreError",
    "Timeout",
    "Tool",
    "ToolError",
    "ToolNotFound",
    "ToolTimeout",
    "Toolbox",
    "ToolwrightError",
    "UnexpectedError",
    "add_mcp",
    "converter",
    "current_call",
    "tool",
]

_HOMES = {
    "_door": ("__version__",),
    "errors": (
        "ArgumentError",
        "CallCancelled",
        "CallError",
        "DefinitionError",
        "LockError",
        "Overloaded",
        "ResultError",
        "SchemaError",
        "ServerUnavailable",
        "StoreError",
        "ToolError",
        "ToolNotFound",
        "ToolTimeout",
        "ToolwrightError",
        "UnexpectedError",
    ),
    "limits": ("Process", "Retry", "Timeout"),
    "refusals": ("Refused",),
    "options": ("FULL", "SchemaOptions"),
    "markers": ("Complete", "Fixed", "Flatten", "FromText", "Hidden", "Inject", "Nullable"),
    "stores": ("Store",),
    "content": ("Audio", "File", "Image", "converter"),
    "results": ("Result",),
    "call": ("Call",),
    "run.current": ("current_call",),
    "run.hooks": ("Hook", "Next"),
    "tools.catalog": ("Problem",),
    "tools.decorator": ("tool",),
    "tools.definition": ("Tool",),
    "tools.prompt": ("Prompt",),
    "tools.resource": ("Resource",),
    "serve.access.guard": ("Caller",),
    "serve.access.oauth": ("SignIn",),
    "toolbox.box": ("Toolbox",),
    "cli.add_mcp": ("add_mcp",),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            module = import_module(f".{home}", __name__)
            for public in names:
                globals()[public] = getattr(module, public)
            return globals()[name]
    import sys

    from ._elsewhere import instead

    hint = instead("import", name)
    msg = f"module {__name__!r} has no attribute {name!r}" + (f": {hint}" if hint else "")
    # `from toolwright import X` looks for X in this function, and would not pass the hint on.
    if hint and sys._getframe(1).f_code.co_name == "_handle_fromlist":  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        msg = f"cannot import name {name!r} from {__name__!r}: {hint}"
        raise ImportError(msg, name=__name__)
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
