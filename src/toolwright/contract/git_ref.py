"""The lock as it was at a git ref."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ..errors import LockError
from .lock_file import MOST_BYTES, Lock, parse

_SECONDS = 60.0
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""Keeps git from writing, fetching or asking for anything."""


def read_at(ref: str, file: str | Path) -> Lock:
    """Return the lock that a file held at a git ref. Raises `LockError`.

    `cat-file` runs no filter and no hook, and needs no working tree.
    """
    path = Path(file)
    if ref.startswith("-") or not ref.strip() or "\0" in ref:
        raise LockError(f"{ref!r} is not a git ref")
    folder = path.parent
    commit = _git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    if commit is None:
        raise LockError(f"{ref} is neither a file nor a git ref here")
    number = commit.decode("ascii", "replace").strip()
    name = f"{number}:./{path.name}"
    size = _git(folder, "cat-file", "-s", name)
    if size is None:
        raise LockError(f"{ref} has no {path.name}", hint="the contract was not locked there")
    if int(size) > MOST_BYTES:
        raise LockError(f"{path.name} of {ref} is too large for a lock: {int(size)} bytes")
    data = _git(folder, "cat-file", "blob", name)
    if data is None:
        raise LockError(f"{path.name} of {ref} cannot be read")
    return parse(data, f"{path.name} of {ref}")


def _git(folder: Path, *words: str) -> bytes | None:
    """Return what git prints; None if it refuses. Raises `LockError` if there is no git."""
    argv = ["git", "-C", str(folder), "--no-pager", "-c", "core.fsmonitor=false", *words]
    try:
        done = subprocess.run(  # noqa: S603 - words, not a command line
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, **_QUIET},
        )
    except FileNotFoundError:
        raise LockError("git is not installed", hint="name a lock file instead") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LockError(f"git cannot be asked: {type(error).__name__}") from error
    return done.stdout if done.returncode == 0 else None
