"""Serve a toolbox over the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .access.guard import Caller, Refusal
    from .access.oauth import SignIn
    from .in_process import Reply
    from .settings import AppSettings, HttpSettings, StdioSettings

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
    # Loaded on first use: a server on stdio needs none of them, and must start fast.
    if name == "Reply":
        from .in_process import Reply

        return Reply
    if name in __all__:
        from . import settings

        return getattr(settings, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
