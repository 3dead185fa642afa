"""Wall clocks that step, and servers that are silent for a while: durations stay what they are."""

import subprocess
import sys

import pytest

from tests.unit.run.test_attack_clock import clock, store
from toolwright.serve.sdk.task_records import TaskRecords
from toolwright.stores import SqliteStore

CREATE = """
import sys
from toolwright.serve.sdk.task_records import TaskRecords
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
