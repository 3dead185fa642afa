"""Stores: bytes by key, in memory or in a shared file."""

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

from ._door import public
from .errors import StoreError

if TYPE_CHECKING:
    import sqlite3  # imported where it is used: programs without such a store do not pay for it

__all__ = ["MemoryStore", "SqliteStore", "Store", "open_store"]

_BOOTTIME: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def _since_boot() -> Callable[[], float]:
    if _BOOTTIME is None:
        return time.monotonic
    number = _BOOTTIME
    return lambda: time.clock_gettime(number)


since_boot = _since_boot()
"""Seconds since the machine started, the same in each process; on Linux with suspended time."""


def boot() -> str:
    """Return the id of the boot that `since_boot` counts from; empty if the system has none."""
    try:
        boot_id = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
    try:
        return f"{boot_id} {Path('/proc/self/ns/time').readlink()}"  # a container may have its own
    except OSError:
        return boot_id


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


_GET = "SELECT value FROM items WHERE key = ? AND expires > ?"
_PUT = "INSERT OR REPLACE INTO items (key, value, expires) VALUES (?, ?, ?)"
_DELETE = "DELETE FROM items WHERE key = ?"
_CLEAR = "DELETE FROM items WHERE key >= ? AND key < ?"
_DROP_EXPIRED = "DELETE FROM items WHERE expires <= ?"
_DROP_OLDEST = (
    "DELETE FROM items WHERE id IN (SELECT id FROM items ORDER BY id"
    " LIMIT max(0, (SELECT count(*) FROM items) - ?))"  # SQLite reads a negative LIMIT as no limit
)


