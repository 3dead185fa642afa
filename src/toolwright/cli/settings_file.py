"""A settings file of another program, edited in place."""

from __future__ import annotations

import codecs
import contextlib
import difflib
import glob
import os
import stat
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._files import read_file, replace_file
from .._json_values import is_object
from . import jsonc
from .usage import UsageError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BACKUPS = 5
"""How many backups of a file are kept."""


class Changed(Exception):
    """Another program has written the file since it was read."""


class SettingsFile:
    """One file. A file that cannot be read is left alone: creating this raises `UsageError`."""

    def __init__(self, path: Path, read: Callable[[str], Any] = jsonc.read) -> None:
        self.shown = path
        try:
            # A symbolic link stays a link: the file that it points to is written.
            self.path = path.resolve()
            self.data = self._read()
        except RuntimeError as error:
            raise UsageError(f"{path} cannot be read: it is a link to itself") from error
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from error
        self.encoding = next((name for mark, name in _MARKS if self.data.startswith(mark)), "utf-8")
        try:
            self.text = self.data.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} is left alone: it is not {self.encoding.upper()}") from error
        self.value = self._checked(lambda: read(self.text.removeprefix("\ufeff")))
        if not isinstance(self.value, dict):
            raise UsageError(f"{path} is left alone: it holds no object")

    def _read(self) -> bytes:
        try:
            return read_file(self.path)
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise UsageError(f"{self.shown} cannot be read: {error.strerror}") from error

    def _checked(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except ValueError as error:
            raise UsageError(f"{self.shown} is left alone: {error}") from error

    def get(self, *keys: str) -> Any:
        """Return the value under a path of keys; None if there is nothing."""
        value: Any = self.value
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return value  # pyright: ignore[reportUnknownVariableType]

    def members(self, key: str) -> Mapping[str, Any]:
        """Return the object under a key; an empty one if there is none."""
        value = self.get(key)
        return value if is_object(value) else {}

    def put(self, keys: Sequence[str], value: Any) -> str:
        """Return the text with a value under a path of keys."""
        return self._checked(lambda: jsonc.put(self.text, keys, value))

    def drop(self, keys: Sequence[str]) -> str:
        """Return the text without the member at a path of keys."""
        return self._checked(lambda: jsonc.drop(self.text, keys))

    def diff(self, text: str) -> str:
        """Return the change as a unified diff."""
        lines = difflib.unified_diff(
            self.text.removeprefix("\ufeff").splitlines(keepends=True),
            text.removeprefix("\ufeff").splitlines(keepends=True),
            str(self.shown),
            f"{self.shown} (new)",
        )
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def write(self, text: str) -> Path | None:
        """Replace the file atomically; return the path of the backup, if there was a file.

        Raises `Changed` if another program has written it since it was read.
        """
        existed = self.path.exists()
        if existed and not self.path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise UsageError(f"{self.shown} is read-only: it is left alone")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with _alone(self.path.parent):
                if self._read() != self.data:
                    raise Changed
                backup = self._backup() if existed else None
                replace_file(self.path, text.encode(self.encoding), like=self.path)
        except OSError as error:
            raise UsageError(f"{self.shown} cannot be written: {error.strerror}") from error
        return backup

    def _backup(self) -> Path:
        """Copy the file under a new name, and remove the oldest backups."""
        backup = self.path.with_name(f"{self.path.name}.{time.time_ns()}.bak")
        replace_file(backup, self.data, like=self.path)
        copies = sorted(self.path.parent.glob(f"{glob.escape(self.path.name)}.*.bak"))
        for old in [copy for copy in copies if _is_copy(copy.name)][:-_BACKUPS]:
            with contextlib.suppress(OSError):
                old.unlink()
        return backup


@contextlib.contextmanager
def _alone(folder: Path) -> Generator[None]:
    """Hold an advisory lock on a folder, so that two of our commands do not write at once."""
    if fcntl is None:
        yield
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def _is_copy(name: str) -> bool:
    return name.rsplit(".", 2)[1].isdecimal()
