"""Concurrency limit of a tool, with a bounded queue."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from ...call import Call
from ...errors import CallCancelled, Overloaded
from ..waiting import Signal, Waiter

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
