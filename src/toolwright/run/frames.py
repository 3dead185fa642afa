"""Messages between processes: JSON, with its length before it."""

from __future__ import annotations

import os
import struct
import sys
import threading
from typing import Any

from pydantic_core import from_json, to_json

_LENGTH = struct.Struct(">I")


class Closed(EOFError):
    """The other end is gone."""


def stand_in() -> None:
    """Open what a program was started without (`>&-`), so that nothing else gets its number."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def take_over() -> tuple[int, int]:
    """Take standard input and output for ourselves; others find them empty, and standard error."""
    stand_in()
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        for each in (wire_in, wire_out):
            msvcrt.setmode(each, os.O_BINARY)
    return wire_in, wire_out


def sendable(said: Any) -> Any:
    """Return what was logged, or its text if it is no JSON."""
    try:
        to_json(said)
    except Exception:  # noqa: BLE001 - whatever an author logs
        return repr(said)
    return said


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
