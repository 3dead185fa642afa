"""Messages between processes: JSON, with its length before it."""

from __future__ import annotations

import os
import struct
import threading
from typing import Any

from pydantic_core import from_json, to_json

_LENGTH = struct.Struct(">I")


class Closed(EOFError):
    """The other end is gone."""


class Pipe:
    """Two descriptors: one to read messages from, one to write them to."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming = incoming
        self.outgoing = outgoing
        self.lock = threading.Lock()

    def send(self, message: dict[str, Any]) -> None:
        """Write a message. Raises `Closed`."""
        body = to_json(message)
        data = memoryview(_LENGTH.pack(len(body)) + body)
        try:
            with self.lock:
                while data:
                    data = data[os.write(self.outgoing, data) :]
        except OSError as error:
            raise Closed from error

    def receive(self) -> dict[str, Any]:
        """Wait for a message. Raises `Closed`."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return from_json(self._read(length))

    def _read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = os.read(self.incoming, min(size, 1 << 20))
            except OSError as error:
                raise Closed from error
            if not part:
                raise Closed
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Let go of both."""
        for each in (self.incoming, self.outgoing):
            os.close(each)
