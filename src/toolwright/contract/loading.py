"""Loads the code behind a lock: once, and in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from .._log import log
from .._words import first_line
from ..errors import CallError

if TYPE_CHECKING:
    from ..serve.offering import Offering


class NotLoaded(CallError):
    """The code behind a lock cannot be loaded; the next call tries again."""


class CodeLoader:
    """Loads a toolbox when it is first needed; others that need it wait for the same load."""

    def __init__(
        self, load: Callable[[], Offering], then: Callable[[Offering], Callable[[], None]]
    ) -> None:
        self._load = load
        self._then = then
        """Called with the loaded toolbox before anyone gets it; its result is called afterwards."""
        self._lock = threading.Lock()
        self._loading: Future[Offering] | None = None

    async def loaded(self) -> Offering:
        """Return the toolbox. Raises `NotLoaded`."""
        # Shielded: when one caller is cancelled, others may still be waiting for it.
        return await asyncio.shield(asyncio.wrap_future(self._begun()))

    def loaded_blocking(self) -> Offering:
        """Return the toolbox, in a thread that may wait. Raises `NotLoaded`."""
        return self._begun().result()

    def _begun(self) -> Future[Offering]:
        with self._lock:
            if self._loading is None:
                self._loading = Future()
                # A daemon: an import that never ends must not keep the server from ending.
                work = threading.Thread(target=self._work, args=(self._loading,), daemon=True)
                work.start()
            return self._loading

    def _work(self, loading: Future[Offering]) -> None:
        try:
            box = self._load()
            afterwards = self._then(box)
        except BaseException as error:  # noqa: BLE001 - an author's module may raise anything
            with self._lock:
                self._loading = None  # the next call tries again
            log.debug("the tools cannot be loaded", exc_info=True)
            loading.set_exception(NotLoaded(f"the tools cannot be loaded: {_reason(error)}"))
            return
        loading.set_result(box)
        try:
            afterwards()
        except Exception:  # noqa: BLE001 - it only says what has changed
            log.exception("the loaded tools cannot be compared with the lock")


def _reason(error: BaseException) -> str:
    message = first_line(str(error))
    is_own = type(error).__module__.partition(".")[0] == __name__.partition(".")[0]
    if message and is_own:
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
