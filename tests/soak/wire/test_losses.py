"""Killed processes, full and corrupted stores, many installs at once (`make soak`)."""

import asyncio
import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
from collections import Counter

import pytest

from tests.wire.command_files import here, home
from tests.wire.differential import LEGACY, MODERN
from tests.wire.differential_courses import check, posted_newest, quiet, talked
from tests.wire.other_client import Other
from tests.wire.processes import LONGEST, Http, start, until
from tests.wire.run import process_tools
from tests.wire.task_calls import TOOLS, call, computed, ended, get, http, soon, store, waiting

__all__ = ["here", "home", "http", "quiet", "soon", "store"]  # fixtures

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc"),
]

SEED = os.environ.get("TOOLWRIGHT_SEED", "11")


# -- processes that are killed


def test_thirty_kills_of_processes_in_two_hundred_calls():
    """Each call is answered: with its own answer, or with what became of its process."""
    rng = random.Random(SEED)
    counts = Counter()

    async def main():
        async def one(n):
            made = await process_tools.box.call_async("rows", {"count": n})
            if made.error is None:
                counts["right" if made.value == list(range(n)) else "wrong"] += 1
            else:
                assert "was killed by signal 9" in made.text, made.text
                counts["killed"] += 1

        async def kill(calls):
            for _ in range(30):
                await asyncio.sleep(0.02)
                victims = children()
                if victims and not all(each.done() for each in calls):
                    pid = rng.choice(victims)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        counts["kills"] += 1

        turns = asyncio.Semaphore(8)

        async def in_turn(n):
            async with turns:
                await one(n % 50)
                await asyncio.sleep(0.02)

        calls = [asyncio.ensure_future(in_turn(n)) for n in range(200)]
        await asyncio.gather(kill(calls), *calls)

    asyncio.run(main())
    assert counts["wrong"] == 0
    assert counts["right"] + counts["killed"] == 200
    assert counts["kills"] >= 15
    assert counts["killed"] <= counts["kills"]
    assert process_tools.box.call("rows", {"count": 3}).value == [0, 1, 2]


def children():
    """The processes that calls run in."""
    said = subprocess.run(
        ["ps", "-o", "pid=,stat=,args=", "--ppid", str(os.getpid())],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    rows = [line.split(None, 2) for line in said.splitlines()]
    return [int(pid) for pid, state, args in rows if "Z" not in state and "toolwright" in args]


@pytest.mark.usefixtures("soon")
def test_a_server_killed_with_fifty_tasks(store):
    """What had ended is kept; what had not has failed, and says why; others go on."""
    with Http(TOOLS) as server:
        done = [computed(server, store.parent, str(at)) for at in range(10)]
        for number in done:
            ended(server, number)
        lost = [call(server, "slow_compute", seconds=600)["taskId"] for _ in range(40)]
        asking = [call(server, "confirm_delete", filename="x")["taskId"] for _ in range(10)]
        for number in asking:
            waiting(server, number)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait(LONGEST)
    with Http(TOOLS) as server:
        for at, number in enumerate(done):
            assert get(server, number)["result"]["content"][0]["text"] == f"computed {at}"
        for number in [*lost, *asking]:
            task = ended(server, number)
            assert task["status"] == "failed"
            assert task["error"]["message"] == "the server was stopped while this task ran"
        assert call(server, "slow_compute", seconds=0)["content"][0]["text"] == "computed "


# -- stores that are full or corrupted

KEPT = """
from toolwright import Toolbox
box = Toolbox("kept", store="sqlite:///{path}")

@box.tool(cache=60)
def kept(n: int) -> str:
    return str(n) * 1000

@box.tool
async def echo(n: int) -> int:
    return n
"""


@pytest.fixture
def kept(tmp_path):
    (tmp_path / "kept.py").write_text(KEPT.format(path=tmp_path / "cache.db"))
    with Http(tmp_path / "kept.py") as server:
        yield server, tmp_path / "cache.db"


def calls_go_on(server, path, count):
    """Calls are answered whatever the store does, or with one line that names no file."""
    with Other(server) as other:
        for n in range(count):
            made = server.call("kept", n=n)
            text = made["content"][0]["text"]
            if made.get("isError"):
                assert len(text.splitlines()) == 1
                assert str(path.parent) not in text
            else:
                assert text == str(n) * 1000
            other.call()
    assert server.process.poll() is None, server.said()


def test_a_store_on_a_disk_that_is_full(kept):
    server, path = kept
    calls_go_on(server, path, 20)
    size = max(path.stat().st_size, 1)
    limits = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, limits[1]))
    calls_go_on(server, path, 200)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, limits)
    calls_go_on(server, path, 20)


@pytest.mark.parametrize("how", ["noise", "empty", "gone"])
def test_a_store_that_is_corrupted_under_calls(kept, how):
    server, path = kept
    calls_go_on(server, path, 50)
    rng = random.Random(SEED)
    if how == "gone":
        for each in path.parent.glob("cache.db*"):
            each.unlink()
    else:
        # Not the file of memory that processes share: the system ends whoever reads past its end.
        for each in (path, path.with_name("cache.db-wal")):
            with each.open("r+b") as file:
                size = each.stat().st_size
                if how == "empty":
                    file.truncate(0)
                    continue
                for _ in range(50):
                    file.seek(rng.randrange(max(size - 200, 1)))
                    file.write(rng.randbytes(200))
    calls_go_on(server, path, 100)


# -- installs, and the two paths


def test_thirty_installs_at_once(home, tmp_path):
    started = [
        start(
            *["install", "cursor", "shop.py", "--config", "all.json", "--name", f"s{at}"],
            stdout=subprocess.DEVNULL,
        )
        for at in range(30)
    ]
    assert [each.wait(LONGEST) for each in started] == [0] * 30
    servers = json.loads((tmp_path / "all.json").read_text())["mcpServers"]
    assert sorted(servers) == sorted(f"s{at}" for at in range(30))


def test_five_thousand_random_requests_are_answered_alike():
    """Other requests than those of every day: `TOOLWRIGHT_SEED` chooses them."""
    compared = 0
    for era in (*LEGACY, MODERN):
        pair = talked(era, f"soak {SEED}")
        check(pair)
        compared += pair.tally["compared"]
    at = 0
    while compared < 5000:
        at += 1
        pair = posted_newest(f"soak {SEED} {at}", stateless=bool(at % 2))
        check(pair)
        compared += pair.tally["compared"]


def test_a_server_that_lost_its_store_serves_the_rest(kept):
    server, path = kept
    path.unlink()
    path.mkdir()
    calls_go_on(server, path, 20)
    until(lambda: server.call("echo", n=1)["content"][0]["text"] == "1", "others are answered")
