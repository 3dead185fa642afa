"""What a command shows of logs and exceptions."""

from __future__ import annotations

import logging

from .._log.printable import level_from, say, show_logs
from .._log.traces import written
from .command import CliCommand


def set_up(chosen: CliCommand) -> None:
    """Show what is logged.

    This comes after the target is imported: handlers that it has set up stay.
    """
    level = None if chosen.log_level is None else level_from(chosen.log_level)
    usual = logging.ERROR if chosen.shows_traces else logging.WARNING
    # Whoever calls a tool by hand is its author: exceptions that models are told of are also shown.
    own_level = logging.INFO if shows_traces(chosen) and level is None else level
    own_level = logging.DEBUG if chosen.debug else own_level
    show_logs(level or usual, own_level or usual)
    if level is not None:
        logging.getLogger().setLevel(level)


def shows_traces(chosen: CliCommand) -> bool:
    """Return whether whole tracebacks are shown, not only their last lines."""
    return chosen.debug or chosen.shows_traces


def show_trace(error: BaseException, chosen: CliCommand) -> None:
    """Show where the author's code raised the cause of an error."""
    if error.__cause__ is not None and shows_traces(chosen):
        say(written(error.__cause__))
