"""Lines of output, reported while the program runs."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections import deque
from collections.abc import Callable
from typing import Any

from ..._log import logger
from .plain_text import plain_text

OnLine = Callable[[int, str], object]
"""Gets the number of lines so far, and a line; may be async."""

MOST_AT_ONCE = 10
"""How many lines are reported at once; if there are more, only the last ones."""
INTERVAL = 0.2
"""Seconds between two reports: at most 50 lines a second are reported."""
LONGEST = 400
"""Characters of a line that are reported."""
LAST_WORDS = 1.0
"""Seconds that a listener has for its last lines."""

_LONGEST_BYTES = 4 * LONGEST
_log = logger("sources")


class LineTeller:
    """Passes lines from the thread that reads to a listener on the event loop.

    Neither waits for the other: a listener that is slow misses lines.
    """

    def __init__(self, on_line: OnLine) -> None:
        self._on_line = on_line
        self._loop = asyncio.get_running_loop()
        self._came = asyncio.Event()
        self._ended = asyncio.Event()
        self._is_told = False
        """Whether the loop already knows that lines are waiting."""
        self._waiting: deque[tuple[int, bytes]] = deque(maxlen=MOST_AT_ONCE)
        self._begun: dict[int, bytes] = {}
        """The unfinished line of each stream."""
        self._count = 0
        self._task = self._loop.create_task(self._tell())

    # -- in the thread that reads

    def feed(self, stream: int, chunk: bytes) -> None:
        """Take a chunk of a stream; an empty one if the stream has ended."""
        # Progress bars end their lines with a carriage return.
        chunk = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        unfinished = self._begun.pop(stream, b"")
        ends = chunk.count(b"\n") if chunk else int(bool(unfinished))
        if not ends:
            self._begun[stream] = unfinished + chunk[: _LONGEST_BYTES - len(unfinished)]
            return
        *lines, last = chunk.rsplit(b"\n", MOST_AT_ONCE) if chunk else (b"", b"")
        if ends <= MOST_AT_ONCE:
            lines[0] = unfinished + lines[0]
        else:
            lines = lines[1:]  # without what comes before the last lines
        self._begun[stream] = last[:_LONGEST_BYTES]
        before = self._count + ends - len(lines)
        self._count += ends
        numbered = [
            (before + number, line[:_LONGEST_BYTES]) for number, line in enumerate(lines, 1)
        ]
        self._waiting.extend(pair for pair in numbered if pair[1].strip())
        if self._waiting and not self._is_told:
            self._is_told = True
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._came.set)

    # -- on the loop

    async def _tell(self) -> None:
        try:
            while True:
                await self._came.wait()
                await self._tell_waiting()
                if self._ended.is_set() and not self._waiting:
                    return
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(INTERVAL):
                        await self._ended.wait()
        except Exception:  # noqa: BLE001 - whatever a listener raises
            _log.warning("a listener failed: it gets no more lines of output", exc_info=True)

    async def _tell_waiting(self) -> None:
        self._came.clear()
        self._is_told = False
        for _ in range(len(self._waiting)):
            number, line = self._waiting.popleft()
            text = plain_text(line.decode(errors="replace")).strip()
            if text:
                came: Any = self._on_line(number, text[:LONGEST])
                if inspect.isawaitable(came):
                    await came

    async def finish(self) -> None:
        """Report what is left, and wait for the listener, but not for long."""
        self._ended.set()
        self._came.set()
        await asyncio.wait([self._task], timeout=LAST_WORDS)
        self.stop()

    def stop(self) -> None:
        """Report nothing more."""
        self._task.cancel()
