"""Lines from a pipe, and to one: bounded, and without blocking."""

from __future__ import annotations

import json
import os
import re
import select
import threading
from collections.abc import Callable, Generator
from queue import SimpleQueue
from typing import Any

from ..._json_values import compact_json, is_object

_CHUNK = 1 << 16
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
"""A text, which may lack its end, or a bracket: possessive, so that no text is read twice."""
_SEPARATOR = re.compile(rb"[ \t\r:]*+")
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]{0,4000})(?=[ \t\r,}]|\Z)")
_MOST_TOKENS = 1_000_000
_LONGEST_KEY = 64


def read_lines(descriptor: int, most: int) -> Generator[bytes | None]:
    """Yield the lines of a descriptor until it ends; None in place of one that is too long.

    Raises `OSError`.
    """
    line = bytearray()  # one array, so that its memory is freed once the line is answered
    fits = True
    while chunk := os.read(descriptor, _CHUNK):
        if fits and not line and chunk.find(b"\n") == len(chunk) - 1:
            yield chunk[:-1]  # one whole line, as a client that waits for its answer sends
            continue
        first, *later_lines = chunk.split(b"\n")
        fits = fits and len(line) + len(first) <= most
        if fits:
            line += first
        else:  # what comes up to the next newline is dropped, not kept
            line = bytearray()
        for part in later_lines:
            yield bytes(line) if fits else None
            line, fits = bytearray(part), True
    yield bytes(line) if fits else None


def has_hung_up(descriptor: int) -> bool:
    """Return whether the other end of a pipe or socket is closed; lines may still be left in it."""
    if not hasattr(select, "poll"):  # on Windows, pipes cannot be polled
        return False
    poll = select.poll()
    poll.register(descriptor, getattr(select, "POLLRDHUP", 0))
    return bool(poll.poll(0))


def id_in(line: bytes) -> int | str | None:
    """Return the id of the request in a line that is not JSON; None if there is none.

    It looks at the members of the outer object only. The number of a question of ours in a broken
    answer is not an id: the client may have a request of its own with that number.
    """
    request_id: int | str | None = None
    depth = position = 0
    if not line.lstrip().startswith(b"{"):
        return None
    for _ in range(_MOST_TOKENS):
        token = _TOKEN.search(line, position)
        if token is None:
            return request_id
        position = token.end()
        first = line[token.start()]
        if first in b"{[":
            depth += 1
        elif first in b"}]":
            depth -= 1
            if depth == 0:
                return request_id
        elif (
            depth == 1 and (separator := _SEPARATOR.match(line, position)) and b":" in separator[0]
        ):
            position = separator.end()
            key = _text(token[0]) if len(token[0]) <= _LONGEST_KEY else ""
            if key in ("result", "error"):
                return None
            if key == "id":
                request_id = _id_at(line, position)
    return request_id


def _id_at(line: bytes, at: int) -> int | str | None:
    if number := _NUMBER.match(line, at):
        return int(number[0])
    text = _TOKEN.match(line, at)
    return _text(text[0]) if text and text[0].startswith(b'"') else None


def _text(token: bytes) -> str | None:
    try:
        return json.loads(token.decode(errors="replace"))
    except ValueError:
        return None


def is_clean_call(message: Any) -> bool:
    """Return whether a message is a call of a tool, and UTF-8 holds all but its arguments."""
    params = message.get("params")
    if message.get("method") != "tools/call" or not is_object(params):
        return False
    try:
        compact_json({**message, "params": {**params, "arguments": None}})
    except (ValueError, RecursionError):
        return False
    return True


_AT_ONCE = 4096
"""Bytes that a pipe takes without blocking if it is ready at all (PIPE_BUF of Linux)."""

_MOST_WAITING = 1024 * 1024
"""Bytes that wait for a slow client, beyond which notifications are dropped."""

_MOST_UNREAD = 32 * 1024 * 1024
"""Bytes that wait for a client that does not read, beyond which nothing is read from it."""

_PART = 1 << 16
_LAST_CHANCE = 1.0
"""Seconds within which a client that has closed the input must read something."""


class Writer:
    """Writes whole lines in order; small ones at once, others in a thread that may block."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.lock = threading.Lock()
        self.waiting = 0
        """Bytes that are not written yet."""
        self.is_full = False
        """Whether so much waits that nothing more should be read from the client."""
        self._written = 0
        self._closed = False
        self._changed = threading.Condition(self.lock)
        self.queue: SimpleQueue[bytes | None] = SimpleQueue()
        self.thread: threading.Thread | None = None
        self.poll: select.poll | None = None
        if hasattr(select, "poll"):  # on Windows, pipes cannot be polled
            self.poll = select.poll()
            self.poll.register(descriptor, select.POLLOUT)

    def notify(self, line: bytes) -> bool:
        """Write a notification; return False if it is dropped, as too much waits already."""
        if self.waiting > _MOST_WAITING:
            return False
        self.write(line)
        return True

    def write(self, line: bytes) -> None:
        """Write a line; never blocks."""
        data = line + b"\n"
        with self.lock:
            if not self.waiting and len(data) <= _AT_ONCE and self._ready():
                try:  # noqa: SIM105 - every answer passes here; `suppress` takes ten times as long
                    os.write(self.descriptor, data)
                except OSError:
                    pass  # the client has left: the input ends as well
                return
            self.waiting += len(data)
            self.is_full = self.waiting > _MOST_UNREAD
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, daemon=True)
                self.thread.start()
        self.queue.put(data)

    def _ready(self) -> bool:
        return self.poll is not None and bool(self.poll.poll(0))

    def wait(self, has_left: Callable[[], bool]) -> bool:
        """Wait until the client has read enough; return False if it never will.

        It never will if the writer is closed, or a client that has left reads nothing for a second.
        """
        with self._changed:
            while self.is_full and not self._closed:
                before = self._written
                if not self._changed.wait(_LAST_CHANCE) and before == self._written and has_left():
                    return False
            return not self._closed

    def _work(self) -> None:
        while (data := self.queue.get()) is not None:
            view = memoryview(data)
            while view:
                # In parts, so that a client that reads a long line slowly is seen to read.
                try:
                    count = os.write(self.descriptor, view[:_PART])
                except OSError:  # the client has left: nobody reads the rest
                    count = len(view)
                view = view[count:]
                self._count(count)

    def _count(self, written: int) -> None:
        with self.lock:
            self._written += written
            self.waiting -= written
            if self.is_full and self.waiting <= _MOST_UNREAD:
                self.is_full = False
                self._changed.notify_all()

    def close(self) -> None:
        """Write what waits, and end."""
        with self.lock:
            self._closed = True
            self._changed.notify_all()
        if self.thread is not None:
            self.queue.put(None)
            self.thread.join(5)
