"""What one client may hold of a server, and all clients together."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_HELLO = 64 * 1024
"""Bytes of a request whose content is kept: `initialize` and `subscriptions/listen`."""
MOST_STREAMS = 10_000
MOST_QUESTIONS = 10_000
MOST_QUESTIONS_EACH = 1_000
"""Questions of tools that wait for a client's answer."""
_MIB = 1024 * 1024
_TASK_OVERHEAD = 1_000


@dataclass(frozen=True)
class SessionLimits:
    """What an operator can say about sessions and streams."""

    max_sessions: int = 10_000
    max_sessions_per_client: int = 1_000
    max_streams: int = MOST_STREAMS
    max_streams_per_client: int = 1_000
    session_idle: float = 1_800

    def __post_init__(self) -> None:
        """Raises `ValueError` for what is not positive."""
        for name, value in vars(self).items():
            known = isinstance(value, int | float) and not isinstance(value, bool)
            if not (known and 0 < value < float("inf")):
                msg = f"{name} is a number above 0; got {value!r}"
                raise ValueError(msg)


def client_of(scope: Mapping[str, Any] | None) -> str:
    """Return whom a request counts for: the owner of its token, else the address it comes from."""
    caller = None if scope is None else scope.get("toolwright.caller")
    if caller is not None:
        return f"caller {caller.name}"
    return "" if scope is None else str(scope.get("toolwright.client", ""))


def client_of_request(ctx: Any) -> str:
    """Return whom a request of the SDK counts for; over stdio there is one client."""
    return client_of(getattr(ctx.request, "scope", None))


def cost_of(body: bytes) -> int:
    """Return about how many bytes a JSON text takes once it is read."""
    parts = body.count(b",") + body.count(b"[") + body.count(b"{")
    return len(body) + 100 * parts


class Shares:
    """Counts what each client holds of something that is bounded, for each and in all."""

    def __init__(self, most: int, most_each: int) -> None:
        self.most = most
        self.most_each = most_each
        self.total = 0
        self.held: dict[str, int] = {}

    def fits(self, client: str, amount: int = 1) -> bool:
        """Return whether a client may have more."""
        own = self.held.get(client, 0) + amount
        return own <= self.most_each and self.total + amount <= self.most

    def take(self, client: str, amount: int = 1) -> bool:
        """Give a client more; return whether there was enough."""
        if not self.fits(client, amount):
            return False
        self.add(client, amount)
        return True

    def add(self, client: str, amount: int) -> None:
        """Count what a client has, be it too much or not."""
        self.total += amount
        self.held[client] = self.held.get(client, 0) + amount

    def give_back(self, client: str, amount: int = 1) -> None:
        """Take something back."""
        self.total -= amount
        left = self.held[client] - amount
        if left:
            self.held[client] = left
        else:
            del self.held[client]


class TaskShares:
    """The tasks of each client: those that run, and the bytes of those that are kept."""

    def __init__(self, keep: float) -> None:
        self.keep_for = keep
        self.running = Shares(1_000, 250)
        self.kept = Shares(256 * _MIB, 64 * _MIB)
        self._ends: deque[tuple[float, str, int]] = deque()

    def begin(self, client: str) -> bool:
        """Return whether a client may begin a task; it counts from now on."""
        now = time.monotonic()
        while self._ends and self._ends[0][0] <= now:
            self.kept.give_back(*self._ends.popleft()[1:])
        return self.kept.fits(client) and self.running.take(client)

    def end(self, client: str) -> None:
        """Count a task that runs no more."""
        self.running.give_back(client)

    def keep(self, client: str, size: int) -> None:
        """Count a result for as long as it is kept."""
        size += _TASK_OVERHEAD
        # It was promised, so it is kept even beyond the bound: then the next task has to wait.
        self.kept.add(client, size)
        self._ends.append((time.monotonic() + self.keep_for, client, size))
