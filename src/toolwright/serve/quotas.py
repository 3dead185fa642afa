"""What one client may hold of a server, and all clients together."""

from __future__ import annotations

import ipaddress
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_HELLO = 64 * 1024
"""Bytes of a request whose content is kept: `initialize` and `subscriptions/listen`."""
MOST_URI = 8 * 1024
"""Characters of a URI that is subscribed to."""
MOST_STREAMS = 10_000
_MIB = 1024 * 1024


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
            if isinstance(value, bool) or not 0 < value < float("inf"):
                msg = f"{name} is a number above 0; got {value!r}"
                raise ValueError(msg)


def client_of(scope: Mapping[str, Any] | None) -> str:
    """Return whom a request counts for: the owner of its token, else the address it comes from."""
    caller = None if scope is None else scope.get("toolwright.caller")
    if caller is not None:
        return f"caller {caller.name}"
    return address_of(scope)


def address_of(scope: Mapping[str, Any] | None) -> str:
    """Return where a request comes from; one machine has a whole /64 of IPv6."""
    sent_from = None if scope is None else scope.get("client")
    if not sent_from:
        return ""
    try:
        address = ipaddress.ip_address(sent_from[0])
    except ValueError:
        return str(sent_from[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return str(address)


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
        self.total += amount
        self.held[client] = self.held.get(client, 0) + amount
        return True

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
        self.keep = keep
        self.running = Shares(1_000, 250)
        self.kept = Shares(256 * _MIB, 64 * _MIB)
        self._ends: deque[tuple[float, str, int]] = deque()

    def begin(self, client: str) -> bool:
        """Return whether a client may begin a task; it counts from now on."""
        now = time.monotonic()
        while self._ends and self._ends[0][0] <= now:
            self.kept.give_back(*self._ends.popleft()[1:])
        return self.kept.fits(client) and self.running.take(client)

    def end(self, client: str, size: int = 0) -> None:
        """A task runs no more; its result is kept for a while, if it has a size."""
        self.running.give_back(client)
        # It was promised, so it counts even where it is over the bound: the next one has to wait.
        size = min(size, self.kept.most - self.kept.total, self._left(client))
        if size > 0 and self.kept.take(client, size):
            self._ends.append((time.monotonic() + self.keep, client, size))

    def _left(self, client: str) -> int:
        return self.kept.most_each - self.kept.held.get(client, 0)
