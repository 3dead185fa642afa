"""Redacts the records of a logger."""

from __future__ import annotations

import logging


class Redacting(logging.Filter):
    """Removes secrets from each record of a logger, including its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Redact a record; it is never dropped."""
        from .redact import without_likely_secrets  # most of our processes never log

        record.msg, record.args = without_likely_secrets(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            # Formatters write this text if it is there.
            record.exc_text = without_likely_secrets(_traceback(record))
        return True


def _traceback(record: logging.LogRecord) -> str:
    """Write a traceback. An exception's own code may raise while it is written."""
    from .traces import written

    try:
        return written(record.exc_info[1]) if record.exc_info and record.exc_info[1] else ""
    except BaseException as error:  # noqa: BLE001
        record.exc_info = None  # nobody else can write it either
        return f"(its traceback cannot be written: {type(error).__name__})"
