"""Regular looks at clients that may take too long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Looks:
    """Calls a function now and then, and measures how late it was called.

    A process that was stopped, or got no processor, has not read what its clients sent since,
    and a look may come before the loop asks for data again. Closing a connection then would lose
    a request that came in time.
    """

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self._due = 0.0

    def later(
        self, loop: asyncio.AbstractEventLoop, look: Callable[[], object]
    ) -> asyncio.TimerHandle:
        """Call a function once, after the pause."""
        self._due = loop.time() + self.pause
        return loop.call_at(self._due, look)

    def corrected(self, now: float) -> Callable[[float], float]:
        """Return a function that moves the start of a wait by the time lost before this look."""
        lost = max(0.0, now - self._due)
        return lambda since: min(now, since + lost)
