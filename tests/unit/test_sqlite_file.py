"""Stores in a file: other processes, broken files, names of stores."""

import os
import sqlite3
import stat

import pytest

from tests.unit.store_makers import clock, count, path
from toolwright.stores import MemoryStore, SqliteStore, open_store

# -- a file alone


def test_a_file_keeps_its_values(path, clock):
    first = SqliteStore(path, clock=clock)
    first.put("k", b"1", 60)
    first.put("short", b"1", 10)
    first.close()
    clock.now += 10
    second = SqliteStore(path, clock=clock)
    assert (second.get("k"), second.get("short")) == (b"1", None)
    second.close()


def test_a_closed_file_is_opened_again_by_the_next_use(path):
    store = SqliteStore(path)
    store.put("k", b"1", 60)
    store.close()
    assert store.get("k") == b"1"
    store.close()


def test_two_stores_of_one_file_see_each_other(path):
    one, two = SqliteStore(path), SqliteStore(path)
    one.put("k", b"1", 60)
    assert two.update("k", count) == one.get("k") == b"2"
    one.close()
    assert two.update("k", count) == b"3"
    two.close()


def test_a_relative_file_stays_where_it_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = open_store("sqlite:///deep/er/store.db")
    store.put("k", b"1", 60)
    store.close()
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    assert store.get("k") == b"1"
    store.close()
    assert os.listdir(tmp_path / "deep" / "er") == ["store.db"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_new_file_is_for_its_owner_only(path):
    store = SqliteStore(path)
    store.put("k", b"1", 60)
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["store.db", "store.db-shm", "store.db-wal"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    store.close()


def test_the_mode_of_an_old_file_is_left_alone(path):
    SqliteStore(path).close()
    path.chmod(0o640)
    SqliteStore(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_file_writes_ahead_and_does_not_wait_for_the_disk(path):
    store = SqliteStore(path)
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (1,)
    store.close()


def test_a_file_is_swept_by_short_lived_processes_too(path, clock):
    for number in range(20):
        store = SqliteStore(path, max_items=1000, clock=clock)
        store.put(str(number), b"1", 5)
        store.close()
        clock.now += 1
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT count(*) FROM items").fetchone()[0]
    connection.close()
    assert rows == 5


def test_a_large_file_is_swept_now_and_then(path):
    store = SqliteStore(path, max_items=300)
    for number in range(1000):
        store.put(str(number), b"1", 60)
    kept = sum(store.get(str(number)) is not None for number in range(1000))
    assert 300 <= kept <= 303
    assert store.get("999") == b"1"
    store.close()


@pytest.mark.parametrize(
    "content", [b"no database", b"x" * 5000, b"SQLite format 3\0" + b"x" * 5000]
)
def test_a_broken_file_is_told_at_once_and_left_alone(path, content):
    path.write_bytes(content)
    with pytest.raises(OSError) as caught:
        SqliteStore(path)
    message = str(caught.value)
    assert str(path) in message
    assert "\n" not in message
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_left_alone(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (name TEXT)")
    connection.close()
    content = path.read_bytes()
    with pytest.raises(OSError, match="another program"):
        SqliteStore(path)
    assert path.read_bytes() == content


def test_a_path_that_cannot_be_a_file_is_told_at_once(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path, tmp_path / "file" / "store.db"):
        with pytest.raises(OSError, match=str(tmp_path)):
            SqliteStore(path)


def test_a_file_that_breaks_later_raises_oserror(path):
    store = SqliteStore(path)
    store.put("k", b"1", 60)
    store._connection.execute("DROP TABLE items")
    for use in (
        lambda: store.get("k"),
        lambda: store.put("k", b"1", 60),
        lambda: store.delete("k"),
        store.clear,
        lambda: store.update("k", count),
    ):
        with pytest.raises(OSError, match="no such table"):
            use()
    store.close()


def test_a_locked_file_can_be_read_and_fails_to_be_written(path, monkeypatch):
    monkeypatch.setattr("toolwright.stores._WAIT", 0.0)
    store = SqliteStore(path)
    store.put("k", b"1", 60)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert store.get("k") == b"1"
    for write in (lambda: store.put("k", b"2", 60), lambda: store.update("k", count)):
        with pytest.raises(OSError, match="locked"):
            write()
    other.execute("ROLLBACK")
    other.close()
    assert store.update("k", count) == b"2"
    store.close()


def test_a_full_disk_fails_the_write_and_nothing_else(path):
    store = SqliteStore(path)
    store.put("k", b"1", 60)
    store._connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(OSError, match="full"):
        store.put("big", bytes(1_000_000), 60)
    with pytest.raises(OSError, match="full"):
        store.update("k", lambda old: (bytes(1_000_000), 60))
    assert (store.get("k"), store.get("big")) == (b"1", None)
    store.close()


def test_a_fork_that_python_does_not_see_is_told(path, monkeypatch):
    store = SqliteStore(path)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(OSError, match=f"{path}.*forked"):
        store.get("k")
    monkeypatch.undo()
    store.close()


# -- by name


def test_no_name_and_memory_are_stores_in_memory():
    assert type(open_store(None)) is type(open_store("memory:")) is MemoryStore
    assert open_store(None) is not open_store(None)


def test_a_store_is_opened_as_it_is():
    store = MemoryStore()
    assert open_store(store) is store


def test_an_absolute_file_has_four_slashes(path):
    store = open_store(f"sqlite:///{path}")
    store.put("k", b"1", 60)
    store.close()
    assert path.exists()


@pytest.mark.parametrize(
    "where",
    ["", "memory", "sqlite:", "sqlite://", "sqlite:///", "redis://localhost", "x.db", 3, {}],
)
def test_any_other_name_is_refused_with_the_forms(where):
    with pytest.raises(ValueError, match="memory:.*sqlite:///relative.*sqlite:////absolute"):
        open_store(where)
