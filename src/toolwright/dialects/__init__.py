"""Tools as providers and MCP clients take them, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._door import on_first_use

if TYPE_CHECKING:
    from .facts import DIALECTS
    from .rendered import Decoded, Loss, Rendered
    from .rendering import render
    from .rules import Dialect, Fact

__all__ = ["DIALECTS", "Decoded", "Dialect", "Fact", "Loss", "Rendered", "render"]

# Loaded on first use: a command that knows the names of dialects needs nothing else from them.
__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "facts": ("DIALECTS",),
        "rendered": ("Decoded", "Loss", "Rendered"),
        "rendering": ("render",),
        "rules": ("Dialect", "Fact"),
    },
)
