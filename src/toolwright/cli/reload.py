"""Reloads a target when its files change; connections stay open."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from .._log.printable import say
from .._words import count_of
from ..contract.sources import own_modules, real_path
from ..toolbox.box import Toolbox, served
from .project import real_target
from .targets.folders import tool_folders
from .targets.modules import split
from .usage import BadTarget, UsageError

if TYPE_CHECKING:
    from ..serve.reloadable import Reloadable

Stamp = tuple[int, int, int]
_PAUSE = 0.1
"""Seconds between two looks at the files, and how old a change must be to be loaded."""
_LONG = 5
"""Seconds after which a user is told that a file is still being imported."""


class _Superseded(BaseException):
    """Raised in a reload whose files have changed again: what it imports may never end."""


class Reloader:
    """Watches the files that a target has imported, and swaps in its new toolbox.

    Create it before the target is loaded, so that what is written meanwhile counts as a change.
    """

    live: Reloadable
    load: Callable[[], Toolbox]
    prepare: Callable[[Toolbox], None]
    """Prepares each new toolbox before it is served."""

    def __init__(self, target: str, show_trace: Callable[[BaseException], None]) -> None:
        self.show_trace = show_trace
        place = Path(split(real_target(target))[0])
        self.is_folder = place.is_dir()
        self.folder = (place if self.is_folder else place.parent).resolve()
        self.folders = self._folders()
        self.seen: dict[str, Stamp] = self._stamps()
        self.ends = threading.Event()
        self.last_good: dict[str, ModuleType] = {}
        # Bytecode caches compare modification times in seconds, and sizes: two quick edits look alike.
        sys.dont_write_bytecode = True

    def watch(
        self, live: Reloadable, load: Callable[[], Toolbox], prepare: Callable[[Toolbox], None]
    ) -> None:
        """Watch in a thread until the program ends."""
        self.live = live
        self.load = load
        self.prepare = prepare
        self._follow()  # what the target imports is known only now
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self.ends.wait(_PAUSE):
            self._follow()
            now = self._stamps()
            if now == self.seen:
                continue
            while not self.ends.wait(_PAUSE):  # an editor may still be writing
                later = self._stamps()
                if later == now:
                    break
                now = later
            # Not a new look: what was written during the reload is a change.
            self.seen = now
            self._attempt()

    def _attempt(self) -> None:
        """Reload in a thread of its own, which is given up when the files change again."""
        given_up = threading.Event()
        attempt = threading.Thread(target=self.reload, args=(given_up,), daemon=True)
        attempt.start()
        waits = 0
        while attempt.is_alive() and not self.ends.is_set():
            attempt.join(_PAUSE)
            waits += 1
            if waits == round(_LONG / _PAUSE):
                say("toolwright: not reloaded yet, its files are still being imported")
            if attempt.is_alive() and self._stamps() != self.seen:
                given_up.set()
                # Ends a loop in Python; what waits outside of Python stays behind.
                number = ctypes.c_ulong(attempt.ident or 0)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(number, ctypes.py_object(_Superseded))
                attempt.join(1)
                return

    def _follow(self) -> None:
        """Also watch folders from which something was imported since the last look."""
        fresh = self._folders() - self.folders
        if fresh:
            self.folders |= fresh
            self.seen |= {file: stamp for folder in fresh for file, stamp in _stamps(folder)}

    def reload(self, given_up: threading.Event) -> bool:
        """Load the target again; keep the last good version if that fails, or is given up."""
        before = self.last_good = self.last_good or own_modules()
        _forget({**before, **own_modules()})
        importlib.invalidate_caches()
        try:
            box = self.load()
            if given_up.is_set():
                return False
            is_new = self.live.now is not served(box)  # it may come from an installed module
            if is_new:
                self.prepare(box)
        except _Superseded:
            return False
        except Exception as error:  # noqa: BLE001 - the new version may raise anything
            if given_up.is_set():
                return False
            self.last_good = {}
            for name in own_modules():
                del sys.modules[name]
            sys.modules.update(before)
            reason = (
                str(error) if isinstance(error, UsageError) else f"{type(error).__name__}: {error}"
            )
            self.show_trace(error)
            say(f"toolwright: not reloaded, {reason}")
            if isinstance(error, BadTarget) and error.excerpt:
                say(error.excerpt)
            return False
        self.last_good = {}
        from ..run.pool import forget_code

        forget_code()
        if is_new:
            self.live.swap(served(box))
        count = sum(box.is_enabled(name) for name in box)
        say(f"toolwright: reloaded, {count_of(count, 'tool')}")
        return True

    def _folders(self) -> set[Path]:
        """Return the folders of the user's modules: a new module would be beside them."""
        files = [real_path(str(module.__file__)) for module in own_modules().values()]
        return {self.folder, *_packages(self.folder), *(Path(file).parent for file in files)}

    def _stamps(self) -> dict[str, Stamp]:
        # A new sub-folder in a folder of tools is a change.
        tool_places = tool_folders(self.folder) if self.is_folder else ()
        return {
            file: stamp
            for folder in {*self.folders, *tool_places}
            for file, stamp in _stamps(folder)
        }


def _forget(modules: dict[str, ModuleType]) -> None:
    """Take modules out of memory, so that they are imported again."""
    for name, module in modules.items():
        sys.modules.pop(name, None)
        # A namespace package stays in memory, with its submodules as attributes.
        parent, _, child = name.rpartition(".")
        if getattr(sys.modules.get(parent), child, None) is module:
            delattr(sys.modules[parent], child)


def _packages(folder: Path) -> Iterator[Path]:
    """Yield the packages in a folder: their modules may be imported later."""
    with contextlib.suppress(OSError):
        for package in folder.iterdir():
            if (package / "__init__.py").is_file():
                yield package
                yield from _packages(package)


def _stamps(folder: Path) -> Iterator[tuple[str, Stamp]]:
    """Yield each Python file in a folder, with its modification time, size and inode."""
    with contextlib.suppress(OSError), os.scandir(folder) as files:
        for file in files:
            if file.name.endswith(".py") and not file.name.startswith("."):
                with contextlib.suppress(OSError):  # a broken link
                    status = file.stat()
                    yield file.path, (status.st_mtime_ns, status.st_size, status.st_ino)
