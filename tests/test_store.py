"""Stores: both keep the same promises, alone, among threads, and among processes."""

import gc
import math
import os
import sqlite3
import stat
import subprocess
import sys
import threading

import pytest
from counting import examples
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from toolwright.stores import MemoryStore, SqliteStore, Store, open_store

ODD_KEYS = ["", "a", "a%", "a_", "ab", "A", "a\0b", "a\ud800", "a\ud800\udc00", "a\U00010000", "ü"]


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "sqlite"])
def make(request, tmp_path, clock):
    """Make stores of one kind; each is closed in the end."""
    made = []

    def make(**options):
        path = tmp_path / f"{len(made)}.db"
        kind = MemoryStore if request.param == "memory" else lambda **o: SqliteStore(path, **o)
        made.append(kind(clock=clock, **options))
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def count(value):
    return b"%d" % (int(value or 0) + 1), 60


# -- what both do


def test_each_is_a_store_and_says_whether_it_waits(make):
    store = make()
    assert isinstance(store, Store)
    assert store.blocking is isinstance(store, SqliteStore)


@pytest.mark.parametrize("value", [b"", b"null", b"\0\xff'\n", bytes(range(256)) * 300])
def test_a_value_comes_back_byte_by_byte(make, value):
    store = make()
    store.put("k", value, 60)
    assert store.get("k") == value
    assert type(store.get("k")) is bytes


def test_what_is_not_there_is_none(make):
    store = make()
    assert store.get("k") is None
    store.delete("k")
    store.clear("k")


def test_a_value_is_replaced_and_deleted(make):
    store = make()
    store.put("k", b"1", 60)
    store.put("k", b"2", 60)
    assert store.get("k") == b"2"
    store.delete("k")
    assert store.get("k") is None


def test_each_value_has_its_own_time(make, clock):
    store = make()
    store.put("short", b"1", 10)
    store.put("long", b"2", 20)
    store.put("ever", b"3", math.inf)
    clock.now += 9.5
    assert [store.get(key) for key in ("short", "long", "ever")] == [b"1", b"2", b"3"]
    clock.now += 0.5
    assert [store.get(key) for key in ("short", "long", "ever")] == [None, b"2", b"3"]
    clock.now += 1e9
    assert [store.get(key) for key in ("short", "long", "ever")] == [None, None, b"3"]


def test_reading_does_not_give_more_time_but_writing_does(make, clock):
    store = make()
    store.put("read", b"1", 10)
    store.put("written", b"1", 10)
    clock.now += 6
    store.get("read")
    store.put("written", b"2", 10)
    clock.now += 6
    assert (store.get("read"), store.get("written")) == (None, b"2")


@pytest.mark.parametrize("ttl", [0, -1, -math.inf, math.nan])
def test_a_value_without_time_is_not_kept_and_neither_is_the_old_one(make, ttl):
    store = make()
    store.put("k", b"1", 60)
    store.put("k", b"2", ttl)
    assert store.get("k") is None
    store.put("k", b"1", 60)
    assert store.update("k", lambda old: (b"2", ttl)) == b"2"
    assert store.get("k") is None


def test_odd_keys_are_all_different(make):
    store = make()
    for key in ODD_KEYS:
        store.put(key, ascii(key).encode(), 60)
    assert [store.get(key) for key in ODD_KEYS] == [ascii(key).encode() for key in ODD_KEYS]


@pytest.mark.parametrize("prefix", [*ODD_KEYS, "%", "_", "\udfff", "\U0010ffff"])
def test_a_prefix_is_taken_word_for_word(make, prefix):
    store = make()
    for key in ODD_KEYS:
        store.put(key, b"1", 60)
        store.put(key + "\U0010ffff", b"1", 60)
    store.clear(prefix)
    for key in ODD_KEYS:
        for each in (key, key + "\U0010ffff"):
            assert store.get(each) == (None if each.startswith(prefix) else b"1"), ascii(each)


def test_a_full_store_drops_the_oldest(make):
    store = make(max_items=3)
    for key in "abcd":
        store.put(key, key.encode(), 60)
    assert [store.get(key) for key in "abcd"] == [None, b"b", b"c", b"d"]
    store.put("b", b"again", 60)
    store.update("e", count)
    assert [store.get(key) for key in "bcde"] == [b"again", None, b"d", b"1"]


