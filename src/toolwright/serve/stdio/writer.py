"""Lines for a pipe that may be full, written without blocking."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable
from queue import SimpleQueue

_AT_ONCE = 4096
"""Bytes that a pipe takes without blocking if it is ready at all (PIPE_BUF of Linux)."""

_MOST_WAITING = 1024 * 1024
"""Bytes that wait for a slow client, beyond which notifications are dropped."""

_MOST_UNREAD = 32 * 1024 * 1024
"""Bytes that wait for a client that does not read, beyond which nothing is read from it."""

_CHUNK = 1 << 16
_PATIENCE = 1.0
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
                if not self._changed.wait(_PATIENCE) and before == self._written and has_left():
                    return False
            return not self._closed

    def _work(self) -> None:
        while (data := self.queue.get()) is not None:
            view = memoryview(data)
            while view:
                # In parts, so that a client that reads a long line slowly is seen to read.
                try:
                    count = os.write(self.descriptor, view[:_CHUNK])
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
