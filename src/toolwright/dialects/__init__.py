"""Tools as providers and MCP clients take them, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .facts.rules import Dialect, Fact
    from .known import DIALECTS
    from .losses import Loss
    from .rendered import Decoded, Rendered
    from .rendering import render

__all__ = ["DIALECTS", "Decoded", "Dialect", "Fact", "Loss", "Rendered", "render"]
_HOMES = {
    "facts.rules": ("Dialect", "Fact"),
    "known": ("DIALECTS",),
    "losses": ("Loss",),
    "rendering": ("render",),
    "rendered": ("Decoded", "Rendered"),
}


def __getattr__(name: str) -> object:
    # Loaded on first use: a command that knows the names of dialects needs nothing else from them.
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
