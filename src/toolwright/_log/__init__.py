"""Loggers: silent until logging is configured, and without secrets."""

from __future__ import annotations

import logging


class Redacting(logging.Filter):
    """Removes secrets from each record of a logger, including its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact a record; it is never dropped."""
        from .redact import without_likely_secrets

        record.msg, record.args = without_likely_secrets(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            # Formatters write this text if it is there.
            record.exc_text = without_likely_secrets(_traceback(record))
        return True


def _traceback(record: logging.LogRecord) -> str:
    """Write a traceback. An exception's own code may raise while it is written."""
    from .redact import written

    try:
        return written(record.exc_info[1]) if record.exc_info and record.exc_info[1] else ""
    except BaseException as error:  # noqa: BLE001
        record.exc_info = None  # nobody else can write it either
        return f"(its traceback cannot be written: {type(error).__name__})"


__all__ = ["log", "logger"]


def logger(name: str = "") -> logging.Logger:
    """Return the logger of a part of the package; filters are not inherited, so each has its own."""
    part = logging.getLogger(f"toolwright.{name}" if name else "toolwright")
    if not any(isinstance(part_filter, Redacting) for part_filter in part.filters):
        part.addFilter(Redacting())
    return part


log = logger()
log.addHandler(logging.NullHandler())
