"""One call of a stdio client while it runs."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

_NOBODY = contextlib.nullcontext()
"""Nobody is told how far a call is: there is nothing to keep in order."""


class StdioCall:
    """One call that runs."""

    __slots__ = ("answered", "cancelled", "held", "task", "telling")

    def __init__(self) -> None:
        self.answered = False
        self.cancelled = False
        self.telling: contextlib.AbstractContextManager[Any] = _NOBODY
        """Held while it is told how far it is, and while it is answered."""
        self.held: Any = None
        """What keeps the toolbox open for it."""
        self.task: asyncio.Task[None] | None = None

    def let_go(self) -> None:
        """It has ended."""
        held, self.held = self.held, None
        if held is not None:
            held.__exit__(None, None, None)

    def cancel(self) -> None:
        """Stop it, if it can be stopped; it is not answered."""
        self.cancelled = True
        if self.task is not None:
            self.task.cancel()
