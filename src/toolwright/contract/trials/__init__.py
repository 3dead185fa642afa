"""Trial calls of tools, and what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._door import on_first_use

if TYPE_CHECKING:
    from .calls import Coverage, Outcome, TrialCall, TrialReport
    from .trial_run import try_tools

__all__ = ["Coverage", "Outcome", "TrialCall", "TrialReport", "try_tools"]

# Loaded on first use: tests need pydantic and more.
__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "calls": ("Coverage", "Outcome", "TrialCall", "TrialReport"),
        "trial_run": ("try_tools",),
    },
)
