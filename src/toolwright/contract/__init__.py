"""The contract of a toolbox: locked, compared, and served from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .changes import Change, Changes
    from .compare import diff
    from .containment import Verdict, contains
    from .lock_file import Lock, lock, parse, read

__all__ = ["Change", "Changes", "Lock", "Verdict", "contains", "diff", "lock", "parse", "read"]
_HOMES = {
    "changes": ("Change", "Changes"),
    "containment": ("Verdict", "contains"),
    "compare": ("diff",),
    "lock_file": ("Lock", "lock", "parse", "read"),
}


def __getattr__(name: str) -> object:
    # Loaded on first use: a server that starts from a lock must start fast.
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __name__), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return list(__all__)
