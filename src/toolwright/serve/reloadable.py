"""A toolbox that is replaced while clients are connected."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Generator, Sequence

from .._log import log
from .lifecycle import LifespanFailed, opened
from .offering import Listener, Offering

LISTS = ("tools", "resources", "prompts")
_CLOSING = 5.0
"""Seconds that older versions have to close when the server ends."""


def _nothing() -> None:
    pass


class _Version:
    """One version of the toolbox, and how many calls run on it."""

    def __init__(self, box: Offering, listener: Listener) -> None:
        self.box = box
        self.unsubscribe = box.on_change(listener)
        self.calls = 0
        self.is_old = False
        self.is_closed = threading.Event()
        self.then: Callable[[], object] = _nothing
        """Called once it is closed."""
        self.lock = threading.Lock()

    def enter(self) -> None:
        """Count a call that starts."""
        with self.lock:
            self.calls += 1

    def leave(self) -> None:
        """Count a call that has ended; close an old version with its last one."""
        with self.lock:
            self.calls -= 1
        self._close_if_over()

    def retire(self, then: Callable[[], object]) -> None:
        """Mark it as old: no new call runs on it."""
        with self.lock:
            self.is_old, self.then = True, then
        self._close_if_over()

    def _close_if_over(self) -> None:
        with self.lock:
            over = self.is_old and not self.calls
        if over:  # in a thread of its own: closing it may take long
            threading.Thread(target=self._close, daemon=True).start()

    def _close(self) -> None:
        try:
            self.box.close()
        except Exception:  # noqa: BLE001 - the newer version is served whatever became of this one
            log.exception("the lifespan of %s failed to close", self.box.about.name)
        finally:
            self.is_closed.set()
            self.then()


class Reloadable:
    """Has the newest version; calls that run finish on the version they began with."""

    is_live = True

    def __init__(self, box: Offering) -> None:
        self._listeners: dict[object, Listener] = {}
        self._version = _Version(box, self._tell)
        self._old: set[_Version] = set()
        """Versions that are not closed yet."""
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def now(self) -> Offering:
        """The newest version."""
        return self._version.box

    def swap(self, box: Offering, lists: Sequence[str] = LISTS) -> None:
        """Replace the toolbox, and call the listeners; may be called in any thread.

        `lists` are those that may have changed.
        """
        old, self._version = self._version, _Version(box, self._tell)
        old.unsubscribe()
        self.changed(lists)
        self._old.add(old)
        old.retire(lambda: self._succeed(old))

    def changed(self, lists: Sequence[str]) -> None:
        """Notify the listeners that lists have changed."""
        for what in lists:
            self._tell(what, "")

    def _succeed(self, old: _Version) -> None:
        """Enter the lifespan of the newest version once the one before has left its own.

        Both might need the same port or file. A call that comes sooner enters it as well.
        """
        self._old.discard(old)
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # the server has ended
                asyncio.run_coroutine_threadsafe(self._enter_newest(), loop)

    async def _enter_newest(self) -> None:
        try:
            await opened(self._version.box)
        except LifespanFailed as failed:
            log.error("%s; the next call tries again", failed)

    async def enter(self) -> None:
        """Enter the lifespan, here and for later versions. Raises whatever entering it raises."""
        self._loop = asyncio.get_running_loop()
        await self._version.box.enter()

    async def aclose(self) -> None:
        """Close the newest version, and wait for older ones that are about to be closed."""
        self._loop = None
        await self._version.box.aclose()
        for old in list(self._old):
            await asyncio.to_thread(old.is_closed.wait, _CLOSING)

    def _tell(self, what: str, uri: str) -> None:
        for listener in list(self._listeners.values()):
            listener(what, uri)

    @contextlib.contextmanager
    def busy(self) -> Generator[Offering]:
        """Keep open the version that is the newest now."""
        version = self._version
        version.enter()
        try:
            yield version.box
        finally:
            version.leave()

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call a function at changes of any version from now on; return a function to end this."""
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe
