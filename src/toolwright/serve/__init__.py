"""Serve a toolbox over the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .access.guard import Caller, Refusal
    from .access.oauth import SignIn
    from .in_process import Reply
    from .settings import AppSettings, HttpSettings, StdioSettings

_HOMES = {
    "access.guard": ("Caller", "Refusal"),
    "access.oauth": ("SignIn",),
    "in_process": ("Reply",),
    "settings": ("AppSettings", "HttpSettings", "StdioSettings"),
}
__all__ = [
    "AppSettings",
    "Caller",
    "HttpSettings",
    "Refusal",
    "Reply",
    "SignIn",
    "StdioSettings",
]


def __getattr__(name: str) -> object:
    # Loaded on first use: a server on stdio needs few of them, and must start fast.
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
