"""Text that commands no terminal."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any, cast

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that command a terminal, or turn the order of what stands on it around."""


def printable(text: str) -> str:
    """Return a text that commands no terminal: each such character stands there as its number.

    What tools return may come from anywhere; a terminal obeys some of what it is made to show.
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str) -> None:
    """Write a line to standard error, at once; on a terminal it commands nothing."""
    shown = printable(text) if sys.stderr.isatty() else text
    sys.stderr.write(f"{shown}\n")
    sys.stderr.flush()


class PrintableFormatter(logging.Formatter):
    """Formats log records for a terminal: a message, or an exception, may have any text in it."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self.inner = inner

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text that commands no terminal."""
        return printable(self.inner.format(record))


def keep_logs_printable() -> None:
    """Let nothing that is logged command the terminal; handlers of a kind of their own stay."""
    for handler in logging.getLogger().handlers:
        known = handler.formatter or logging.Formatter()
        is_plain = type(handler) is logging.StreamHandler and type(known) is logging.Formatter
        if is_plain and cast("Any", handler).stream.isatty():
            handler.setFormatter(PrintableFormatter(known))
