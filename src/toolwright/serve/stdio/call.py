"""One call of a stdio client while it runs."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

_NO_LOCK = contextlib.nullcontext()
"""For calls without progress: there is nothing to keep in order."""


class StdioCall:
    """One call that runs."""

    __slots__ = ("answered", "cancelled", "held", "task", "telling")

    def __init__(self) -> None:
        self.answered = False
        self.cancelled = False
        self.telling: contextlib.AbstractContextManager[Any] = _NO_LOCK
        """Held while progress is sent, and while the call is answered: no progress may come after it."""
        self.held: Any = None
        """What keeps the toolbox open for it."""
        self.task: asyncio.Task[None] | None = None

    def let_go(self) -> None:
        """Let the toolbox be closed: the call has ended."""
        held, self.held = self.held, None
        if held is not None:
            held.__exit__(None, None, None)

    def cancel(self) -> None:
        """Stop it, if it can be stopped; a cancelled call is not answered."""
        self.cancelled = True
        if self.task is not None:
            self.task.cancel()
