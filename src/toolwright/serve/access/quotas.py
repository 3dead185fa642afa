"""Bounds on what each client, and all clients together, may hold."""

from __future__ import annotations

import time
from collections import deque
from typing import Literal, NamedTuple

from ...errors import Overloaded

MOST_HELLO = 64 * 1024
"""Bytes of a request whose content is kept: `initialize` and `subscriptions/listen`."""
MOST_STREAMS = 10_000
MOST_RUNNING = 1_000
"""Requests that one client may have running."""
MOST_QUESTIONS = 10_000
MOST_QUESTIONS_EACH = 1_000
"""Questions of tools that wait for a client's answer."""
_MIB = 1024 * 1024
_TASK_OVERHEAD = 1_000


class Client(NamedTuple):
    """The client that a request is counted for."""

    name: str = ""
    """The owner of its token, else the address it comes from; over stdio there is one client."""
    address: str = ""
    """Where it comes from; empty if many clients share that address, as behind a proxy."""


def cost_of(body: bytes) -> int:
    """Return about how many bytes a JSON text takes once it is read."""
    parts = body.count(b",") + body.count(b"[") + body.count(b"{")
    return len(body) + 100 * parts


Excess = Literal["", "client", "address", "all"]


class Shares:
    """Counts what each client holds of a bounded resource.

    There is a bound for each client, for all clients of one address, and in all. An address may
    hold half of everything, so that many tokens in one place do not take what others need.
    """

    def __init__(self, most: int, most_each: int) -> None:
        self.most = most
        self.most_each = most_each
        self.most_address = max(most // 2, most_each)
        self.total = 0
        self.held: dict[str, int] = {}
        """What each client holds, by its name."""
        self.at: dict[str, int] = {}
        """What the clients of an address hold."""

    def excess(self, client: Client, amount: int = 1) -> Excess:
        """Return the bound that a client would exceed with more; empty if there is room."""
        if self.held.get(client.name, 0) + amount > self.most_each:
            return "client"
        if client.address and self.at.get(client.address, 0) + amount > self.most_address:
            return "address"
        return "all" if self.total + amount > self.most else ""

    def take(self, client: Client, amount: int = 1) -> bool:
        """Give a client more; return whether there was enough."""
        if self.excess(client, amount):
            return False
        self.add(client, amount)
        return True

    def add(self, client: Client, amount: int = 1) -> None:
        """Count what a client holds, even beyond its bound."""
        self.total += amount
        _add(self.held, client.name, amount)
        if client.address:
            _add(self.at, client.address, amount)

    def give_back(self, client: Client, amount: int = 1) -> None:
        """Take something back."""
        self.add(client, -amount)


def _add(counts: dict[str, int], key: str, amount: int) -> None:
    count = counts.get(key, 0) + amount
    if count:
        counts[key] = count
    else:
        counts.pop(key, None)


def is_within(bound: Excess, client: Client, other: Client) -> bool:
    """Return whether a bound that one client would exceed also counts another client."""
    if bound == "client":
        return client.name == other.name
    return bound == "all" or client.address == other.address


class Running:
    """The requests that run, even if their client has left: their number, and their bytes."""

    def __init__(
        self, most: int = MOST_RUNNING, most_each: int = MOST_RUNNING, most_bytes: int = 1 << 40
    ) -> None:
        self.count = Shares(most, most_each)
        self.bytes = Shares(most_bytes, most_bytes // 4)

    def begin(self, client: Client, size: int) -> bool:
        """Return whether a request may run; it counts from now on."""
        if self.bytes.excess(client, size) or not self.count.take(client):
            return False
        self.bytes.add(client, size)
        return True

    def end(self, client: Client, size: int) -> None:
        """Stop counting a request."""
        self.count.give_back(client)
        self.bytes.give_back(client, size)


def too_many() -> Overloaded:
    """Return the error for a request that may not run now."""
    return Overloaded("too many requests are already running", retry_after=1)


class TaskShares:
    """The tasks of each client: those that run, and the bytes of those that are kept."""

    def __init__(self, keep: float) -> None:
        self.keep_for = keep
        self.running = Shares(1_000, 250)
        self.kept = Shares(256 * _MIB, 64 * _MIB)
        self._ends: deque[tuple[float, Client, int]] = deque()

    def begin(self, client: Client) -> bool:
        """Return whether a client may begin a task; it counts from now on."""
        now = time.monotonic()
        while self._ends and self._ends[0][0] <= now:
            self.kept.give_back(*self._ends.popleft()[1:])
        return not self.kept.excess(client) and self.running.take(client)

    def end(self, client: Client) -> None:
        """Stop counting a task that has ended."""
        self.running.give_back(client)

    def keep(self, client: Client, size: int) -> None:
        """Count a result for as long as it is kept."""
        size += _TASK_OVERHEAD
        # It was promised, so it is kept even beyond the bound: then the next task has to wait.
        self.kept.add(client, size)
        self._ends.append((time.monotonic() + self.keep_for, client, size))
