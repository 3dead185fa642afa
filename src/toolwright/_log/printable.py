"""Text that cannot control a terminal; levels of logs."""

from __future__ import annotations

import logging
import os
import re
import sys
from typing import Any, cast

from . import log

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that control a terminal, or reverse the order in which text is shown."""


def printable(text: str) -> str:
    """Return a text that cannot control a terminal: such characters are shown by their numbers.

    What tools return may come from anywhere; a terminal obeys some of the characters it is sent.
    """
    return _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def say(text: str) -> None:
    """Write a line to standard error, at once; no text in it can control a terminal.

    On a terminal, long lines are wrapped: it would break them inside words.
    """
    line = _wrapped(printable(text)) if sys.stderr.isatty() else text
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _wrapped(text: str) -> str:
    """Wrap lines that are longer than the terminal is wide, between words.

    Lines that begin with a space, as lines of code do, are kept.
    """
    try:
        columns = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return text
    lines = text.split("\n")
    if not columns or max(map(len, lines)) <= columns:
        return text
    import textwrap

    wrapper = textwrap.TextWrapper(columns, break_long_words=False, break_on_hyphens=False)
    return "\n".join(line if line.startswith(" ") else wrapper.fill(line) for line in lines)


class PrintableFormatter(logging.Formatter):
    """Formats log records for a terminal: a message or an exception may contain any text."""

    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self.inner = inner

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as text that cannot control a terminal."""
        return printable(self.inner.format(record))


def keep_logs_printable() -> None:
    """Keep log records from controlling the terminal; handlers of other classes are left alone."""
    for handler in logging.getLogger().handlers:
        formatter = handler.formatter or logging.Formatter()
        is_plain = type(handler) is logging.StreamHandler and type(formatter) is logging.Formatter
        if is_plain and cast("Any", handler).stream.isatty():
            handler.setFormatter(PrintableFormatter(formatter))


LEVELS = ("debug", "info", "warning", "error", "critical")


def level_from(given: str | int) -> int:
    """Return the number of a level. Raises `ValueError`."""
    if isinstance(given, str) and given.lower() in LEVELS:
        return int(getattr(logging, given.upper()))
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    msg = f"log_level is one of {', '.join(LEVELS)}; got {given!r}"
    raise ValueError(msg)


def show_logs(level: int, own: int | None = None) -> None:
    """Write log records from a level up to standard error; `own` is the level of this package.

    A program that has set up its own handlers keeps them. Text that callers have sent cannot
    control a terminal that shows it.
    """
    logging.basicConfig(level=level, stream=sys.stderr, format="%(message)s")
    keep_logs_printable()
    log.setLevel(level if own is None else own)
