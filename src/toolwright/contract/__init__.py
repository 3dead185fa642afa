"""The contract of a toolbox: locked, compared, and served from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._door import on_first_use

if TYPE_CHECKING:
    from .changes import Change, Changes
    from .compare import diff
    from .containment import Verdict, contains
    from .lock_file import Lock, lock, parse, read

__all__ = ["Change", "Changes", "Lock", "Verdict", "contains", "diff", "lock", "parse", "read"]

# Loaded on first use: a server that starts from a lock must start fast.
__getattr__, __dir__ = on_first_use(
    __name__,
    {
        "changes": ("Change", "Changes"),
        "containment": ("Verdict", "contains"),
        "compare": ("diff",),
        "lock_file": ("Lock", "lock", "parse", "read"),
    },
)
