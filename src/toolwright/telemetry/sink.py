"""Sinks for audit lines: files, streams, functions; none delays calls."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any, TextIO

from .._log import log

Write = Callable[[str], object]
_PATIENCE = 0.1
"""Seconds that a call waits for its line; once a line takes longer, calls do not wait."""
_MOST_WAITING = 1000
"""How many lines may wait for a sink that is slow; further ones are counted and lost."""


def sink_of(where: Any) -> Write:
    """Return a function that writes a line; it logs repeated failures once, and raises nothing."""
    if callable(where):
        return _Patient(where)
    if hasattr(where, "write"):
        return _Patient(_to_stream(where))
    return _guarded(_to_file(where))


class _Patient:
    """Writes in a thread of its own, because a stream or a function may block."""

    def __init__(self, write: Write) -> None:
        self.write = _guarded(write)
        self.waiting: queue.Queue[tuple[str, threading.Event]] = queue.Queue(_MOST_WAITING)
        self.slow = False
        self.lost = 0
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def __call__(self, line: str) -> None:
        """Write a line, and wait a moment, so that it is there before its call is answered."""
        is_written = threading.Event()
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, name="audit", daemon=True)
                self.thread.start()
        try:
            self.waiting.put_nowait((line, is_written))
        except queue.Full:
            if not self.lost:
                log.error("calls cannot be recorded as fast as they come: some are left out")
            self.lost += 1
            return
        if not self.slow and not is_written.wait(_PATIENCE):
            self.slow = True  # no other call waits until it has caught up

    def _work(self) -> None:
        while True:
            line, is_written = self.waiting.get()
            self.write(line)
            is_written.set()
            if self.waiting.empty():
                self.slow = False
                lost, self.lost = self.lost, 0
                if lost:
                    log.error("%d calls were not recorded", lost)


def _guarded(write: Write) -> Write:
    failing = False

    def guarded(line: str) -> None:
        nonlocal failing
        try:
            write(line)
            failing = False
        except Exception as error:  # noqa: BLE001 - what cannot be written fails no call
            if not failing:
                log.error("calls cannot be recorded: %s", error)
            failing = True

    return guarded


def _to_stream(stream: TextIO) -> Write:
    def write(line: str) -> None:
        stream.write(line + "\n")
        stream.flush()

    return write


def _to_file(path: Any) -> Write:
    # Opened once, and never waited for: a pipe that has no reader must not stop the server.
    how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
    number = os.open(path, how, 0o600)
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock:
            os.write(number, line.encode() + b"\n")

    return write
