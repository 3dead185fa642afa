"""A listening socket that counts what it has accepted."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

MAX_BURST = 32
"""How many connections may be accepted before those that they replace are closed."""


class Counts(Protocol):
    """Tells a listener whether there is room, and counts its connections."""

    def has_room(self) -> bool:
        """Return whether another connection may be accepted now."""
        ...

    def accepted(self, connection: Accepted) -> None:
        """Count a connection, which may have a TLS handshake before it."""
        ...

    def closed(self, connection: Accepted) -> None:
        """Stop counting a connection: its file was closed."""
        ...


class Accepted(socket.socket):
    """A connection whose end is noticed, even if it never gets past its TLS handshake."""

    peer: tuple[Any, ...] = ()
    since = 0.0
    on_close: Callable[[Accepted], None] | None = None

    def close(self) -> None:
        """Close it, and report that."""
        super().close()
        if (on_close := self.on_close) is not None:
            self.on_close = None
            on_close(self)

    def cut(self) -> None:
        """End it from outside: the code that reads from it sees the end, and closes it."""
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)


class Listener(socket.socket):
    """Accepts connections while there is room for them.

    Asyncio accepts all waiting connections before it looks at any: thousands would use up the open
    files of the process, and then nothing is accepted for a second. Loops that do not call
    `accept` (on Windows, uvloop) merely go without this bound.
    """

    counts: Counts

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a connection. Raises `BlockingIOError` if there is no room: asyncio asks again."""
        if not self.counts.has_room():
            raise BlockingIOError
        accepted, address = super().accept()
        connection = Accepted(
            accepted.family, accepted.type, accepted.proto, fileno=accepted.detach()
        )
        connection.peer = tuple(address[:2])
        connection.on_close = self.counts.closed
        self.counts.accepted(connection)
        return connection, address


def counted(listening: socket.socket, counts: Counts) -> Listener:
    """Return a socket that counts, in place of the given listening socket."""
    family, kind, number = listening.family, listening.type, listening.proto
    listener = Listener(family, kind, number, fileno=listening.detach())
    listener.counts = counts
    return listener
