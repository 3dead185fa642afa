"""Wall clocks that step, and servers that are silent for a while: durations stay what they are."""

import pytest

from toolwright.errors import Overloaded
from toolwright.limits import Rate
from toolwright.run.throttle import RateLimit
from toolwright.serve.sdk.task_records import TaskRecords
from toolwright.stores import MemoryStore, SqliteStore


class Foreign:
    """A store of somebody else, which has no clock of its own."""

    blocking = False

    def __init__(self):
        self.inner = MemoryStore()

    def update(self, key, change):
        return self.inner.update(key, change)


@pytest.mark.parametrize("step", [-3600, -1e8])
def test_a_rate_in_any_store_survives_a_step_back(step):
    now = [1e9]
    gate = RateLimit("tool", Rate(2, 10), Foreign(), clock=lambda: now[0])
    gate.take("ada")
    gate.take("ada")
    with pytest.raises(Overloaded):
        gate.take("ada")
    now[0] += step
    with pytest.raises(Overloaded):
        gate.take("ada")
    now[0] += 10
    gate.take("ada")


def test_what_is_no_rate_in_the_store_is_nobodys_rate():
    store = MemoryStore()
    gate = RateLimit("tool", Rate(1, 10), store)
    store.put("rate:tool:ada", b"noise", 60)
    gate.take("ada")
    with pytest.raises(Overloaded):
        gate.take("ada")


@pytest.fixture
def clock():
    return [1e9]


@pytest.fixture
def store(tmp_path, clock):
    made = SqliteStore(tmp_path / "tasks.db", clock=lambda: clock[0])
    yield made
    made.close()


@pytest.mark.promise("everyday.task-silent")
def test_a_server_that_is_silent_for_long_is_not_dead(store, clock):
    """It holds the GIL, or is stopped, or its machine slept: its process is still there."""
    mine, other = TaskRecords(store, "box", keep=60), TaskRecords(store, "box", keep=60)
    number = mine.create("ada", 500)["taskId"]
    clock[0] += 1000
    assert other.read(number, "ada")["status"] == "working"
    mine.end(number, "completed", result={"content": []})
    assert other.read(number, "ada")["status"] == "completed"


def test_a_process_that_cannot_be_seen_is_dead_after_a_minute_and_stays_so(
    store, clock, monkeypatch
):
    """Another machine or container: only its silence is known, and the first verdict stands."""
    monkeypatch.setattr("toolwright.serve.sdk.task_records.lives", lambda sign: None)
    mine, other = TaskRecords(store, "box", keep=600), TaskRecords(store, "box", keep=600)
    number = mine.create("ada", 500)["taskId"]
    clock[0] += 50
    assert other.read(number, "ada")["status"] == "working"
    clock[0] += 11
    verdict = other.read(number, "ada")
    assert verdict["status"] == "failed"
    assert mine.end(number, "completed", result={})["status"] == "failed"
    assert mine.read(number, "ada") == other.read(number, "ada") == verdict
