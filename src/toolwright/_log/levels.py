"""How much is logged, and where it is shown."""

from __future__ import annotations

import logging
import sys

from . import log
from .printable import keep_logs_printable

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
