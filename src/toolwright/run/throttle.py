"""How many calls may begin: permits with a queue, and rates.

Rates are counted in a store for tools, which processes may share, and in memory for clients.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable

from .._log import log
from ..call import Call
from ..errors import CallCancelled, Overloaded
from ..limits import Rate
from ..stores import Store, clock_of
from .loop import Signal, Waiter

MOST_WAITING = 1000
"""How many calls of one tool may wait for a permit."""
LONGEST_WAIT = 60.0
"""How many seconds a call without a deadline waits for a permit."""


class Permit:
    """A permit to run: it is given back when every holder has released it.

    The call holds it, and so does the thread or task that runs it, which may outlive the call.
    """

    __slots__ = ("_give_back", "_holders", "_lock")

    def __init__(self, give_back: Callable[[], None]) -> None:
        self._give_back = give_back
        self._holders = 1
        self._lock = threading.Lock()

    def hold(self) -> None:
        """Add a holder."""
        with self._lock:
            self._holders += 1

    def let_go(self) -> None:
        """Release it on behalf of one holder."""
        with self._lock:
            self._holders -= 1
            is_last = not self._holders
        if is_last:
            self._give_back()


class Concurrency:
    """Lets `most` calls run at a time; others wait in line, up to `LONGEST_WAIT` seconds."""

    def __init__(self, tool: str, most: int) -> None:
        self.tool = tool
        self.free = most
        self.most = most
        self.lock = threading.Lock()
        self.line: deque[Signal] = deque()
        self.usual = 1.0
        """Seconds that a call usually takes, as a moving average: tells callers when to retry."""

    async def take(self, place: Waiter, call: Call, until: float | None) -> Permit:
        """Wait for a permit. Raises `Overloaded` or `CallCancelled`."""
        turn = Signal()
        with self.lock:
            if self.free:
                self.free -= 1
                return self._turn()
            if len(self.line) >= MOST_WAITING:
                raise self._overloaded()
            self.line.append(turn)
        granted = Signal()
        turn.when_set(granted.set)
        forget = call.on_cancel(granted.set)
        try:
            latest = time.monotonic() + LONGEST_WAIT if until is None else until
            await place.wait(granted, latest)
        except BaseException:
            if self._came(turn):
                self._next()
            raise
        finally:
            forget()
        came = self._came(turn)
        if call.cancelled:
            if came:
                self._next()
            raise CallCancelled(f"{self.tool}: the call was cancelled")
        if not came:
            raise self._overloaded()
        return self._turn()

    def _came(self, turn: Signal) -> bool:
        """Leave the line; return whether the permit had come."""
        with self.lock:
            if turn not in self.line:
                return True
            self.line.remove(turn)
            return False

    def _turn(self) -> Permit:
        began = time.monotonic()

        def give_back() -> None:
            with self.lock:
                self.usual += 0.2 * (time.monotonic() - began - self.usual)
            self._next()

        return Permit(give_back)

    def _next(self) -> None:
        with self.lock:
            turn = self.line.popleft() if self.line else None
            if turn is None:
                self.free += 1
        if turn is not None:
            turn.set()

    def _overloaded(self) -> Overloaded:
        at_a_time = "one call" if self.most == 1 else f"{self.most} calls"
        after = self.usual * (len(self.line) + 1) / self.most
        return Overloaded(f"{self.tool} runs {at_a_time} at a time, and is busy", retry_after=after)


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
