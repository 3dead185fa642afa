"""What a store is, and how stores survive a fork."""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from .._door import public

__all__ = ["Change", "Store", "check_max_items", "clock_of", "guard_against_fork"]

Change = Callable[[bytes | None], tuple[bytes, float]]


@public
@runtime_checkable
class Store(Protocol):
    """Bytes by key, each with its own time to live.

    A method that cannot do its work raises OSError. A store may have a method `now` that returns
    seconds by a clock that does not step and that all processes sharing the store use.
    """

    blocking: bool
    """Whether a method may wait for a disk or a network: async code then uses a thread."""

    def get(self, key: str) -> bytes | None:
        """Return a value; None if there is none, or if it has expired."""
        ...

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep a value for `ttl` seconds. If `ttl` is zero or less, the key is deleted."""
        ...

    def delete(self, key: str) -> None:
        """Delete a value, if there is one."""
        ...

    def clear(self, prefix: str = "") -> None:
        """Delete all values whose key starts with the prefix."""
        ...

    def update(self, key: str, change: Change) -> bytes:
        """Replace a value with what `change` returns for it, and return the new value.

        No other writer gets in between. `change` receives None where there is no value, returns
        the new value and its time to live, and must not use the store. If it raises, nothing
        changes.
        """
        ...

    def close(self) -> None:
        """Release everything that the store holds in this process."""
        ...


def clock_of(store: Store) -> Callable[[], float]:
    """Return the clock by which the times written into a store are measured."""
    return getattr(store, "now", time.time)


def check_max_items(max_items: int) -> int:
    """Return the bound of a store. Raises `ValueError` if nothing would fit."""
    if max_items < 1:
        raise ValueError(f"max_items={max_items}: a store holds at least one item")
    return max_items


class _Guarded(Protocol):
    lock: threading.RLock

    def close(self) -> None: ...


# A lock that another thread holds while the process forks is never released in the child, and an
# open SQLite connection must not be carried over. So a fork waits until no store is in use, and
# closes files first.
_stores: weakref.WeakKeyDictionary[_Guarded, bool] = weakref.WeakKeyDictionary()
_registering = threading.Lock()
_paused = contextlib.ExitStack()


def guard_against_fork(store: _Guarded, *, closes: bool) -> None:
    """Make forks wait for a store, and close it first if `closes`."""
    with _registering:
        _stores[store] = closes


def _pause() -> None:
    _paused.enter_context(_registering)
    for store, closes in list(_stores.items()):
        _paused.enter_context(store.lock)
        if closes:
            store.close()


def _resume() -> None:
    _paused.pop_all().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_pause, after_in_parent=_resume, after_in_child=_resume)
