"""Tools in processes: isolated, killable, with everything a tool in a thread has."""

import asyncio
import os
import subprocess
import sys
import textwrap

import pytest

from tests.wire.processes import gone
from tests.wire.run.process_tools import box
from tests.wire.run.test_processes import _ended, written
from toolwright import ToolTimeout

linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of a process need Linux")


@pytest.mark.parametrize("way", ["call", "call_async"])
def test_a_deadline_kills_even_code_that_holds_the_gil(tmp_path, way):
    path = tmp_path / "pid"
    box.call("where")  # a process is there: the deadline is not spent on starting one
    sent = {"path": str(path)}
    made = box.call("spins", sent) if way == "call" else asyncio.run(box.call_async("spins", sent))
    assert isinstance(made.error, ToolTimeout)
    if path.exists():
        gone(written(path)[0])
    assert box.call("where").value > 0


@linux
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("memory", "hungry needs more memory than its limit of 1000000000 bytes"),
        ("cpu", "hungry used more than 0.2 s of processor time"),
    ],
)
def test_memory_and_processor_time_are_limited(kind, said):
    assert box.call("hungry", {"kind": kind}).text == said
    assert box.call("hungry", {"kind": ""}).value == 1


def test_a_script_run_by_itself_works_and_leaves_nothing_behind(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import os
        from toolwright import Toolbox
        box = Toolbox("script")

        @box.tool(run_on="process")
        def where() -> int:
            return os.getpid()

        if __name__ == "__main__":
            print(os.getpid(), box.call("where").value)
        """),
        encoding="ascii",
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=60
    )
    parent, child = map(int, done.stdout.split())
    assert parent != child
    gone(child)


def test_children_end_when_their_parent_is_killed(tmp_path):
    path = tmp_path / "pids"
    code = f"from tests.wire.run.process_tools import box; box.call('waits', {{'path': {str(path)!r}}})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, "-c", code], env=environment)
    pids = written(path)
    parent.kill()
    parent.wait()
    for pid in pids:
        gone(pid)
