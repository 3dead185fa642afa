"""Writes files whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path


def replace_file(file: str | Path, data: bytes | str) -> None:
    """Write a file; whoever reads it meanwhile, or after a failure, gets the old one whole.

    A link stays a link, and a file keeps its owner and mode. What is not a regular file, such as
    /dev/stdout, is written directly; so is a file in a folder that takes no new ones.
    Raises `OSError`.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "backslashreplace")  # lone surrogates, as in JSON and Python
    place = Path(os.path.realpath(file))
    known = _known(place)
    if known is not None and not stat.S_ISREG(known.st_mode):
        place.write_bytes(data)
        return
    if known is not None and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
    beside = place.with_name(f".{place.name[:50]}.{secrets.token_hex(6)}")
    try:
        # Not by `tempfile`, whose files nobody else may read: a new one gets the user's usual mode.
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except PermissionError:
        if known is None:
            raise
        place.write_bytes(data)
        return
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        if known is not None:
            _dress(beside, known)
        beside.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _known(place: Path) -> os.stat_result | None:
    try:
        return place.stat()
    except FileNotFoundError:
        return None


def _dress(file: Path, like: os.stat_result) -> None:
    """Give a file the owner and mode of another."""
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):  # another user's file, which we may write
            os.chown(file, like.st_uid, like.st_gid)
    file.chmod(stat.S_IMODE(like.st_mode))
