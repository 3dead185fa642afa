"""Stores: both keep the same promises, alone, among threads, and among processes."""

import math
import sys
import threading

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.counting import examples
from tests.unit.store_makers import Clock, clock, count, path
from toolwright.stores import MemoryStore, SqliteStore, Store

ODD_KEYS = ["", "a", "a%", "a_", "ab", "A", "a\0b", "a\ud800", "a\ud800\udc00", "a\U00010000", "ü"]


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


@pytest.mark.parametrize("most", [0, -1])
def test_a_store_for_nothing_is_refused(make, most):
    with pytest.raises(ValueError, match="at least one item"):
        make(max_items=most)


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
