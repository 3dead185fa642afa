"""Where a toolbox keeps its state: in memory, or in a file that processes share.

Values are bytes, and each has its own time to live.
"""

from __future__ import annotations

import contextlib
import heapq
import os
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .._clocks import since_boot
from ..errors import StoreError
from .sqlite_file import ahead, connect

if TYPE_CHECKING:
    import sqlite3  # only a store in a file pays for it

__all__ = ["MemoryStore", "SqliteStore", "Store", "clock_of", "open_store"]

Change = Callable[[bytes | None], tuple[bytes, float]]


@runtime_checkable
class Store(Protocol):
    """Bytes by key, each for a time.

    A method that cannot do its work raises OSError. A store may have a method `now` that returns
    seconds by a clock which does not step, and which everybody who shares the store goes by.
    """

    blocking: bool
    """Whether a method may wait for a disk or a network: async code then uses a thread."""

    def get(self, key: str) -> bytes | None:
        """Return a value; None if there is none, or if its time is over."""
        ...

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep a value for `ttl` seconds. Without time (zero or less), the key is deleted."""
        ...

    def delete(self, key: str) -> None:
        """Forget a value, if there is one."""
        ...

    def clear(self, prefix: str = "") -> None:
        """Forget all values whose key starts so."""
        ...

    def update(self, key: str, change: Change) -> bytes:
        """Replace a value by what `change` makes of it, and return the new one.

        Nobody else writes in between. `change` gets None where there is no value, returns the new
        value and its time to live, and must not use the store. If it raises, nothing changes.
        """
        ...

    def close(self) -> None:
        """Let go of all that the store holds in this process."""
        ...


class MemoryStore:
    """A store of this process. When it is full, the least recently used items go first."""

    blocking = False

    def __init__(self, most: int = 10_000, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = _checked(most)
        self._clock = clock
        self.lock = threading.RLock()
        self._items: OrderedDict[str, tuple[bytes, float]] = OrderedDict()
        # When which key is over, soonest first. What was replaced since is still in here.
        self._ends: list[tuple[float, str]] = []
        _register(self)

    def now(self) -> float:
        """Return the time by the clock of this store, which does not step."""
        return self._clock()

    def get(self, key: str) -> bytes | None:
        """Return a value; None if there is none, or if its time is over."""
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
        """Keep a value for `ttl` seconds. Without time (zero or less), the key is deleted."""
        with self.lock:
            self._items.pop(key, None)
            now = self._clock()
            if ttl > 0:
                self._items[key] = (value, now + ttl)
                heapq.heappush(self._ends, (now + ttl, key))
            self._tidy(now)

    def delete(self, key: str) -> None:
        """Forget a value, if there is one."""
        with self.lock:
            self._items.pop(key, None)

    def clear(self, prefix: str = "") -> None:
        """Forget all values whose key starts so."""
        with self.lock:
            for key in [key for key in self._items if key.startswith(prefix)]:
                del self._items[key]
            self._rebuild()

    def update(self, key: str, change: Change) -> bytes:
        """Replace a value by what `change` makes of it, and return the new one."""
        with self.lock:
            value, ttl = change(self.get(key))
            self.put(key, value, ttl)
            return value

    def close(self) -> None:
        """Forget everything."""
        self.clear()

    def _tidy(self, now: float) -> None:
        """Drop what is over, then what is too much."""
        while self._ends and self._ends[0][0] <= now:
            key = heapq.heappop(self._ends)[1]
            item = self._items.get(key)
            if item is not None and item[1] <= now:
                del self._items[key]
        while len(self._items) > self._most:
            self._items.popitem(last=False)
        # A key that is rewritten again and again leaves an entry each time.
        if len(self._ends) > 2 * len(self._items) + 64:
            self._rebuild()

    def _rebuild(self) -> None:
        self._ends = [(end, key) for key, (_, end) in self._items.items()]
        heapq.heapify(self._ends)


_GET = "SELECT value FROM items WHERE key = ? AND expires > ?"
_PUT = "INSERT OR REPLACE INTO items (key, value, expires) VALUES (?, ?, ?)"
_DELETE = "DELETE FROM items WHERE key = ?"
_CLEAR = "DELETE FROM items WHERE key >= ? AND key < ?"
_DROP_OVER = "DELETE FROM items WHERE expires <= ?"
_DROP_OLDEST = (
    "DELETE FROM items WHERE id IN (SELECT id FROM items ORDER BY id"
    " LIMIT max(0, (SELECT count(*) FROM items) - ?))"  # a limit below 0 would be none
)


class SqliteStore:
    """A store in a file, shared by processes of one machine; not for network drives.

    When it is full, the items written longest ago go first: to note each use would make every
    read a write. It may hold up to one percent more for a while.
    A new file can be read by its owner only. After `close`, the next use opens the file again.
    """

    blocking = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        most: int = 100_000,
        *,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._path = Path(path).absolute()
        self._most = _checked(most)
        self._given_clock = clock
        self._ahead = 0.0
        # The first write sweeps, so that many short-lived processes keep the bound, too.
        self._writes_to_sweep = 1
        # One connection for all threads. SQLite lets in one writer at a time anyway, threads of a
        # pool come and go, and a connection of each would be closed by nobody.
        self.lock = threading.RLock()
        _register(self)
        with self._use():
            pass  # an unusable file is told here, not at the first call

    def __del__(self) -> None:
        # Who drops a toolbox closes nothing, and newer Pythons warn of open connections.
        if self._connection is not None:
            self._connection.close()

    def now(self) -> float:
        """Return the time by the clock of this file, which does not step."""
        return since_boot() + self._ahead if self._given_clock is None else self._given_clock()

    def get(self, key: str) -> bytes | None:
        """Return a value; None if there is none, or if its time is over."""
        with self._use() as connection:
            row = connection.execute(_GET, (_encode(key), self.now())).fetchone()
        return None if row is None else row[0]

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep a value for `ttl` seconds. Without time (zero or less), the key is deleted."""
        with self._use() as connection:
            self._write(connection, key, value, self.now(), ttl)
            self._sweep(connection)

    def delete(self, key: str) -> None:
        """Forget a value, if there is one."""
        with self._use() as connection:
            connection.execute(_DELETE, (_encode(key),))

    def clear(self, prefix: str = "") -> None:
        """Forget all values whose key starts so."""
        first = _encode(prefix)
        with self._use() as connection:
            connection.execute(_CLEAR, (first, first + b"\xff"))  # no UTF-8 has this byte

    def update(self, key: str, change: Change) -> bytes:
        """Replace a value by what `change` makes of it, and return the new one."""
        with self._use() as connection:
            with connection:  # commits, or takes all back
                connection.execute("BEGIN IMMEDIATE")
                now = self.now()
                row = connection.execute(_GET, (_encode(key), now)).fetchone()
                value, ttl = change(None if row is None else row[0])
                self._write(connection, key, value, now, ttl)
            self._sweep(connection)
        return value

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextlib.contextmanager
    def _use(self) -> Generator[sqlite3.Connection]:
        import sqlite3

        with self.lock:
            if self._connection is not None and self._process != os.getpid():
                why = "it was open while C code forked this process: make it after that"
                raise StoreError(f"the store {self._path} cannot be used: {why}")
            try:
                yield self._connection or self._open()
            except (sqlite3.Error, OSError) as error:
                why = getattr(error, "strerror", None) or error
                raise StoreError(f"the store {self._path} cannot be used: {why}") from error

    def _open(self) -> sqlite3.Connection:
        self._process = os.getpid()
        connection = connect(self._path)
        try:
            if self._given_clock is None:
                self._ahead = ahead(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _write(
        self, connection: sqlite3.Connection, key: str, value: bytes, now: float, ttl: float
    ) -> None:
        if ttl > 0:
            connection.execute(_PUT, (_encode(key), value, now + ttl))
        else:
            connection.execute(_DELETE, (_encode(key),))

    def _sweep(self, connection: sqlite3.Connection) -> None:
        """Drop what is over, then what is too much, once in many writes: counting is slow."""
        self._writes_to_sweep -= 1
        if self._writes_to_sweep <= 0:
            connection.execute(_DROP_OVER, (self.now(),))
            connection.execute(_DROP_OLDEST, (self._most,))
            self._writes_to_sweep = max(1, self._most // 100)


def open_store(where: str | Store | None) -> Store:
    """Return the store that a text names; a store is returned as it is.

    >>> open_store("memory:").blocking
    False
    """
    if where is None or where == "memory:":
        return MemoryStore()
    if isinstance(where, str):
        scheme, mark, path = where.partition(":///")
        if scheme == "sqlite" and mark and path:
            return SqliteStore(path)
    elif isinstance(where, Store):  # pyright: ignore[reportUnnecessaryIsInstance]
        return where
    raise ValueError(
        f"{where!r} names no store: use 'memory:', 'sqlite:///relative/path', "
        "'sqlite:////absolute/path', or an object with the methods of Store"
    )


def clock_of(store: Store) -> Callable[[], float]:
    """Return the clock of a store: by the times in it, others count how long ago something was."""
    return getattr(store, "now", time.time)


def _checked(most: int) -> int:
    if most < 1:
        raise ValueError(f"most={most}: a store holds one item at least")
    return most


def _encode(key: str) -> bytes:
    # Text of others may hold half a surrogate pair, which SQLite's text cannot.
    return key.encode("utf-8", "surrogatepass")


# A lock that is held while the process forks is held for ever in the child, and an open SQLite
# connection must not be carried over. So a fork waits for all stores, and files are closed for it.
_stores: weakref.WeakSet[MemoryStore | SqliteStore] = weakref.WeakSet()
_registering = threading.Lock()
_paused = contextlib.ExitStack()


def _register(store: MemoryStore | SqliteStore) -> None:
    with _registering:
        _stores.add(store)


def _pause() -> None:
    _paused.enter_context(_registering)
    for store in _stores:
        _paused.enter_context(store.lock)
        if isinstance(store, SqliteStore):
            store.close()


def _resume() -> None:
    _paused.pop_all().close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_pause, after_in_parent=_resume, after_in_child=_resume)
