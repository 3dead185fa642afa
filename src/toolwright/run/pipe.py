"""Messages on the standard streams of processes; forked copies of processes.

Each message is JSON, with its length before it.

A tool may fork, as `multiprocessing` does, and its copies go on working. But a copy holds all that
was open: the pipes of our processes, the client's connection, the port. And if it returns from the
tool, it runs our code a second time and answers a second time.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any, cast

from pydantic_core import from_json, to_json

from .._log import log

_guards: list[unshared] = []
_loop: list[Any] = [None]
"""The event loop that runs in the thread that forks."""
_endings: list[Callable[[], object]] = []
"""Functions that a copy calls before it is ended."""


class unshared:  # noqa: N801 - reads as a statement
    """While it is entered, forked copies lose these descriptors and never resume the loop."""

    def __init__(
        self,
        descriptors: Callable[[], Iterable[int]],
        ending: Callable[[], object] | None = None,
    ) -> None:
        self.descriptors = descriptors
        self.ending = ending
        """Called in a copy that is about to be ended."""

    def __enter__(self) -> None:
        _guards.append(self)

    def __exit__(self, *_: object) -> None:
        if self in _guards:  # not in a copy
            _guards.remove(self)


def end_copy() -> None:
    """End a copy that has returned from the tool that forked it: it has no caller to answer."""
    log.warning("a tool forked, and its copy returned from the tool: the copy was ended")
    for end in _endings:
        end()
    os._exit(1)


def _before() -> None:
    asyncio = sys.modules.get("asyncio")
    _loop[0] = None if asyncio is None else asyncio._get_running_loop()  # noqa: SLF001


def _in_original() -> None:
    _loop[0] = None


def _in_copy() -> None:
    loop, _loop[0] = _loop[0], None
    guards, _guards[:] = list(_guards), []
    for guard in guards:
        with contextlib.suppress(Exception):  # the server may be starting or ending
            _replace(guard.descriptors())
        if guard.ending is not None:
            _endings.append(guard.ending)
    if guards and loop is not None:
        # An async tool forked. Its copy may do anything until it returns to the loop;
        # then the loop must not go on here: the original runs it, on the same sockets.
        loop.call_soon(end_copy)


def _replace(descriptors: Iterable[int]) -> None:
    """Put the null device in the place of descriptors, so that nothing else gets their numbers."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.dup2(null, descriptor, inheritable=False)
    os.close(null)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_original, after_in_child=_in_copy)


_LENGTH = struct.Struct(">I")
MOST_FRAME = 256 * 1024 * 1024
"""The largest message in bytes: a greater length is noise, and no memory is reserved for it."""

_AHEAD = 8192
"""How many bytes to ask for at least, in one read."""


class Closed(EOFError):
    """The other end is gone."""


class Garbled(Closed):
    """The other end has sent something other than a message: nothing after it can be trusted."""


class TooLarge(ValueError):
    """A message has more than `MOST_FRAME` bytes; none of it was sent."""


def sendable(said: Any) -> Any:
    """Return what was logged; its text if it is not JSON, or null, which the SDK cannot send."""
    if said is None:
        return "None"
    try:
        to_json(said)
    except Exception:  # noqa: BLE001 - whatever an author logs
        return repr(said)
    return said


class Pipe:
    """Two descriptors: one to read messages from, one to write them to.

    It belongs to the process that made it. A forked copy of that process neither reads nor writes:
    its messages would be taken for those of the original.
    """

    def __init__(self, incoming: int, outgoing: int) -> None:
        self.incoming = incoming
        self.outgoing = outgoing
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.ahead = b""
        """What was read beyond the last message."""
        self.torn = False
        """Whether writing a message was interrupted: what comes after it cannot be read."""

    def send(self, message: dict[str, Any]) -> None:
        """Write a message. Raises `Closed` or `TooLarge`."""
        body = to_json(message)
        if len(body) > MOST_FRAME:
            msg = f"{len(body)} bytes"
            raise TooLarge(msg)
        data = memoryview(_LENGTH.pack(len(body)) + body)
        self._check()
        try:
            with self.lock:
                if self.torn:
                    raise Closed
                self.torn = True  # until all of it is written: a signal may raise in between
                while data:
                    data = data[os.write(self.outgoing, data) :]
                self.torn = False
        except OSError as error:
            raise Closed from error

    def receive(self) -> dict[str, Any]:
        """Wait for a message. Raises `Closed`, or `Garbled` if something else came."""
        self._check()
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        if length > MOST_FRAME:
            raise Garbled
        try:
            message: Any = from_json(self._read(length))
        except ValueError as error:
            raise Garbled from error
        if not isinstance(message, dict):
            raise Garbled
        return cast("dict[str, Any]", message)

    def _check(self) -> None:
        if self.process != os.getpid():
            raise Closed

    def _read(self, size: int) -> bytes:
        """Take `size` bytes; most messages come with their length, in one read."""
        parts = [self.ahead]
        missing = size - len(self.ahead)
        while missing > 0:
            try:
                part = os.read(self.incoming, min(max(missing, _AHEAD), 1 << 20))
            except OSError as error:
                raise Closed from error
            if not part:
                raise Closed
            parts.append(part)
            missing -= len(part)
        data = b"".join(parts)
        self.ahead = data[size:]
        return data[:size]

    def close(self) -> None:
        """Close both descriptors."""
        for descriptor in (self.incoming, self.outgoing):
            os.close(descriptor)


def stand_in() -> None:
    """Reopen closed standard streams on the null device, so no other file gets their numbers."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def take_over() -> tuple[int, int]:
    """Take over standard input and output: other code reads nothing and prints to `stderr`."""
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

        for descriptor in (wire_in, wire_out):
            msvcrt.setmode(descriptor, os.O_BINARY)
    return wire_in, wire_out
