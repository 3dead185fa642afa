"""Fixtures and snapshots for tests of toolboxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .plugin import Answer, ToolboxClient
    from .trials import ToolboxCoverage, ToolboxExample

__all__ = ["Answer", "ToolboxClient", "ToolboxCoverage", "ToolboxExample"]


def __getattr__(name: str) -> object:
    # Loaded on first use: snapshots need no pytest.
    if name in __all__:
        from . import plugin, trials

        return getattr(plugin, name, None) or getattr(trials, name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
