"""`toolwright serve` as users run it: on stdio, over HTTP, and refused where it is not safe."""

import json
import os
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.wire.cli.test_command_serve import answers
from tests.wire.command_files import here
from tests.wire.processes import (
    INITIALIZE,
    LONGEST,
    Http,
    announced_port,
    is_running,
    start,
    until,
    written,
)


@pytest.mark.promise("serve.workers")
def test_several_workers_share_a_socket_and_keep_no_sessions(here):
    here({"who.py": "import os\ndef who() -> int:\n    return os.getpid()\n"})
    with Http("who.py", "--workers", "2") as server:
        until(lambda: len(children(server.pid)) == 2, "two workers")
        seen = set()
        until(lambda: seen.add(server.call("who")["structuredContent"]) or len(seen) == 2, "both")
        assert seen == set(children(server.pid))
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        status, body = server.asked(server.request(body=json.dumps(hello).encode()))
        assert status == 200
        assert b'"listChanged":false' in body.replace(b" ", b"")
        # One dies: the others answer, and another takes its place.
        until(lambda: started_before(server.pid, 2), "they have run for a while")
        os.kill(min(seen), signal.SIGKILL)
        assert server.call("who")["structuredContent"] > 0
        until(lambda: len(set(children(server.pid)) - {min(seen)}) == 2, "a new worker")
        both = children(server.pid)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(LONGEST) == 0
        assert not any(map(is_running, both))


@pytest.mark.promise("serve.workers-announced")
def test_the_address_is_said_once_every_worker_answers(here):
    gated = """
import asyncio, os
from pathlib import Path
from toolwright import Toolbox

async def wait(box):
    try:
        os.close(os.open("first", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        Path("second").touch()
        while not Path("open").exists():
            await asyncio.sleep(0.02)
    yield

box = Toolbox("gated", lifespan=wait)

@box.tool
def who() -> int:
    return os.getpid()
"""
    here({"gated.py": gated})
    command = ("serve", "gated.py", "--http", "--port", "0", "--workers", "2")
    with tempfile.TemporaryFile() as log:
        with start(*command, stdin=subprocess.DEVNULL, stdout=log, stderr=log) as server:
            try:
                until(Path("second").exists, "one worker waits, the other does not")
                assert written(log) == ""
                Path("open").touch()
                port = announced_port(server, log)
                socket.create_connection(("127.0.0.1", port)).close()
            finally:
                server.terminate()


def test_workers_end_though_whoever_started_them_was_killed(here):
    with Http("shop.py", "--workers", "2") as server:
        both = until(lambda: len(found := children(server.pid)) == 2 and found, "two workers")
        server.process.kill()
        until(lambda: not any(is_running(pid) for pid in both), "they end")


def children(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(each) for each in found if is_running(each)]


def started_before(pid, seconds):
    """Return whether all children of a process have run for so long."""
    up = float(Path("/proc/uptime").read_text().split()[0])
    ticks = os.sysconf("SC_CLK_TCK")
    try:
        began = [
            int(Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()[19]) / ticks
            for each in children(pid)
        ]
    except OSError:  # one has just ended
        return False
    return all(up - each > seconds for each in began)


def test_workers_that_die_young_do_not_end_the_server(here):
    here(
        {
            "die.py": "import os\ndef die() -> int:\n    os._exit(3)\ndef ok() -> int:\n    return 1\n"
        }
    )
    with Http("die.py", "--workers", "2") as server:
        until(lambda: started_before(server.pid, 2) and children(server.pid), "they have lived")
        for _ in range(4):
            server.asked(server.message("tools/call", {"name": "die", "arguments": {}}))
        until(lambda: answers(server), "another one answers")
        assert server.process.poll() is None


def test_workers_start_where_the_command_did(here):
    here({"sub/inner.py": "def ok() -> int:\n    return 1\n"})
    with Http("inner.py", "--folder", "sub", "--workers", "2") as server:
        until(lambda: answers(server), "a worker answers")
