"""A toolbox that is replaced while clients are connected."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Generator, Mapping
from typing import Any

from ..call import Call
from ..results import Result
from ..tools.definition import Tool
from .servable import Servable

Listener = Callable[[str, str], object]
_LISTS = ("tools", "resources", "prompts")


class _Version:
    """One version of the toolbox, and how many calls run on it."""

    def __init__(self, box: Servable, listener: Listener) -> None:
        self.box = box
        self.unsubscribe = box.on_change(listener)
        self.calls = 0
        self.is_old = False
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

    def retire(self) -> None:
        """Mark it as old: no new call runs on it."""
        with self.lock:
            self.is_old = True
        self._close_if_over()

    def _close_if_over(self) -> None:
        with self.lock:
            over = self.is_old and not self.calls
        if over:  # in a thread of its own: to close it may take long
            threading.Thread(target=self.box.close, daemon=True).start()


class Reloadable:
    """A `Servable` that stands for the newest version.

    Calls that run finish on the version they began with.
    """

    is_live = True
    sees_calls = True
    """The next version may have a tool that gets a `Call`."""

    def __init__(self, box: Servable) -> None:
        self._listeners: dict[object, Listener] = {}
        self._version = _Version(box, self._tell)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._version.box, name)

    def __getitem__(self, name: str) -> Tool:
        return self._version.box[name]

    def swap(self, box: Servable) -> None:
        """Exchange the toolbox, and call the listeners; called in any thread."""
        old, self._version = self._version, _Version(box, self._tell)
        old.unsubscribe()
        for what in _LISTS:
            self._tell(what, "")
        old.retire()

    def is_now(self, box: Servable) -> bool:
        """Return whether a toolbox is the one that is served."""
        return self._version.box is box

    def _tell(self, what: str, uri: str) -> None:
        for listener in list(self._listeners.values()):
            listener(what, uri)

    @contextlib.contextmanager
    def busy(self) -> Generator[Servable]:
        """Keep open the version that is the newest now."""
        version = self._version
        version.enter()
        try:
            yield version.box
        finally:
            version.leave()

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
    ) -> Result:
        """Call a tool."""
        with self.busy() as box:
            return await box.call_async(name, arguments, call=call)

    def on_change(self, listener: Listener) -> Callable[[], None]:
        """Call a function at changes of this version and of later ones; return what ends this."""
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe
