"""Lifespans: entered once, left on close, on any loop."""

import subprocess
import sys

import pytest

from tests.wire.processes import run_script

LEFT_OPEN = """
import asyncio, sys, threading
from toolwright import Toolbox

def opened(name, seconds=0.0):
    async def lifespan():
        yield name
        await asyncio.sleep(seconds)
        print("closed", name, threading.current_thread().name)
    box = Toolbox(name, lifespan=lifespan)
    @box.tool
    def state() -> str:
        return str(box.state)
    assert box.call("state").text == name
    return box

slow = opened("slow", 600) if sys.argv[1:] else None
first, second = opened("first"), opened("second")
"""


@pytest.mark.promise("call.lifespan")
@pytest.mark.parametrize("slow", [[], ["slow"]])
def test_what_sync_callers_leave_open_is_closed_when_the_process_ends(tmp_path, slow):
    script = tmp_path / "left_open.py"
    script.write_text(LEFT_OPEN)
    command = [sys.executable, script, *slow]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == ""
    assert done.stdout == "closed second toolwright-loop\nclosed first toolwright-loop\n"


DROPPED = """
import gc, threading
from toolwright import Toolbox

closed = threading.Event()

async def lifespan():
    yield "db"
    closed.set()

def use_and_drop():
    box = Toolbox("b", lifespan=lifespan)
    box.add(threading.active_count)
    for _ in range(3):
        box.call("active_count")
        box.close()
        closed.clear()
    box.call("active_count")

use_and_drop()
gc.collect()
print(closed.wait(60))
"""


def test_a_toolbox_that_is_dropped_does_not_leave_its_lifespan_open(tmp_path):
    script = tmp_path / "dropped.py"  # the tests keep the tools of this process
    script.write_text(DROPPED)
    done = run_script(script)
    assert (done.stdout, done.stderr) == ("True\n", "")
