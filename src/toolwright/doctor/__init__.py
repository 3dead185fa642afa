"""Checks of tools, before a model gets to see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .configuration import SizeLimits
    from .findings import Finding, Severity
    from .registry import Check, check
    from .report import Report
    from .subjects import CheckedTool, CheckedToolbox

__all__ = [
    "Check",
    "CheckedTool",
    "CheckedToolbox",
    "Finding",
    "Report",
    "Severity",
    "SizeLimits",
    "check",
]
_HOMES = {
    "configuration": ("SizeLimits",),
    "findings": ("Finding", "Severity"),
    "registry": ("Check", "check"),
    "report": ("Report",),
    "subjects": ("CheckedTool", "CheckedToolbox"),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
