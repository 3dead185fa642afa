"""Lines for a pipe that may be full, written without blocking."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
from queue import SimpleQueue

_AT_ONCE = 4096
"""Bytes that a pipe takes without blocking if it is ready at all (PIPE_BUF of Linux)."""

_MOST_WAITING = 1024 * 1024
"""Bytes that wait for a slow client, beyond which notifications are dropped."""


class Writer:
    """Writes whole lines in order; small ones at once, others in a thread that may block."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.lock = threading.Lock()
        self.waiting = 0
        """Bytes that are not written yet."""
        self.queue: SimpleQueue[bytes | None] = SimpleQueue()
        self.thread: threading.Thread | None = None
        self.selects = sys.platform != "win32"

    def notify(self, line: bytes) -> bool:
        """Write a notification, or drop it if too much waits already; return whether it is written."""
        if self.waiting > _MOST_WAITING:
            return False
        self.write(line)
        return True

    def write(self, line: bytes) -> None:
        """Write a line; never blocks."""
        data = line + b"\n"
        with self.lock:
            if not self.waiting and len(data) <= _AT_ONCE and self._ready():
                with contextlib.suppress(OSError):  # the client has left: the input ends, too
                    os.write(self.descriptor, data)
                return
            self.waiting += len(data)
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, daemon=True)
                self.thread.start()
        self.queue.put(data)

    def _ready(self) -> bool:
        return self.selects and bool(select.select([], [self.descriptor], [], 0)[1])

    def _work(self) -> None:
        while (data := self.queue.get()) is not None:
            with contextlib.suppress(OSError):
                view = memoryview(data)
                while view:
                    view = view[os.write(self.descriptor, view) :]
            with self.lock:
                self.waiting -= len(data)

    def close(self) -> None:
        """Write what waits, and end."""
        if self.thread is not None:
            self.queue.put(None)
            self.thread.join(5)
