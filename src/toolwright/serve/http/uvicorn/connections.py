"""Our server's connections: bounded in number, closed when too slow."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ...access.guard import TrustedProxies, client_key, is_loopback
from ...settings import ServerConfig
from ..body import Looks, allowed


class JoinedWrites:
    """A transport that holds the head of an answer back until its body comes.

    Uvicorn writes them separately. Each write is a system call and often a packet of its own, which
    is the largest part of the cost of a small answer. Only heads that announce the length of a body
    are held: a stream has none, and its client waits for the head.
    """

    def __init__(self, transport: Any) -> None:
        self._transport = transport
        self._head: bytes | None = None

    def write(self, data: bytes) -> None:
        """Write, in order."""
        head, self._head = self._head, None
        if head is not None:
            self._transport.write(head + data)
        elif data.startswith(b"HTTP/1.") and b"\r\ncontent-length:" in data:
            self._head = data
        else:
            self._transport.write(data)

    def write_whole(self, data: bytes) -> None:
        """Write a whole answer."""
        self._flush()
        self._transport.write(data)

    def is_closing(self) -> bool:
        """Return whether it is closed, or about to be; asked for each request."""
        return self._transport.is_closing()

    def _flush(self) -> None:
        head, self._head = self._head, None
        if head is not None:
            self._transport.write(head)

    def close(self) -> None:
        """Close it when all is written."""
        self._flush()
        self._transport.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


MAX_BURST = 32
"""How many connections may be accepted before those that they replace are closed."""


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

    counts: Connections

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


def counted(listening: socket.socket, counts: Connections) -> Listener:
    """Return a socket that counts, in place of the given listening socket."""
    family, kind, number = listening.family, listening.type, listening.proto
    listener = Listener(family, kind, number, fileno=listening.detach())
    listener.counts = counts
    return listener


_MOST_HEAD = 64 * 1024
"""Bytes of a request line and headers."""
_MOST_REST = 4 * 1024 * 1024
"""Bytes of a body that are still taken after an answer, so that its client can read the answer."""
_REFUSED = "HTTP/1.1 {} \r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"connection: close\r\ncontent-length: 0\r\n\r\n"
)


_DENSE_SIZE = 4096
"""Bytes above which chunks or headers must have some length."""
_SHORT_LINE = 16


class Connections:
    """The open connections of a server.

    At a bound, a new one takes the place of the one that has waited longest for its client: first
    one that never sent a whole request, then an idle one. So unfinished requests cannot keep
    others out. Only if all are at work is the new one refused.
    """

    def __init__(self, limits: ServerConfig, proxies: TrustedProxies) -> None:
        self.limits = limits
        self.proxies = proxies
        self.open: dict[Watched, None] = {}
        self.by_client: dict[str, int] = {}
        self.unproven: dict[Watched, None] = {}
        """Those that have not sent a whole request yet, the oldest first."""
        self.idle: dict[Watched, None] = {}
        """Those that have, and wait for the next one, the oldest first."""
        self.arriving: dict[tuple[Any, ...], Accepted] = {}
        """Those that were accepted, but have not got past their TLS handshake."""
        self.files = 0
        """How many were accepted and not closed yet, whatever became of them."""
        self._timer: asyncio.TimerHandle | None = None
        self._looks = Looks(min(1.0, limits.header_timeout / 4, limits.body_timeout / 4))

    def has_room(self) -> bool:
        """Return whether another connection may be accepted now."""
        return self.files < self.limits.max_connections + MAX_BURST

    def accepted(self, connection: Accepted) -> None:
        """Count a connection that was accepted, before its protocol is made."""
        self.files += 1
        self._make_room(self._key(connection.peer))
        connection.since = asyncio.get_running_loop().time()
        self.arriving[connection.peer] = connection
        if self._timer is None:
            self._look_later()

    def closed(self, connection: Accepted) -> None:
        """Stop counting a file."""
        self.files -= 1
        if self.arriving.get(connection.peer) is connection:
            del self.arriving[connection.peer]

    def _key(self, peer: tuple[Any, ...]) -> str:
        """Return the client that a connection counts for; empty if many share its address."""
        address = str(peer[0]) if peer else ""
        key = client_key(address)
        return "" if is_loopback(key) or self.proxies.trusts(address) else key

    def add(self, connection: Watched, peer: tuple[Any, ...]) -> bool:
        """Count a connection that was made; return whether there is room for it."""
        self.arriving.pop(peer, None)
        connection.key = self._key(peer)
        has_room = self._make_room(connection.key)
        self.open[connection] = None
        self.by_client[connection.key] = self.by_client.get(connection.key, 0) + 1
        if has_room:
            self.unproven[connection] = None
        if self._timer is None:
            self._look_later()
        return has_room

    def remove(self, connection: Watched) -> None:
        """Stop counting a connection."""
        if connection not in self.open:
            return
        del self.open[connection]
        self.at_work(connection)
        remaining = self.by_client[connection.key] - 1
        if remaining:
            self.by_client[connection.key] = remaining
        else:
            del self.by_client[connection.key]

    def at_work(self, connection: Watched) -> None:
        """Record that a whole request has come."""
        self.unproven.pop(connection, None)
        self.idle.pop(connection, None)

    def waits(self, connection: Watched) -> None:
        """Record that a request was answered."""
        if connection in self.open and connection not in self.unproven:
            self.idle[connection] = None

    def _make_room(self, key: str) -> bool:
        """Return whether there is room for one more, after closing another if need be."""
        if key and self._count(key) >= self.limits.max_connections_per_client:
            return self._close_one(key)
        if len(self.open) + len(self.arriving) >= self.limits.max_connections:
            return self._close_one("")
        return True

    def _count(self, key: str) -> int:
        arriving = sum(self._key(peer) == key for peer in self.arriving)
        return self.by_client.get(key, 0) + arriving

    def _close_one(self, key: str) -> bool:
        """Close the one that has waited longest, of one client or of all."""
        arriving = (
            connection
            for connection in self.arriving.values()
            if not key or self._key(connection.peer) == key
        )
        unproven = (connection for connection in self.unproven if not key or connection.key == key)
        oldest = [
            connection
            for connection in (next(arriving, None), next(unproven, None))
            if connection is not None
        ]
        if not oldest:
            oldest = [idle for idle in self.idle if not key or idle.key == key][:1]
        for connection in sorted(oldest, key=lambda each: each.since)[:1]:
            if isinstance(connection, Accepted):
                del self.arriving[connection.peer]
            else:
                self.remove(connection)
            connection.cut()
        return bool(oldest)

    def _look_later(self) -> None:
        self._timer = self._looks.later(asyncio.get_running_loop(), self._look)

    def _look(self) -> None:
        """Look at every connection: one timer for all costs requests nothing."""
        self._timer = None
        now = asyncio.get_running_loop().time()
        corrected = self._looks.corrected(now)
        for connection in list(self.open):
            connection.since = corrected(connection.since)
            if connection.stuck_since is not None:
                connection.stuck_since = corrected(connection.stuck_since)
            connection.look(now, self.limits)
        for connection in list(self.arriving.values()):
            connection.since = corrected(connection.since)
            if now - connection.since > self.limits.header_timeout:
                connection.cut()
        if self.open or self.arriving:
            self._look_later()


if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as _Protocol
else:
    _Protocol = object


class Watched(_Protocol):
    """A connection that is counted, and closed when its client is too slow.

    It is mixed into one of uvicorn's protocols. `cycle` is the request that is being answered, the
    same in all of uvicorn's protocols. None of this is documented: `trial` tries it first.
    """

    watching: Connections
    key = ""
    since = 0.0
    """When waiting for a head began."""
    head_size = 0
    """Bytes that have come since."""
    is_waiting = True
    discarded: int | None = None
    """Bytes that came after its head was refused; None if it was not."""
    stuck_since: float | None = None
    stuck_size = 0

    def connection_made(self, transport: Any) -> None:
        """Count it, or refuse it."""
        super().connection_made(transport)
        self.transport: Any = JoinedWrites(transport)
        self.since = self.loop.time()
        if not self.watching.add(self, self.client or ()):
            transport.write(_REFUSED.format("503 Service Unavailable").encode())
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self.watching.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take data, and note whether a request is whole now."""
        if self._is_refused(data):
            return
        if self.is_waiting:
            if not self.head_size:
                self.since = self.loop.time()
            self.head_size += len(data)
        super().data_received(data)
        cycle: Any = self.cycle
        if cycle is None or cycle.response_complete:
            # After an answer this may be the rest of a body that is not read any more.
            if not (cycle and cycle.more_body):
                if self.head_size > _MOST_HEAD:
                    self._refuse_head()
            elif self.head_size > _MOST_REST:
                self.transport.abort()
        elif self.is_waiting or not cycle.more_body:
            self.is_waiting = False
            if not cycle.more_body:
                self.watching.at_work(self)

    def _is_refused(self, data: bytes) -> bool:
        """Return whether data is not read, after answering or ending the connection."""
        if self.discarded is not None:
            self.discarded += len(data)
            if self.discarded > _MOST_REST:
                self.transport.abort()
            return True
        if len(data) > _DENSE_SIZE:
            if self._is_large_head(data):
                self._refuse_head()
                return True
            if self._is_dense(data):
                self.transport.abort()
                return True
        return False

    def _refuse_head(self) -> None:
        """Answer that the head is too large, and read no more of it.

        What the client still sends is taken and dropped: closing a socket that has unread data
        resets the connection, and the client would not see the answer. A client that goes on for
        longer than a head may take is cut by `look`.
        """
        self.discarded = 0
        self.transport.write_whole(_TOO_LARGE)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        else:
            self.transport.close()

    def _is_large_head(self, data: bytes) -> bool:
        """Return whether a head has too many lines or bytes: parsers take any that comes whole."""
        cycle: Any = self.cycle
        if not self.is_waiting or (cycle is not None and cycle.more_body):
            return False  # a body, or the rest of one that is not read any more
        head = data.partition(b"\r\n\r\n")[0]
        return self.head_size + len(head) > _MOST_HEAD or _has_short_lines(head)

    def _is_dense(self, data: bytes) -> bool:
        """Return whether data takes far longer to read than its size suggests.

        Each chunk and each header costs the same, however small it is: a megabyte of one-byte
        chunks would block all clients for seconds.
        """
        if not _has_short_lines(data):
            return False
        if not self.is_waiting:
            return any(name == b"transfer-encoding" for name, _ in self.headers)
        head, _, body = data.partition(b"\r\n\r\n")
        # What the first part of a head said is not known here: such requests are rare enough.
        if self.head_size or _has_short_lines(head):
            return True
        return b"transfer-encoding" in head.lower() and _has_short_lines(body)

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has come already."""
        self.is_waiting = True
        self.head_size = 0
        self.since = self.loop.time()
        super().on_response_complete()
        if self.cycle.response_complete:
            self.watching.waits(self)
        else:
            self.is_waiting = False

    def pause_writing(self) -> None:
        """Begin to count how long the client takes."""
        self.stuck_since = None
        super().pause_writing()

    def resume_writing(self) -> None:
        """Record that the client has read what was written."""
        self.stuck_since = None
        super().resume_writing()

    def cut(self) -> None:
        """End it at once."""
        self.transport.abort()

    def look(self, now: float, limits: ServerConfig) -> None:
        """Close it if its client takes too long."""
        size = self.transport.get_write_buffer_size()
        if size:
            self._look_at_answer(now, size, limits.body_timeout)
        else:
            self.stuck_since = None
        if not self.is_waiting or self.transport.is_closing():
            return
        cycle: Any = self.cycle
        is_idle = cycle is not None and not self.head_size
        if now - self.since > (self.timeout_keep_alive if is_idle else limits.header_timeout):
            if cycle is None and self.head_size and self.discarded is None:
                self.transport.write(_REFUSED.format("408 Request Timeout").encode())
            self.transport.close()

    def _look_at_answer(self, now: float, size: int, seconds: float) -> None:
        """Close it if its client does not take what was written.

        While the buffer is full nothing is added, so its size says how long it may take. Otherwise
        any progress counts: a stream that is read steadily may never be quite empty.
        """
        is_fixed = self.flow.write_paused or self.transport.is_closing()
        if self.stuck_since is None or (size < self.stuck_size and not is_fixed):
            self.stuck_since = now
            self.stuck_size = size
        elif now - self.stuck_since > allowed(seconds, self.stuck_size):
            self.transport.abort()
        elif not is_fixed:
            self.stuck_size = size


def _has_short_lines(data: bytes) -> bool:
    """Return whether data has many lines for its size."""
    return len(data) > _DENSE_SIZE and data.count(b"\r\n") * _SHORT_LINE > len(data)
