"""Starting a program, and saying clearly why it did not start."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...errors import ToolError
from .settings import RunSettings

_HERE = {
    errno.EMFILE: "this server has too many files open",
    errno.ENFILE: "the system has too many files open",
    errno.EAGAIN: "the system has no room for another process",
    errno.ENOMEM: "the system has no memory for another process",
}
"""Failures after which another attempt may succeed."""


class NotStarted(ToolError):
    """A program that could not be started."""

    def __init__(self, name: str, reason: str, *, retryable: bool = False) -> None:
        message = f"{name} cannot be started: {reason}"
        super().__init__(message, code="not_started", retryable=retryable)


def start(
    words: Sequence[str], how: RunSettings, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own. Raises `NotStarted`.

    A session of its own has no terminal, so that nothing can prompt there, and a process group that
    can be ended as a whole.
    """
    try:
        return subprocess.Popen(  # noqa: S603 - words, never a shell
            [os.fsencode(word) for word in words],
            stdin=subprocess.DEVNULL if how.stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=how.cwd,
            env=environment,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise _not_started(words[0], how, error) from error
    except ValueError as error:  # NUL or a lone surrogate
        reason = "a word has NUL or a lone surrogate in it"
        raise NotStarted(words[0], reason) from error


def _not_started(name: str, how: RunSettings, error: OSError) -> NotStarted:
    if error.errno in _HERE:
        return NotStarted(name, _HERE[error.errno], retryable=True)
    if error.errno == errno.E2BIG:
        return NotStarted(name, "its arguments and environment are longer than the system takes")
    if how.cwd is not None and error.filename == how.cwd:
        return NotStarted(name, f"its working directory {os.fspath(how.cwd)} {_of_folder(how.cwd)}")
    return NotStarted(name, _of_file(name, how, error))


def _of_folder(path: str | os.PathLike[str]) -> str:
    try:
        if not Path(path).exists():
            return "does not exist"
        return "may not be entered" if Path(path).is_dir() else "is not a folder"
    except OSError:
        return "may not be entered"


def _of_file(name: str, how: RunSettings, error: OSError) -> str:
    path = Path(how.cwd or "", name)
    if error.errno == errno.ENOEXEC:
        return "the system cannot run such a file (a script needs a first line such as #!/bin/sh)"
    if path.is_dir() and os.sep in name:
        return "it is a folder"
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        if os.sep not in name:
            return "there is no such program on its PATH"
        if path.exists():
            return "the interpreter that its first line names does not exist"
        return "no such file exists"
    if error.errno == errno.EACCES:
        return "it is not executable"
    return (error.strerror or "the system refused").lower()
