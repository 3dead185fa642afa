"""Reads regular files, and writes files whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from io import BufferedReader

_NOT_REGULAR = "it is not a regular file"
MOST_READ = 50_000_000
"""Bytes of a file that people write, or one of our commands."""
_NEVER_WAIT: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_DEVICES = ("/dev/", "/proc/")
_PIPES = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")


def open_file(file: str | Path) -> BufferedReader:
    """Open a regular file for reading, or a link to one.

    Whoever sends us a repository may have put a pipe, a device or a link to one in a file's place:
    it would never end, or never begin. Raises `OSError`.
    """
    check_regular(Path(file).stat(), file)
    # If it has become a pipe since then, opening it does not wait for a writer.
    number = os.open(file, os.O_RDONLY | _NEVER_WAIT)
    try:
        now = os.fstat(number)
        check_regular(now, file)
        if not now.st_size and os.read(number, 1):  # of /proc: those that wait raise an error
            os.lseek(number, 0, os.SEEK_SET)
        return os.fdopen(number, "rb")
    except BaseException:
        os.close(number)
        raise


def read_file(file: str | Path, most: int = MOST_READ) -> bytes:
    """Read a regular file of at most so many bytes. Raises `OSError`; its `strerror` says why."""
    with open_file(file) as opened:
        return _bounded(opened, most, file)


def read_named(file: str | Path, most: int = MOST_READ) -> bytes:
    """Read a file that a user names on the command line, or the pipe of another program.

    That is how a shell hands one over: `--env-file <(...)`. Raises `OSError`.
    """
    if not str(file).startswith(_PIPES):
        return read_file(file, most)
    with Path(file).open("rb") as opened:
        return _bounded(opened, most, file)


def _bounded(opened: BufferedReader, most: int, file: str | Path) -> bytes:
    data = opened.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most:,} bytes", str(file))
    return data


def check_regular(found: os.stat_result, file: str | Path) -> None:
    """Refuse what is not a regular file. Raises `OSError`."""
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(file))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, _NOT_REGULAR, str(file))


def replace_file(file: str | Path, data: bytes | str, *, like: Path | None = None) -> None:
    """Write a file; whoever reads it meanwhile, or after a failure, gets the old one whole.

    A link stays a link, and a file keeps its owner and mode. A link that leads out of its folder,
    and what is not a regular file, is refused: it came with somebody's repository. What is named as
    a device, such as /dev/stdout, is written directly; so is a file in a folder that takes no new
    ones. A new file gets the owner and mode of `like`; if that does not exist either, nobody else may
    read it. Raises `OSError`.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "backslashreplace")  # lone surrogates, as in JSON and Python
    place = Path(os.path.realpath(file))
    status = _known(place)
    absolute = Path(file).absolute()
    is_device = str(absolute).startswith(_DEVICES)
    if status is not None and is_device and not stat.S_ISREG(status.st_mode):
        place.write_bytes(data)
        return
    if status is not None:
        check_regular(status, file)
    if not is_device and not place.is_relative_to(os.path.realpath(absolute.parent)):
        why = f"it is a link to {place}, outside its folder: name that file instead"
        raise PermissionError(errno.EPERM, why, str(file))
    if status is not None and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
    beside = place.with_name(f".{place.name[:50]}.{secrets.token_hex(6)}")
    try:
        # Until it is done, what takes a file's place is read by nobody who may not read that file.
        mode = 0o666 if status is None and like is None else 0o600
        number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except PermissionError:
        if status is None:
            raise
        place.write_bytes(data)
        return
    try:
        with os.fdopen(number, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        model = status or (None if like is None else _known(like))
        if model is not None:
            _dress(beside, model)
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
