"""Lines typed on a terminal, read in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable, Generator
from typing import TypeVar

from ..._log.printable import printable

T = TypeVar("T")
_MOST = 1 << 16


class NobodyWaits(Exception):
    """Nobody waits for typed input any more."""


class Typist:
    """The person at the terminal: questions go to standard error, lines come from input.

    The terminal itself does the editing: nothing has to be restored when the command is killed.
    """

    def __init__(self) -> None:
        self._stop, self._stopped = os.pipe()
        self._writing = threading.Lock()
        self._is_stopped = False
        self._is_open = False
        """Whether the cursor is after a prompt."""

    @staticmethod
    def is_there() -> bool:
        """Return whether there is somebody to ask: input and standard error are terminals."""
        try:
            return os.isatty(0) and os.isatty(2)
        except OSError:
            return False

    def tell(self, text: str) -> None:
        """Write a line. Raises `NobodyWaits`."""
        with self._asking():
            sys.stderr.write(printable(text) + "\n")

    def line(self, prompt: str) -> str | None:
        """Ask for a line; None at the end of input (Ctrl-D). Raises `NobodyWaits`."""
        with self._asking():
            sys.stderr.write(printable(prompt))
            self._is_open = True
        text = self._read()
        self._is_open = False
        if not text:
            sys.stderr.write("\n")
            return None
        return "".join(char for char in text if char.isprintable())

    @contextlib.contextmanager
    def _asking(self) -> Generator[None]:
        """Write to the terminal: a question may end, in another thread, just as it is asked."""
        with self._writing:
            if self._is_stopped:
                raise NobodyWaits
            yield
            sys.stderr.flush()

    def _read(self) -> str:
        if sys.platform == "win32":  # no `select` on a console there
            return sys.stdin.readline()
        ready, _, _ = select.select([0, self._stop], [], [])
        if self._stop in ready:
            raise NobodyWaits
        data = os.read(0, _MOST)  # a terminal gives one line at a time
        return data.decode(sys.stdin.encoding or "utf-8", "replace")

    def stop(self) -> None:
        """End the open question, and ask no more."""
        with self._writing:
            if self._is_stopped:
                return
            self._is_stopped = True
            if self._is_open:
                sys.stderr.write("\n")
                sys.stderr.flush()
        with contextlib.suppress(OSError):
            os.write(self._stopped, b"x")


async def in_thread(work: Callable[[], T], stop: Callable[[], object]) -> T:
    """Run work that waits for a person in a thread, beside the loop; stop it if cancelled."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(value: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(value)  # pyright: ignore[reportArgumentType] - a value or an error

    def run() -> None:
        value, error = None, None
        try:
            value = work()
        except BaseException as raised:  # noqa: BLE001 - whatever it is, the caller gets it
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: the command has ended
            loop.call_soon_threadsafe(settle, value, error)

    # A daemon: Python must not wait for somebody to press Return when the command ends.
    threading.Thread(target=run, daemon=True).start()
    try:
        return await done
    except asyncio.CancelledError:
        stop()
        raise
