"""Importing a program: tools that are refused are collected."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from contextvars import ContextVar

from ..errors import SchemaError

_refused: ContextVar[list[SchemaError] | None] = ContextVar("_refused", default=None)


@contextlib.contextmanager
def loading() -> Generator[list[SchemaError]]:
    """Collect refusals instead of raising them, so that one bad tool does not stop the others."""
    refused: list[SchemaError] = []
    token = _refused.set(refused)
    try:
        yield refused
    finally:
        _refused.reset(token)


def refused_while_loading() -> list[SchemaError] | None:
    """Return the list to which refusals are added; None unless a program is being imported."""
    return _refused.get()
