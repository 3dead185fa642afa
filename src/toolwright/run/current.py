"""The call of the tool that runs here."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Generator
from contextvars import ContextVar
from typing import Any, Protocol

from .._door import public
from ..call import Call, current

__all__ = ["current_call"]


class Outermost(str):
    """The name of a tool that no other tool has called."""

    __slots__ = ()


class Asking(Protocol):
    """Who asks for what runs here; a server says so around each call."""

    @property
    def holder(self) -> str:
        """Whose share of the threads and processes is taken."""
        ...

    def made(self) -> Call:
        """Return the call of the request, which most tools do without."""
        ...


asked: ContextVar[Asking | None] = ContextVar("asked", default=None)
"""Who asks: the functions of authors, between a server and what they call, do not hand it on."""


@public
def current_call() -> Call | None:
    """Return the call of the tool that runs here; None outside of tools.

    For code that a tool calls, however deep, in threads and in async code. A result that depends
    on it is never cached.
    """
    call = current.get()
    if call is None:
        return None
    if isinstance(call, str):
        call = _made(call, is_outermost=isinstance(call, Outermost))
        current.set(call)
    _ = call.headers  # anything can be read from the call, so this counts as reading its headers
    return call


def new_call(tool: str) -> Call:
    """Return a call for a tool that is run without one."""
    return _made(tool, is_outermost=current.get() is None)


def _made(tool: str, *, is_outermost: bool) -> Call:
    asking = asked.get() if is_outermost else None
    if asking is None:
        return Call(str(tool))
    call = asking.made()
    call.tool = str(tool)
    return call


def share_of(caller: str | None) -> str:
    """Return whose share of the threads and processes a call takes.

    It is empty in a program that calls its own tools: then nothing is bounded for its callers.
    """
    if caller is not None:
        return f"caller {caller}"
    asking = asked.get()
    return "" if asking is None else asking.holder


class asked_by:  # noqa: N801 - reads as a statement; a generator would take four times as long
    """Sets who asks for what runs inside, at no cost to tools that do not need to know."""

    __slots__ = ("asking", "token")

    def __init__(self, asking: Asking) -> None:
        self.asking = asking

    def __enter__(self) -> None:
        self.token = asked.set(self.asking)

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
