"""Rate limits, in a store for tools, in memory for clients."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from ..._log import log
from ...errors import Overloaded
from ...limits import Rate
from ...stores.store import Store, clock_of

_MAX_KEYS = 10_000


def admit(rate: Rate, due: float, now: float) -> tuple[float, float]:
    """Apply the generic cell rate algorithm to one request.

    `due` is when the next request would be due if they came evenly (zero if there was none); a
    burst may be ahead of it by the whole period. Return the new `due`, and how many seconds too
    early the request is: if that is not zero, it must be refused, and `due` has not moved.
    """
    calls, seconds = rate
    # No key is ahead by more than the period, unless the clock of a store stepped back.
    due = min(max(due, now), now + seconds)
    step = seconds / calls
    early = due + step - now - seconds
    return (due, early) if early > 1e-9 else (due + step, 0.0)


class RateLimit:
    """Limits the calls of each caller of one tool, for all processes that share a store."""

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
        now = self.clock()
        early = 0.0

        def change(before: bytes | None) -> tuple[bytes, float]:
            nonlocal early
            due, early = admit(self.rate, _number(before), now)
            return repr(due).encode(), max(due - now, 0.001)

        try:
            self.store.update(f"rate:{self.tool}:{caller or ''}", change)
        except OSError as error:  # better too many calls than none
            log.warning("%s: the store of its rate limit failed", self.tool, exc_info=error)
            return
        if early:
            calls, seconds = self.rate
            limit_text = f"{calls}/{seconds:g}s" if seconds != 1 else f"{calls}/s"
            raise Overloaded(
                f"{self.tool} takes at most {limit_text} from each caller", retry_after=early
            )


class MemoryRateLimit:
    """Limits the requests of each client of one server, in this process.

    When it knows too many clients, those that came longest ago are forgotten first.
    """

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.due: OrderedDict[str, float] = OrderedDict()

    def wait(self, client: str) -> int:
        """Take a request; return in how many seconds it may come again, 0 if it is let through."""
        due, early = admit(self.rate, self.due.get(client, 0.0), time.monotonic())
        if early:
            return math.ceil(early)
        self.due[client] = due
        self.due.move_to_end(client)
        if len(self.due) > _MAX_KEYS:
            self.due.popitem(last=False)
        return 0

    def left(self, client: str) -> int:
        """Return in how many seconds a client may come again, without counting a request."""
        due = self.due.get(client)
        return 0 if due is None else math.ceil(admit(self.rate, due, time.monotonic())[1])


def _number(written: bytes | None) -> float:
    """Read a time; zero if there is none, or if it is not a number."""
    if written is None:
        return 0.0
    try:
        number = float(written)  # it is JSON, which takes five times as long to parse
    except ValueError:
        return 0.0
    return number if math.isfinite(number) else 0.0
