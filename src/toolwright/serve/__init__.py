"""Serve a toolbox over the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._door import on_first_use

if TYPE_CHECKING:
    from .access.guard import Caller, Refusal
    from .access.oauth import SignIn
    from .http.app import Reply
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

# Loaded on first use: a server on stdio needs few of them, and must start fast.
__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "access.guard": ("Caller", "Refusal"),
        "access.oauth": ("SignIn",),
        "http.app": ("Reply",),
        "settings": ("AppSettings", "HttpSettings", "StdioSettings"),
    },
)
