"""The file of a store: how it is made, opened and refused, and its clock."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from .._clocks import boot, since_boot

if TYPE_CHECKING:
    import sqlite3  # only a store in a file pays for it

__all__ = ["ahead", "connect"]

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


def connect(path: Path) -> sqlite3.Connection:
    """Open the file of a store; make it if it is not there. Raises `OSError` or `sqlite3.Error`."""
    import sqlite3

    path.parent.mkdir(parents=True, exist_ok=True)
    # Never open a file that is there: closing it again would drop the locks that SQLite holds on
    # it in this process. SQLite gives its side files the mode of this one.
    with _creating, contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    try:
        _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    """Lay out a new file; refuse one of another program, before anything in it changes."""
    # In this order: the layout and its id come in one piece, maybe between these two lines.
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    known = connection.execute("PRAGMA application_id").fetchone()[0] == _FORMAT
    if tables and not known:
        raise OSError("it is the database of another program, or of another version")
    _switch_to_wal(connection)
    connection.execute("PRAGMA synchronous = NORMAL")
    if not known:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in _LAYOUT:
                connection.execute(statement)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Let readers read while somebody writes."""
    import sqlite3

    patience = time.monotonic() + _WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # SQLite itself does not wait here if two processes switch at once.
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > patience:
                raise
            time.sleep(0.01)
        else:
            return


_CLOCK = "CREATE TABLE IF NOT EXISTS clock (boot TEXT PRIMARY KEY, ahead REAL NOT NULL)"


def ahead(connection: sqlite3.Connection) -> float:
    """Return what to add to `since_boot` for the time of this file, in seconds since 1970.

    The wall clock is asked once in each boot of the machine, by whoever opens the file first; all
    others go by that. So no step of the wall clock makes anything here older or younger.
    """
    name = boot()
    if not name:
        return time.time() - since_boot()  # other processes may differ by a step between us
    connection.execute(_CLOCK)
    found = connection.execute("SELECT ahead FROM clock WHERE boot = ?", (name,)).fetchone()
    if found is None:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM clock WHERE boot != ?", (name,))
            made = (name, time.time() - since_boot())
            connection.execute("INSERT OR IGNORE INTO clock (boot, ahead) VALUES (?, ?)", made)
        found = connection.execute("SELECT ahead FROM clock WHERE boot = ?", (name,)).fetchone()
    return found[0]
