"""Loggers: silent until logging is configured, and without secrets."""

from __future__ import annotations

import logging

from .filter import Redacting

__all__ = ["log", "logger"]


def logger(name: str = "") -> logging.Logger:
    """Return the logger of a part of the package; filters are not inherited, so each has its own."""
    part = logging.getLogger(f"toolwright.{name}" if name else "toolwright")
    if not any(isinstance(part_filter, Redacting) for part_filter in part.filters):
        part.addFilter(Redacting())
    return part


log = logger()
log.addHandler(logging.NullHandler())
