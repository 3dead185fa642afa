"""A store in an SQLite file that one machine's processes share."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import StoreError
from .clocks import boot, since_boot
from .store import Change, check_max_items, guard_against_fork

if TYPE_CHECKING:
    import sqlite3  # imported where it is used: programs without such a store do not pay for it

__all__ = ["SqliteStore"]

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
