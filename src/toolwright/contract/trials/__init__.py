"""Trial calls of tools, and what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .calls import TrialCall
    from .coverage import Coverage
    from .every import try_tools
    from .outcomes import Outcome, TrialReport

__all__ = ["Coverage", "Outcome", "TrialCall", "TrialReport", "try_tools"]
_HOMES = {
    "calls": ("TrialCall",),
    "coverage": ("Coverage",),
    "every": ("try_tools",),
    "outcomes": ("Outcome", "TrialReport"),
}


def __getattr__(name: str) -> object:
    # Loaded on first use: tests need pydantic and more.
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
