"""Wall clocks that step, and servers that are silent for a while: durations stay what they are."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from toolwright.limits import Rate
from toolwright.errors import Overloaded
from toolwright.run.policies.rate import RateLimit
from toolwright.serve.tasks.records import TaskRecords
from toolwright.stores import MemoryStore, SqliteStore

PROGRAM = Path(__file__).with_name("clock_steps.py")


@pytest.mark.soak
@pytest.mark.promise("limit.clock")
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_clock_that_steps_changes_no_duration(kind, tmp_path):
    done = subprocess.run(
        [sys.executable, PROGRAM, kind, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert [what for what, held in seen.items() if not held] == []


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


CREATE = """
import sys
from toolwright.serve.tasks.records import TaskRecords
from toolwright.stores import SqliteStore
store = SqliteStore(sys.argv[1])
print(TaskRecords(store, "box", keep=60).create("ada", 500)["taskId"])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="knows processes from /proc")
def test_a_task_whose_process_is_gone_has_failed_at_once(tmp_path):
    path = tmp_path / "tasks.db"
    made = [sys.executable, "-c", CREATE, str(path)]
    done = subprocess.run(made, capture_output=True, text=True, check=True)
    store = SqliteStore(path)
    first = TaskRecords(store, "box", keep=60).read(done.stdout.strip(), "ada")
    assert first["status"] == "failed"
    assert TaskRecords(store, "box", keep=60).read(done.stdout.strip(), "ada") == first
    store.close()


def test_a_process_that_cannot_be_seen_is_dead_after_a_minute_and_stays_so(
    store, clock, monkeypatch
):
    """Another machine or container: only its silence is known, and the first verdict stands."""
    monkeypatch.setattr("toolwright.serve.tasks.records.lives", lambda sign: None)
    mine, other = TaskRecords(store, "box", keep=600), TaskRecords(store, "box", keep=600)
    number = mine.create("ada", 500)["taskId"]
    clock[0] += 50
    assert other.read(number, "ada")["status"] == "working"
    clock[0] += 11
    verdict = other.read(number, "ada")
    assert verdict["status"] == "failed"
    assert mine.end(number, "completed", result={})["status"] == "failed"
    assert mine.read(number, "ada") == other.read(number, "ada") == verdict
