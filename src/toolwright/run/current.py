"""The call of the tool that runs here."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Generator
from contextvars import ContextVar
from typing import Any

from .._door import public
from ..call import Call, current

__all__ = ["current_call"]


class Outermost(str):
    """The name of a tool that no other tool has called."""

    __slots__ = ()


asked: ContextVar[Callable[[], Call] | None] = ContextVar("asked", default=None)
"""Makes the `Call` for the request being answered here, if the server has not made one."""


@public
def current_call() -> Call | None:
    """Return the call of the tool that runs here; None outside of tools.

    For code that a tool calls, however deep, in threads and in async code. A result that depends
    on it is never cached.
    """
    found = current.get()
    if found is None:
        return None
    if isinstance(found, str):
        found = _made(found, is_outermost=isinstance(found, Outermost))
        current.set(found)
    _ = found.headers  # anything can be read from the call, so this counts as reading its headers
    return found


def new_call(tool: str) -> Call:
    """Return a call for a tool that is run without one."""
    return _made(tool, is_outermost=current.get() is None)


def _made(tool: str, *, is_outermost: bool) -> Call:
    make = asked.get() if is_outermost else None
    if make is None:
        return Call(str(tool))
    call = make()
    call.tool = str(tool)
    return call


class asked_by:  # noqa: N801 - reads as a statement; a generator would take four times as long
    """Sets who asks for what runs inside, at no cost to tools that do not need to know."""

    __slots__ = ("make", "token")

    def __init__(self, make: Callable[[], Call]) -> None:
        self.make = make

    def __enter__(self) -> None:
        self.token = asked.set(self.make)

    def __exit__(self, *_: object) -> None:
        asked.reset(self.token)


@contextlib.contextmanager
def outside() -> Generator[None]:
    """Run a block that belongs to no call, such as making a value that is kept."""
    before, token = current.get(), asked.set(None)
    current.set(None)
    try:
        yield
    finally:
        current.set(before)
        asked.reset(token)


def looks_up(target: Any) -> bool:
    """Return whether a target, or its module, names `current_call`.

    What its helpers in other modules do cannot be known before they run.
    """
    function = inspect.unwrap(getattr(target, "func", target))
    if "current_call" in getattr(getattr(function, "__code__", None), "co_names", ()):
        return True
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    return getattr(module, "current_call", None) is current_call
