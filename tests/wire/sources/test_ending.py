"""Programs end with the call that wanted them, at whatever moment, with all they have started."""

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import uuid
from pathlib import Path

import pytest

from toolwright import CallCancelled, Toolbox, ToolTimeout
from toolwright.sources.command_run import CommandOutput, tool_value
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings

LONGEST = 60

FOREVER = "echo $$; exec sleep 1000"
CHILD = "sleep 1000 & echo $!; wait"
DEAF = "trap '' TERM; echo $$; while :; do sleep 1000; done"
DEAF_CHILD = "trap '' TERM; (trap '' TERM; sleep 1000) & echo $!; trap - TERM; wait"
SESSION = "setsid sh -c 'echo $$; exec sleep 1000' & wait"
DAEMON = "(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1 </dev/null' &) ; sleep 1000"
STOPPED = "echo $$; kill -STOP $$"
LEFT = "sleep 1000 & echo $!"
SHAPES = {
    "alone": FOREVER,
    "child": CHILD,
    "deaf": DEAF,
    "deaf child": DEAF_CHILD,
    "own session": SESSION,
    "daemon": DAEMON,
    "stopped": STOPPED,
    "left behind": LEFT,
    "no environment": "env -i setsid sh -c 'echo $$; exec sleep 1000' & wait",
}


class Watched:
    """Processes whose ends can be waited for, whoever's children they are."""

    def __init__(self):
        self.held = []
        self.came = asyncio.Event()

    def line(self, _, text):
        self.held.append(os.pidfd_open(int(text)))
        self.came.set()

    def have_ended(self):
        ended = [bool(select.select([each], [], [], LONGEST)[0]) for each in self.held]
        for each in self.held:
            os.close(each)
        return bool(ended) and all(ended)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_cancelled_program_ends_with_all_it_started(shape):
    async def main():
        watched = Watched()
        how = RunSettings(end_seconds=0.2)
        task = asyncio.create_task(run(["sh", "-c", SHAPES[shape]], how, watched.line))
        await asyncio.wait_for(watched.came.wait(), LONGEST)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, LONGEST)
        assert watched.have_ended()

    asyncio.run(main())


LEFT_BEHIND = {
    "plain": "sleep 1000 >/dev/null 2>&1 & echo $!",
    "holds the pipes": LEFT,
    "deaf": "(trap '' TERM; while :; do sleep 1000; done) >/dev/null 2>&1 & echo $!",
    "stopped": "sh -c 'kill -STOP $$; sleep 1000' >/dev/null 2>&1 & echo $!",
    "empty environment": "env -i sleep 1000 >/dev/null 2>&1 & echo $!",
}


@pytest.mark.promise("commands.left-behind")
@pytest.mark.parametrize("shape", LEFT_BEHIND)
@pytest.mark.parametrize("code", [0, 3])
def test_what_a_program_leaves_in_its_group_ends_with_the_call(shape, code):
    async def main():
        watched = Watched()
        script = f"{LEFT_BEHIND[shape]}; exit {code}"
        done = await run(["sh", "-c", script], RunSettings(end_seconds=0.2), watched.line)
        assert done.exit_code == code
        assert watched.have_ended()

    asyncio.run(main())


@pytest.mark.promise("commands.daemons")
def test_a_daemon_outlives_a_call_that_ended_by_itself():
    async def main():
        watched = Watched()
        daemon = "setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1 </dev/null'"
        script = f"echo $({daemon} &)"  # waits until it has let go of the pipe
        await run(["sh", "-c", script], RunSettings(end_seconds=0.1), watched.line)
        for thread in threading.enumerate():
            if thread.name == "toolwright-program":
                await asyncio.to_thread(thread.join, LONGEST)
        [held] = watched.held
        assert not select.select([held], [], [], 0)[0]
        signal.pidfd_send_signal(held, signal.SIGKILL)
        assert watched.have_ended()

    asyncio.run(main())


def test_a_program_may_end_by_itself_when_asked_to():
    script = "trap 'echo bye > \"$0\"; exit' TERM; echo $$; while :; do sleep 0.01; done"

    async def main(path):
        watched = Watched()
        how = RunSettings(end_seconds=LONGEST)
        task = asyncio.create_task(run(["sh", "-c", script, path], how, watched.line))
        await asyncio.wait_for(watched.came.wait(), LONGEST)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert watched.have_ended()

    read, write = os.pipe()
    asyncio.run(main(f"/proc/{os.getpid()}/fd/{write}"))
    assert os.read(read, 10) == b"bye\n"
    os.close(read)
    os.close(write)


def test_a_stopped_program_hears_that_it_is_to_end():
    async def main():
        watched = Watched()
        how = RunSettings(end_seconds=3600)
        task = asyncio.create_task(run(["sh", "-c", STOPPED], how, watched.line))
        await asyncio.wait_for(watched.came.wait(), LONGEST)
        task.cancel()
        await asyncio.wait([task], timeout=LONGEST)
        assert task.cancelled()
        assert watched.have_ended()

    asyncio.run(main())


def test_a_second_cancellation_kills_at_once():
    async def main():
        watched = Watched()
        how = RunSettings(end_seconds=3600)
        task = asyncio.create_task(run(["sh", "-c", DEAF], how, watched.line))
        await asyncio.wait_for(watched.came.wait(), LONGEST)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, LONGEST)
        assert watched.have_ended()

    asyncio.run(main())


