"""Forked copies of this process: what they close, how they end.

A tool may fork, as `multiprocessing` does, and its copies go on working. But a copy holds all that
was open: the pipes of our processes, the client's connection, the port. And if it returns from the
tool, it runs our code a second time and answers a second time.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ..._log import log

_guards: list[unshared] = []
_loop: list[Any] = [None]
"""The event loop that runs in the thread that forks."""
_endings: list[Callable[[], object]] = []
"""Functions that a copy calls before it is ended."""


class unshared:  # noqa: N801 - reads as a statement
    """While it is entered, forked copies lose these descriptors and never resume the loop."""

    def __init__(
        self,
        descriptors: Callable[[], Iterable[int]],
        ending: Callable[[], object] | None = None,
    ) -> None:
        self.descriptors = descriptors
        self.ending = ending
        """Called in a copy that is about to be ended."""

    def __enter__(self) -> None:
        _guards.append(self)

    def __exit__(self, *_: object) -> None:
        if self in _guards:  # not in a copy
            _guards.remove(self)


def end_copy() -> None:
    """End a copy that has returned from the tool that forked it: it has no caller to answer."""
    log.warning("a tool forked, and its copy returned from the tool: the copy was ended")
    for end in _endings:
        end()
    os._exit(1)


def _before() -> None:
    asyncio = sys.modules.get("asyncio")
    _loop[0] = None if asyncio is None else asyncio._get_running_loop()  # noqa: SLF001


def _in_original() -> None:
    _loop[0] = None


def _in_copy() -> None:
    loop, _loop[0] = _loop[0], None
    guards, _guards[:] = list(_guards), []
    for guard in guards:
        with contextlib.suppress(Exception):  # the server may be starting or ending
            _replace(guard.descriptors())
        if guard.ending is not None:
            _endings.append(guard.ending)
    if guards and loop is not None:
        # An async tool forked. Its copy may do anything until it returns to the loop;
        # then the loop must not go on here: the original runs it, on the same sockets.
        loop.call_soon(end_copy)


def _replace(descriptors: Iterable[int]) -> None:
    """Put the null device in the place of descriptors, so that nothing else gets their numbers."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.dup2(null, descriptor, inheritable=False)
    os.close(null)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_in_original, after_in_child=_in_copy)
