"""Checks of tools, before a model gets to see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._door import on_first_use

if TYPE_CHECKING:
    from .configuration import SizeLimits
    from .findings import Check, Finding, Severity, check
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

__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "configuration": ("SizeLimits",),
        "findings": ("Check", "Finding", "Severity", "check"),
        "report": ("Report",),
        "subjects": ("CheckedTool", "CheckedToolbox"),
    },
)
