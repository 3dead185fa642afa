"""The head of an answer and its body in one write."""

from __future__ import annotations

import asyncio
from typing import Any


class JoinedWrites:
    """A transport that holds the head of an answer back until its body comes.

    Uvicorn writes them apart. Each write is a system call and often a packet of its own, which is
    the largest part of what a small answer costs. A head whose body does not come in the same turn
    of the loop, as of a stream, is written at the end of that turn.
    """

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head: bytes | None = None

    def write(self, data: bytes) -> None:
        """Write, in order."""
        head, self._head = self._head, None
        if head is not None:
            self._transport.write(head + data)
        elif data.startswith(b"HTTP/1."):
            self._head = data
            self._loop.call_soon(self._flush)
        else:
            self._transport.write(data)

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
