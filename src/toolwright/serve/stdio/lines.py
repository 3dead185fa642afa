"""Lines from a pipe, each bounded in length."""

from __future__ import annotations

import os
import select
from collections.abc import Generator

_CHUNK = 1 << 16


def read_lines(descriptor: int, most: int) -> Generator[bytes | None]:
    """Yield the lines of a descriptor until it ends; None in place of one that is too long.

    Raises `OSError`.
    """
    line = bytearray()  # one array, so that its memory is freed once the line is answered
    fits = True
    while chunk := os.read(descriptor, _CHUNK):
        if fits and not line and chunk.find(b"\n") == len(chunk) - 1:
            yield chunk[:-1]  # one whole line, as a client that waits for its answer sends
            continue
        first, *others = chunk.split(b"\n")
        fits = fits and len(line) + len(first) <= most
        if fits:
            line += first
        else:  # what comes up to the next newline is dropped, not kept
            line = bytearray()
        for part in others:
            yield bytes(line) if fits else None
            line, fits = bytearray(part), True
    yield bytes(line) if fits else None


def has_hung_up(descriptor: int) -> bool:
    """Return whether the other end of a pipe or socket is closed; lines may still be left in it."""
    if not hasattr(select, "poll"):  # on Windows, pipes cannot be polled
        return False
    poll = select.poll()
    poll.register(descriptor, getattr(select, "POLLRDHUP", 0))
    return bool(poll.poll(0))
