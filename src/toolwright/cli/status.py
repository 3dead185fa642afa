"""The status line of a server on a terminal."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from .._words import count_of
from ..call import Call
from ..results import Result


class Terminal(Console):
    """A console that never hides the cursor: a server that is killed could not show it again."""

    def show_cursor(self, show: bool = True) -> bool:  # noqa: FBT001, FBT002 - rich calls it
        """Do nothing."""
        return False


class Status:
    """Counts calls, and shows the count below what the server and its tools print."""

    def __init__(self) -> None:
        # Log lines are not markup, and the terminal wraps long ones.
        self.console = Terminal(
            stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True
        )
        self.calls = self.failed = self.running = 0
        self.last = ""

    async def around(
        self, call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]
    ) -> Result:
        """Count a call, and time it."""
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

    def line(self) -> Text:
        """Return the line."""
        counts = f"{count_of(self.calls, 'call')}, {self.failed} failed, {self.running} running"
        more = f"last: {self.last}" if self.last else "waiting for a client"
        return Text(f"{counts}, {more}", no_wrap=True, overflow="crop")

    def start(self) -> None:
        """Keep the line up to date until the program ends, then remove it.

        From now on, `sys.stderr` and `sys.stdout` write above it.
        """
        live = Live(
            get_renderable=self.line,
            console=self.console,
            transient=True,
            redirect_stdout=sys.stdout.isatty(),  # a pipe gets its output unchanged
        )
        atexit.register(live.stop)
        live.start(refresh=True)


def _took(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1000:.0f} ms" if seconds >= 0.001 else f"{seconds * 1e6:.0f} µs"
