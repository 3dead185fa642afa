"""What a command shows of logs and exceptions."""

from __future__ import annotations

import argparse
import logging

from .._log.levels import LEVELS, level_from, show_logs
from .._log.printable import say
from .._log.traces import written


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how much is shown."""
    group = parser.add_argument_group("what is shown")
    group.add_argument(
        "--log-level",
        type=str.lower,
        choices=LEVELS,
        metavar="LEVEL",
        help=f"what is logged on standard error: {', '.join(LEVELS)}",
    )
    group.add_argument("--debug", action="store_true", help="show the traceback of every exception")


def set_up(chosen: argparse.Namespace) -> None:
    """Show what is logged.

    This comes after the target is imported: handlers that it has set up stay.
    """
    given = getattr(chosen, "log_level", None)
    level = None if given is None else level_from(given)
    usual = logging.ERROR if chosen.command == "call" else logging.WARNING
    # Whoever calls a tool by hand is its author: exceptions that models are told of are also shown.
    own = logging.INFO if shows_traces(chosen) and level is None else level
    own = logging.DEBUG if getattr(chosen, "debug", False) else own
    show_logs(level or usual, own or usual)
    if level is not None:
        logging.getLogger().setLevel(level)


def shows_traces(chosen: argparse.Namespace) -> bool:
    """Return whether whole tracebacks are shown, not only their last lines."""
    return bool(getattr(chosen, "debug", False)) or chosen.command == "call"


def show_trace(error: BaseException, chosen: argparse.Namespace) -> None:
    """Show where the author's code raised the cause of an error."""
    if error.__cause__ is not None and shows_traces(chosen):
        say(written(error.__cause__))
