"""The head of an answer and its body in one write."""

from __future__ import annotations

from typing import Any


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
