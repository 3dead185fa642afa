"""One line on the terminal that says what a server does."""

from __future__ import annotations

import atexit
import logging
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..call import Call
from ..results import Result

_ERASE = "\r\x1b[K"
_EVERY = 0.25


class Status(logging.Handler):
    """Counts calls, and shows the count; log records are written above it."""

    def __init__(self, width: Callable[[], int]) -> None:
        super().__init__()
        self.setFormatter(logging.Formatter("%(message)s"))
        self.width = width
        self.calls = self.failed = self.running = 0
        self.last = ""
        self.shown = ""
        self.writing = threading.Lock()

    async def around(
        self, call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]
    ) -> Result:
        """Watch a call."""
        began = time.perf_counter()
        self.running += 1
        try:
            result = await go_on(sent)
            self.failed += result.error is not None
            return result
        finally:
            self.running -= 1
            self.calls += 1
            self.last = f"{call.tool} {_took(time.perf_counter() - began)}"

    def line(self) -> str:
        """Return what is shown."""
        said = f"{self.calls} calls, {self.failed} failed, {self.running} running"
        return f"{said}, last: {self.last}" if self.last else f"{said}, waiting for a client"

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record above the line."""
        with self.writing:
            sys.stderr.write(f"{_ERASE}{self.format(record)}\n")
            self.shown = ""
        self.show()

    def show(self) -> None:
        """Show the line, if it says something new."""
        text = self.line()[: self.width() - 1]
        with self.writing:
            if text != self.shown:
                sys.stderr.write(_ERASE + text)
                sys.stderr.flush()
                self.shown = text

    def start(self) -> None:
        """Keep the line up to date until the program ends, and leave none behind."""
        atexit.register(sys.stderr.write, _ERASE)
        threading.Thread(target=self._keep, daemon=True).start()

    def _keep(self) -> None:
        while True:
            self.show()
            time.sleep(_EVERY)


def _took(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else f"{seconds * 1e6:.0f} µs"
