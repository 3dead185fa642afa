"""Rate limit of a tool, for each caller."""

from __future__ import annotations

import json
from collections.abc import Callable

from ..._log import log
from ...errors import Overloaded
from ...limits import Rate
from ...stores.base import Store, clock_of


class RateLimit:
    """Lets so many calls of one caller through in a while (the generic cell rate algorithm)."""

    def __init__(
        self, tool: str, rate: Rate, store: Store, clock: Callable[[], float] | None = None
    ) -> None:
        self.tool = tool
        self.rate = rate
        self.store = store
        self.clock = clock or clock_of(store)
        self.blocking = store.blocking

    def take(self, caller: str | None) -> None:
        """Let a call through, or raise `Overloaded`."""
        calls, seconds = self.rate
        step = seconds / calls
        now = self.clock()
        late = 0.0

        def change(before: bytes | None) -> tuple[bytes, float]:
            nonlocal late
            # When the next call would be due if they came evenly; a burst may be ahead of it.
            # Nobody is further ahead than all of the time: else the clock of a store stepped back.
            due = min(max(_number(before), now), now + seconds)
            late = due + step - now - seconds
            if late > 1e-9:
                return json.dumps(due).encode(), max(due - now, 0.001)
            late = 0.0
            return json.dumps(due + step).encode(), due + step - now

        try:
            self.store.update(f"rate:{self.tool}:{caller or ''}", change)
        except OSError as error:  # better too many calls than none
            log.warning("%s: the store of its rate fails", self.tool, exc_info=error)
            return
        if late:
            said = f"{calls}/{seconds:g}s" if seconds != 1 else f"{calls}/s"
            raise Overloaded(f"{self.tool} takes at most {said} of a caller", retry_after=late)


def _number(written: bytes | None) -> float:
    """Read a time; zero if there is none, or something else."""
    try:
        return 0.0 if written is None else float(json.loads(written))
    except (ValueError, TypeError):
        return 0.0
