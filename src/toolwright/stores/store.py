"""Stores: how they survive a fork; the one in memory."""

from __future__ import annotations

import contextlib
import heapq
import os
import threading
import time
import weakref
from collections import OrderedDict
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


class MemoryStore:
    """A store in this process. When it is full, the least recently used items go first."""

    blocking = False

    def __init__(
        self, max_items: int = 10_000, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._max_items = check_max_items(max_items)
        self._clock = clock
        self.lock = threading.RLock()
        self._items: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        # When each key expires, soonest first. Entries of values replaced since are still here.
        self._expiries: list[tuple[float, str]] = []
        guard_against_fork(self, closes=False)

    def now(self) -> float:
        """Return the time by the clock of this store, which does not step."""
        return self._clock()

    def get(self, key: str) -> bytes | None:
        """Return a value; None if there is none, or if it has expired."""
        with self.lock:
            item = self._items.get(key)
            if item is None:
                return None
            if item[1] <= self._clock():
                del self._items[key]
                return None
            self._items.move_to_end(key)
            return item[0]

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep a value for `ttl` seconds. If `ttl` is zero or less, the key is deleted."""
        with self.lock:
            self._items.pop(key, None)
            now = self._clock()
            if ttl > 0:
                self._items[key] = (value, now + ttl)
                heapq.heappush(self._expiries, (now + ttl, key))
            self._tidy(now)

    def delete(self, key: str) -> None:
        """Delete a value, if there is one."""
        with self.lock:
            self._items.pop(key, None)

    def clear(self, prefix: str = "") -> None:
        """Delete all values whose key starts with the prefix."""
        with self.lock:
            for key in [key for key in self._items if key.startswith(prefix)]:
                del self._items[key]
            self._rebuild()

    def update(self, key: str, change: Change) -> bytes:
        """Replace a value with what `change` returns for it, and return the new value."""
        with self.lock:
            value, ttl = change(self.get(key))
            self.put(key, value, ttl)
            return value

    def close(self) -> None:
        """Delete everything."""
        self.clear()

    def _tidy(self, now: float) -> None:
        """Drop what has expired, then what exceeds the bound."""
        while self._expiries and self._expiries[0][0] <= now:
            key = heapq.heappop(self._expiries)[1]
            item = self._items.get(key)
            if item is not None and item[1] <= now:
                del self._items[key]
        while len(self._items) > self._max_items:
            self._items.popitem(last=False)
        # Each rewrite of a key leaves a stale entry: without this, one hot key would grow the
        # heap without bound.
        if len(self._expiries) > 2 * len(self._items) + 64:
            self._rebuild()

    def _rebuild(self) -> None:
        self._expiries = [(expiry, key) for key, (_, expiry) in self._items.items()]
        heapq.heapify(self._expiries)
