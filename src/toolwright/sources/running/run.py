"""Run a program from an event loop, whatever happens to either."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import inspect
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ..._log import logger
from ..._process import IS_POSIX, MARK, new_mark
from .output_stream import plain_text
from .process import Finished, NotStarted, WatchedProcess
from .run_settings import MOST_DEPTH, RunSettings, depth, environment_of

# -- lines of output, reported while the program runs

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


# -- the program

_GRACE = 3.0
"""Seconds beyond `end_seconds` that a cancelled call waits for its process."""

_running: set[WatchedProcess] = set()


async def run(words: Sequence[str], how: RunSettings, on_line: OnLine | None = None) -> Finished:
    """Run a program to its end, and return the outcome.

    If cancelled, it ends the program and everything that the program has started, and stays
    cancelled once they have ended. Raises `NotStarted`.
    """
    if not words or not words[0]:
        msg = "the words of a command line begin with the name of a program"
        raise ValueError(msg)
    if not IS_POSIX:
        raise NotStarted(words[0], "programs are run on Linux, macOS and other POSIX systems only")
    if depth() >= MOST_DEPTH:  # one that serves its own commands may start itself, and so on
        raise NotStarted(words[0], f"{MOST_DEPTH} programs have already started one another")
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Finished] = loop.create_future()
    teller = None if on_line is None else LineTeller(on_line)
    mark = new_mark()
    environment = environment_of(how, tells_lines=teller is not None) | {MARK: mark}
    process = WatchedProcess(words, how, environment, mark, teller.feed if teller else None)
    try:
        _start_thread(process, _settler(loop, answer))
        # Not `await answer`: a cancelled call would cancel what the thread is to set.
        await asyncio.wait([answer])
        if teller is not None and answer.exception() is None:
            await teller.finish()
        return answer.result()
    except asyncio.CancelledError:
        await _end(process, answer, how)
        raise
    except GeneratorExit:  # the loop is gone: nothing can be awaited
        process.stop()
        raise
    finally:
        if teller is not None:
            teller.stop()


def _settler(
    loop: asyncio.AbstractEventLoop, answer: asyncio.Future[Finished]
) -> Callable[[Finished | BaseException], None]:
    """Return a function that sets the answer from another thread."""

    def give(value: Finished | BaseException) -> None:
        if answer.done():
            return
        if isinstance(value, BaseException):
            answer.set_exception(value)
            answer.exception()  # perhaps nobody is left to look at it
        else:
            answer.set_result(value)

    def settle(value: Finished | BaseException) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(give, value)

    return settle


def _start_thread(
    process: WatchedProcess, settle: Callable[[Finished | BaseException], None]
) -> None:
    def work() -> None:
        _running.add(process)
        try:
            process.watch(settle)
        finally:
            _running.discard(process)

    try:
        # A daemon: a program that hangs must not keep this process; `_kill_running` ends it.
        threading.Thread(target=work, name="toolwright-program", daemon=True).start()
    except RuntimeError as error:
        reason = "the system has no room for another thread"
        raise NotStarted(process.words[0], reason, retryable=True) from error


async def _end(process: WatchedProcess, answer: asyncio.Future[Finished], how: RunSettings) -> None:
    """End a process, and wait until it has ended; a second cancellation kills it at once."""
    process.stop()
    try:
        await asyncio.wait([answer], timeout=how.end_seconds + _GRACE)
    except asyncio.CancelledError:
        process.stop(0)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait([answer], timeout=_GRACE)


def _kill_running() -> None:
    """Kill the programs that still run when this process ends: its threads no longer can."""
    for process in list(_running):
        process.kill()


atexit.register(_kill_running)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_running.clear)  # they belong to the parent