class SqliteStore:
    """A store in a file, shared by processes of one machine; not for network drives.

    When it is full, the items written longest ago go first: noting each use would make every
    read a write. It may hold up to one percent more for a while.
    A new file can be read only by its owner. After `close`, the next use opens the file again.
    """

    blocking = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        max_items: int = 100_000,
        *,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._connection: sqlite3.Connection | None = None
        self._process = 0
        self._path = Path(path).absolute()
        self._max_items = check_max_items(max_items)
        self._given_clock = clock
        self._offset = 0.0
        # The first write sweeps, so that many short-lived processes also keep the bound.
        self._writes_to_sweep = 1
        # One connection for all threads. SQLite admits one writer at a time anyway, threads of a
        # pool come and go, and nothing would close the connection of a thread that has ended.
        self.lock = threading.RLock()
        guard_against_fork(self, closes=True)
        with self._use():
            pass  # an unusable file is reported here, not at the first call

    def __del__(self) -> None:
        # A toolbox that is dropped closes nothing, and newer Pythons warn about open connections.
        if self._connection is not None:
            self._connection.close()

    def now(self) -> float:
        """Return the time by the clock of this file, which does not step."""
        return since_boot() + self._offset if self._given_clock is None else self._given_clock()

    def get(self, key: str) -> bytes | None:
        """Return a value; None if there is none, or if it has expired."""
        with self._use() as connection:
            row = connection.execute(_GET, (_encode(key), self.now())).fetchone()
        return None if row is None else row[0]

    def put(self, key: str, value: bytes, ttl: float) -> None:
        """Keep a value for `ttl` seconds. If `ttl` is zero or less, the key is deleted."""
        with self._use() as connection:
            self._write(connection, key, value, self.now(), ttl)
            self._sweep(connection)

    def delete(self, key: str) -> None:
        """Delete a value, if there is one."""
        with self._use() as connection:
            connection.execute(_DELETE, (_encode(key),))

    def clear(self, prefix: str = "") -> None:
        """Delete all values whose key starts with the prefix."""
        first = _encode(prefix)
        with self._use() as connection:
            connection.execute(_CLEAR, (first, first + b"\xff"))  # a byte that UTF-8 never uses

    def update(self, key: str, change: Change) -> bytes:
        """Replace a value with what `change` returns for it, and return the new value."""
        with self._use() as connection:
            with connection:  # commits, or rolls everything back
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
                why = "it was open while C code forked this process: create it after the fork"
                raise StoreError(f"the store {self._path} cannot be used: {why}")
            try:
                yield self._connection or self._open()
            except (sqlite3.Error, OSError) as error:
                why = getattr(error, "strerror", None) or error
                raise StoreError(f"the store {self._path} cannot be used: {why}") from error

    def _open(self) -> sqlite3.Connection:
        self._process = os.getpid()
        connection = _connect(self._path)
        try:
            if self._given_clock is None:
                self._offset = _clock_offset(connection)
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
        """Drop expired items, then those beyond the bound; not at each write: counting is slow."""
        self._writes_to_sweep -= 1
        if self._writes_to_sweep <= 0:
            connection.execute(_DROP_EXPIRED, (self.now(),))
            connection.execute(_DROP_OLDEST, (self._max_items,))
            self._writes_to_sweep = max(1, self._max_items // 100)


def _encode(key: str) -> bytes:
    # Keys contain text from callers, which may hold a lone surrogate; SQLite's text cannot.
    return key.encode("utf-8", "surrogatepass")


# -- the file

_FORMAT = 0x54577231  # the application id of our files; another layout gets another number
_WAIT = 5.0  # seconds that a writer waits for others
_LAYOUT = (
    # A row that is replaced gets a new id, so ids are in the order of writing.
    """CREATE TABLE IF NOT EXISTS items (
        id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, value BLOB NOT NULL, expires REAL NOT NULL
    )""",
    "CREATE INDEX IF NOT EXISTS expiries ON items (expires)",
    f"PRAGMA application_id = {_FORMAT}",
)

_creating = threading.Lock()


def _connect(path: Path) -> sqlite3.Connection:
    """Open the file of a store, and create it if necessary. Raises `OSError`, `sqlite3.Error`."""
    import sqlite3

    path.parent.mkdir(parents=True, exist_ok=True)
    # Never open an existing file here: closing it again would drop the POSIX locks that SQLite
    # holds on it in this process. SQLite gives its side files the mode of this one.
    with _creating, contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Lay out a new file; refuse another program's file before anything in it changes."""
    # In this order: another process may create the tables and the id, in one transaction,
    # between these two lines.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    is_ours = connection.execute("PRAGMA application_id").fetchone()[0] == _FORMAT
    if tables and not is_ours:
        raise OSError("it is the database of another program, or of another version")
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    if not is_ours:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _LAYOUT:
                connection.execute(statement)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Let readers read while another process writes."""
    import sqlite3

    give_up = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite's own timeout does not cover this if two processes switch at once.
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > give_up:
                raise
            time.sleep(0.01)
        else:
            return


_CREATE_CLOCK = "CREATE TABLE IF NOT EXISTS clock (boot TEXT PRIMARY KEY, ahead REAL NOT NULL)"
_READ_CLOCK = "SELECT ahead FROM clock WHERE boot = ?"


def _clock_offset(connection: sqlite3.Connection) -> float:
    """Return what to add to `since_boot` to get this file's time, in seconds since 1970.

    The wall clock is read once in each boot of the machine, by the process that opens the file
    first; all others use its offset. So no step of the wall clock makes an item older or younger.
    """
    boot_id = boot()
    if not boot_id:
        return time.time() - since_boot()  # processes may differ by a step between their starts
    connection.execute(_CREATE_CLOCK)
    row = connection.execute(_READ_CLOCK, (boot_id,)).fetchone()
    if row is None:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM clock WHERE boot != ?", (boot_id,))
            offset = time.time() - since_boot()
            insert = "INSERT OR IGNORE INTO clock (boot, ahead) VALUES (?, ?)"
            connection.execute(insert, (boot_id, offset))
        row = connection.execute(_READ_CLOCK, (boot_id,)).fetchone()
    return row[0]


def open_store(where: str | Store | None) -> Store:
    """Return the store that a URL names; a store is returned as it is.

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
        f"{where!r} does not name a store: use 'memory:', 'sqlite:///relative/path', "
        "'sqlite:////absolute/path', or an object with the methods of Store"
    )