def test_what_is_over_makes_room_before_what_is_not(make, clock):
    store = make(max_items=3)
    store.put("old", b"1", 60)
    store.put("over", b"1", 10)
    store.put("new", b"1", 60)
    clock.now += 10
    store.put("newer", b"1", 60)
    assert [store.get(key) for key in ("old", "over", "new", "newer")] == [b"1", None, b"1", b"1"]


@pytest.mark.parametrize("max_items", [0, -1])
def test_a_store_for_nothing_is_refused(make, max_items):
    with pytest.raises(ValueError, match="at least one item"):
        make(max_items=max_items)


def test_an_update_sees_the_old_value_and_returns_the_new_one(make, clock):
    store = make()
    assert [store.update("k", count) for _ in range(3)] == [b"1", b"2", b"3"]
    assert store.get("k") == b"3"
    clock.now += 60
    assert store.update("k", count) == b"1"


def test_an_update_that_fails_changes_nothing(make):
    store = make()
    store.put("k", b"1", 60)
    with pytest.raises(ZeroDivisionError):
        store.update("k", lambda old: 1 // 0)
    assert store.get("k") == b"1"
    assert store.update("k", count) == b"2"


@pytest.fixture
def _restless():
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_restless")
def test_threads_lose_no_update(make):
    store = make()
    start = threading.Barrier(8)

    def work():
        start.wait()
        for _ in range(50):
            store.update("k", count)
            store.get("k")

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.get("k") == b"400"


def test_a_closed_store_can_be_closed_again(make):
    store = make()
    store.close()
    store.close()


# -- like a dict with a clock

KEYS = st.sampled_from(ODD_KEYS) | st.text(alphabet="ab%_\ud800", max_size=3)
VALUES = st.binary(max_size=4)
TTLS = st.sampled_from([-1, 0, 1, 5, 50, math.inf])


class Likeness(RuleBasedStateMachine):
    """A store does as a plain dict does."""

    make = None

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.store = self.make(self.clock)
        self.model = {}

    def live(self, key):
        value, end = self.model.get(key, (None, math.inf))
        return value if end > self.clock.now else None

    @rule(key=KEYS, value=VALUES, ttl=TTLS)
    def put(self, key, value, ttl):
        self.store.put(key, value, ttl)
        self.model[key] = value, self.clock.now + ttl

    @rule(key=KEYS, more=VALUES, ttl=TTLS)
    def update(self, key, more, ttl):
        new = (self.live(key) or b"") + more
        assert self.store.update(key, lambda old: ((old or b"") + more, ttl)) == new
        self.model[key] = new, self.clock.now + ttl

    @rule(key=KEYS)
    def get(self, key):
        assert self.store.get(key) == self.live(key)

    @rule(key=KEYS)
    def delete(self, key):
        self.store.delete(key)
        self.model.pop(key, None)

    @rule(prefix=KEYS)
    def clear(self, prefix):
        self.store.clear(prefix)
        self.model = {k: v for k, v in self.model.items() if not k.startswith(prefix)}

    @rule(seconds=st.sampled_from([0.5, 1, 7, 100]))
    def wait(self, seconds):
        self.clock.now += seconds

    @rule()
    def reopen(self):
        if self.store.blocking:
            self.store.close()

    @invariant()
    def agree(self):
        assert {key: self.store.get(key) for key in self.model} == {
            key: self.live(key) for key in self.model
        }

    def teardown(self):
        self.store.clear()
        self.store.close()


class Bounded(RuleBasedStateMachine):
    """A small store in memory forgets the least recently used, and never more than it must."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.store = MemoryStore(3, clock=self.clock)
        self.model = {}

    def drop_expired(self):
        self.model = {k: v for k, v in self.model.items() if v[1] > self.clock.now}

    @rule(key=st.sampled_from("abcdef"), ttl=st.sampled_from([1, 5, 50]))
    def put(self, key, ttl):
        self.store.put(key, key.encode(), ttl)
        self.model.pop(key, None)
        self.drop_expired()
        self.model[key] = key.encode(), self.clock.now + ttl
        if len(self.model) > 3:
            del self.model[next(iter(self.model))]

    @rule(key=st.sampled_from("abcdef"))
    def get(self, key):
        self.drop_expired()
        item = self.model.pop(key, None)
        if item:
            self.model[key] = item
        assert self.store.get(key) == (item and item[0])

    @rule(seconds=st.sampled_from([0.5, 1, 7]))
    def wait(self, seconds):
        self.clock.now += seconds


CHECKS = settings(
    deadline=None,
    max_examples=examples(60),
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.hypothesis
def test_memory_is_like_a_dict():
    Likeness.make = staticmethod(lambda clock: MemoryStore(clock=clock))
    run_state_machine_as_test(Likeness, settings=CHECKS)


@pytest.mark.hypothesis
def test_a_file_is_like_a_dict(path):
    Likeness.make = staticmethod(lambda clock: SqliteStore(path, clock=clock))
    run_state_machine_as_test(Likeness, settings=CHECKS)


def test_memory_is_like_a_dict_with_a_bound():
    run_state_machine_as_test(Bounded, settings=CHECKS)


# -- memory alone


def test_memory_drops_the_least_recently_used():
    store = MemoryStore(3)
    for key in "abc":
        store.put(key, b"1", 60)
    store.get("a")
    store.put("d", b"1", 60)
    assert [store.get(key) for key in "abcd"] == [b"1", None, b"1", b"1"]


def test_memory_does_not_grow_with_updates_of_one_key():
    store = MemoryStore()
    for _ in range(1000):
        store.update("k", count)
    assert len(store._expiries) < 100


def test_memory_frees_what_is_over_at_the_next_write(clock):
    store = MemoryStore(clock=clock)
    for number in range(100):
        store.put(str(number), b"1", 10)
    clock.now += 10
    store.put("k", b"1", 10)
    assert len(store._items) == len(store._expiries) == 1


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
    monkeypatch.setattr("toolwright.stores.sqlite._WAIT", 0.0)
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


# -- processes

WORK = """
import sys
from toolwright.stores import SqliteStore
print("ready", flush=True)
sys.stdin.readline()
store = SqliteStore(sys.argv[1])
for _ in range(200):
    store.update("k", lambda old: (b"%d" % (int(old or 0) + 1), 60))
store.close()
"""


def test_processes_lose_no_update(path):
    command = [sys.executable, "-c", WORK, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    workers = [subprocess.Popen(command, **pipes) for _ in range(3)]
    for worker in workers:
        worker.stdout.readline()
    for worker in workers:
        worker.stdin.close()
    assert [worker.wait(60) for worker in workers] == [0, 0, 0]
    for worker in workers:
        worker.stdout.close()
    store = SqliteStore(path)
    assert store.get("k") == b"600"
    store.close()


FORK = """
import os, sys, threading
from toolwright.stores import MemoryStore, SqliteStore

store, memory = SqliteStore(sys.argv[1]), MemoryStore()
count = lambda old: (b"%d" % (int(old or 0) + 1), 60)
done = threading.Event()

def work():
    while not done.is_set():
        store.update("thread", count)
        memory.update("thread", count)

thread = threading.Thread(target=work)
thread.start()
children = []
for _ in range(10):
    child = os.fork()
    if not child:
        for _ in range(20):
            store.update("k", count)
            memory.update("k", count)
        store.close()
        os._exit(0 if memory.get("k") == b"20" else 1)
    children.append(child)
    store.update("k", count)
codes = [os.waitpid(child, 0)[1] for child in children]
done.set()
thread.join()
assert codes == [0] * 10, codes
assert store.get("k") == b"210", store.get("k")
assert memory.get("k") is None
assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_in_the_midst_of_work_is_safe(path):
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK, str(path)]
    subprocess.run(command, check=True, timeout=60)


def test_a_fork_that_python_does_not_see_is_told(path, monkeypatch):
    store = SqliteStore(path)
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(OSError, match=f"{path}.*forked"):
        store.get("k")
    monkeypatch.undo()
    store.close()


def test_a_store_that_is_dropped_closes_its_file(path):
    store = SqliteStore(path)
    store.put("k", b"1", 60)
    del store
    gc.collect()
    assert os.listdir(path.parent) == ["store.db"]


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


def test_sqlite_is_loaded_only_for_a_file():
    code = "import sys, toolwright.stores; toolwright.stores.open_store(None); assert 'sqlite3' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
