"""Output as it comes: bounded bytes, and plain text."""

from __future__ import annotations

import re

# ECMA-48: CSI (5.4), the strings OSC, DCS, SOS, PM and APC (5.6), other escapes (5.3); the same in
# their 8-bit forms. A string ends with ST, or with BEL as xterm and OSC 8 have it. What is never
# closed ends with its line, or after 4 kB: it must not hide what follows. Every alternative begins
# with a character of its own and repeats a bounded class, so that the time is linear.
_ESCAPE = re.compile(
    r"""
      (?: \x1b\[ | \x9b ) [0-?]{0,256} [ -/]{0,16} [@-~]?
    | (?: \x1b[\]PX^_] | [\x9d\x90\x98\x9e\x9f] ) [^\x07\x1b\x9c\r\n]{0,4096} (?: \x07 | \x1b\\ | \x9c )?
    | \x1b [ -/]{0,16} [0-~]?
    """,
    re.VERBOSE,
)
# How `man` writes bold and underlined characters for paper.
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
# DEL, and C0 and C1 controls except tab, newline and carriage return.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def plain_text(text: str) -> str:
    r"""Return text without escape sequences and control characters, except tabs and line ends.

    >>> plain_text("\x1b[1;31mred\x1b[0m\a, 10 %\n")
    'red, 10 %\n'
    """
    if "\x1b" in text or not text.isprintable():
        text = _OVERSTRUCK.sub("", _ESCAPE.sub("", text))
        text = _CONTROL.sub("", text)
    return text


class OutputBytes:
    """Keeps at most `most` bytes: half from the beginning, and half from the end."""

    __slots__ = ("_head", "_head_size", "_tail", "_tail_size", "total")

    def __init__(self, most: int) -> None:
        self._tail_size = most // 2
        self._head_size = most - self._tail_size
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0

    def add(self, chunk: bytes) -> None:
        """Add a chunk."""
        self.total += len(chunk)
        room = self._head_size - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        if len(chunk) >= self._tail_size:
            self._tail[:] = chunk[len(chunk) - self._tail_size :]
            return
        self._tail += chunk
        excess = len(self._tail) - self._tail_size
        if excess > 0:
            del self._tail[:excess]  # moves an offset, not the bytes

    @property
    def left_out(self) -> int:
        """How many bytes are not kept."""
        return self.total - len(self._head) - len(self._tail)

    def kept(self) -> bytes:
        """Return the bytes that are kept."""
        return bytes(self._head + self._tail)