def processes_with(word):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                found.append(folder.name)
    return found


@pytest.mark.parametrize("steps", range(6))
def test_cancelled_while_it_starts(steps):
    """Whenever it is cancelled, nothing is left of it."""
    unlike = f"1000.{uuid.uuid4().int}"

    async def main():
        task = asyncio.create_task(run(["sleep", unlike], RunSettings(end_seconds=0.2)))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, LONGEST)
        assert processes_with(unlike) == []

    asyncio.run(main())


def test_cancelled_while_it_is_written_to():
    async def main():
        watched = Watched()
        how = RunSettings(stdin=b"x" * 10_000_000, end_seconds=0.2)
        task = asyncio.create_task(run(["sh", "-c", FOREVER], how, watched.line))
        await asyncio.wait_for(watched.came.wait(), LONGEST)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, LONGEST)
        assert watched.have_ended()

    asyncio.run(main())


def test_a_daemon_that_holds_the_pipes_does_not_hold_the_answer():
    script = "sleep 1000 & echo $! >&2; echo done; exit 4"

    async def main():
        return await asyncio.wait_for(run(["sh", "-c", script], RunSettings()), LONGEST)

    came = asyncio.run(main())
    os.kill(int(came.stderr), signal.SIGKILL)  # it was left alone: it may be what was wanted
    assert (came.exit_code, came.stdout) == (4, b"done\n")


def test_a_program_that_closes_its_output_is_waited_for():
    came = asyncio.run(run(["sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 5"], RunSettings()))
    assert came.exit_code == 5


def test_a_program_ends_if_its_output_cannot_be_read(monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("toolwright.sources.watched_process.OutputBytes.add", fail)

    async def main():
        await asyncio.wait_for(run(["sh", "-c", CHILD], RunSettings()), LONGEST)

    with pytest.raises(MemoryError):
        asyncio.run(main())


# -- through a toolbox


def sleeper(timeout=None):
    box, pids = Toolbox("b"), []
    came = threading.Event()

    def line(_, text):
        pids.append(os.pidfd_open(int(text)))
        came.set()

    @box.tool(timeout=timeout)
    async def sleep() -> CommandOutput:
        how = RunSettings(end_seconds=0.2)
        return tool_value("sleep", await run(["sh", "-c", CHILD], how, line))

    def ended():
        assert came.wait(LONGEST)
        [held] = pids
        try:
            return bool(select.select([held], [], [], LONGEST)[0])
        finally:
            os.close(held)

    return box, came, ended


def test_the_deadline_ends_it():
    box, _, ended = sleeper(timeout=1.0)
    result = box.call("sleep")
    assert isinstance(result.error, ToolTimeout)
    assert ended()


def test_a_cancelled_call_ends_it():
    box, came, ended = sleeper()

    async def main():
        task = asyncio.create_task(box.call_async("sleep"))
        await asyncio.to_thread(came.wait, LONGEST)
        task.cancel()
        try:
            result = await task
        except asyncio.CancelledError:
            return
        assert isinstance(result.error, CallCancelled)

    asyncio.run(main())
    assert ended()


# -- a server that ends


SERVER = """
import asyncio, os, signal, sys
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings

def line(_, text):
    print(text, flush=True)
    if sys.argv[1] == "exit":
        sys.stdin.read()
        raise SystemExit
    if sys.argv[1] == "abandon":
        sys.stdin.read()
        asyncio.get_running_loop().stop()

async def main():
    await run(["sh", "-c", sys.argv[2]], RunSettings(), line)

if sys.argv[1] == "abandon":
    loop = asyncio.new_event_loop()
    task = loop.create_task(main())
    loop.run_forever()
else:
    asyncio.run(main())
"""


def test_the_guard_ends_with_its_server_and_holds_nothing_of_it():
    code = """
import asyncio, os
from toolwright.sources.watched_process import guard
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings
asyncio.run(run(["true"], RunSettings()))
os.write(1, b"done")
os._exit(0)
"""
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    with server:
        assert server.stdout.read() == b"done"  # to its end: nobody else holds it


def test_a_guard_that_was_killed_is_replaced():
    code = """
import asyncio, os, subprocess, signal
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings

def guards():
    listed = subprocess.run(["ps", "-ww", "-o", "pid,args", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "_process.py" in line]

async def main():
    await run(["true"], RunSettings())
    [first] = guards()
    os.kill(first, signal.SIGKILL)
    os.waitpid(first, 0)
    for _ in range(3):
        await run(["true"], RunSettings())
    [second] = guards()
    print(first != second)

asyncio.run(main())
"""
    came = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert came.stdout == "True\n"


def test_a_forked_copy_has_a_guard_of_its_own():
    """A copy that lives on must not keep the parent's guard from seeing that the parent is gone."""
    code = SERVER.replace(
        "    print(text, flush=True)\n",
        "    if os.fork() == 0:\n"
        "        os.close(1); os.open('/dev/null', 1)\n"
        "        import time; time.sleep(600)\n"
        "    print(text, flush=True)\n",
    )
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", code, "signal", FOREVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    with server:
        held = os.pidfd_open(int(server.stdout.readline()))
        server.kill()
        server.wait(LONGEST)
        assert select.select([held], [], [], LONGEST)[0]
        os.killpg(server.pid, signal.SIGKILL)
    os.close(held)
