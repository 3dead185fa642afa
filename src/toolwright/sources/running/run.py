"""Run a program from an event loop, whatever happens to either."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import threading
from collections.abc import Callable, Sequence

from ..._process import IS_POSIX, MARK, new_mark
from .environment import MOST_DEPTH, depth, environment_of
from .lines import LineTeller, OnLine
from .process import Finished, WatchedProcess
from .settings import RunSettings
from .start import NotStarted

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
