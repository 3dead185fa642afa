"""Importing a program for a command: refusals are collected, not raised."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Sequence
from contextvars import ContextVar
from typing import ParamSpec, TypeVar

from ..errors import DefinitionError, SchemaError

P = ParamSpec("P")
R = TypeVar("R")
_refused: ContextVar[list[DefinitionError] | None] = ContextVar("_refused", default=None)


class RefusedTarget:
    """Stands for a target that was refused, so that the program that made it can go on."""

    def __init__(self, refusal: SchemaError) -> None:
        self.refusal = refusal

    def __call__(self) -> None:
        """Raise the refusal."""
        raise self.refusal


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


def note(refusal: DefinitionError) -> None:
    """Note a refusal, once, while a program is being imported; raise it otherwise."""
    refused = _refused.get()
    if refused is None:
        raise refusal
    if refusal not in refused:
        refused.append(refusal)


@contextlib.contextmanager
def noted_while_loading() -> Generator[None]:
    """Note a `SchemaError` while a program is being imported; raise it otherwise."""
    try:
        yield
    except SchemaError as error:
        note(error)


def shown_short(function: Callable[P, R]) -> Callable[P, R]:
    """Have a refusal show the author's own line, and not the way on which it was found."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except DefinitionError as error:
            raise error.with_traceback(None)  # noqa: B904 - it is the same error

    return call


def raise_or_note(refused: Sequence[SchemaError]) -> None:
    """Raise all refusals together; note them while a command imports the program."""
    if len(refused) == 1 or refused_while_loading() is not None:
        for error in refused:
            note(error)
    elif refused:
        raise DefinitionError(problems=refused)
