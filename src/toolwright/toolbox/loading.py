"""Importing a program: tools that are refused are collected."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from contextvars import ContextVar

from ..errors import DefinitionError

_refused: ContextVar[list[DefinitionError] | None] = ContextVar("_refused", default=None)


@contextlib.contextmanager
def loading() -> Generator[list[DefinitionError]]:
    """Collect refusals instead of raising them, so that one bad tool does not stop the others."""
    refused: list[DefinitionError] = []
    token = _refused.set(refused)
    try:
        yield refused
    finally:
        _refused.reset(token)


def refused_while_loading() -> list[DefinitionError] | None:
    """Return the list to which refusals are added; None unless a program is being imported."""
    return _refused.get()


def note_refusal(error: DefinitionError) -> None:
    """Note what was refused, so that the rest goes on; raise it unless a program is imported."""
    refused = _refused.get()
    if refused is None:
        raise error
    refused.append(error)
