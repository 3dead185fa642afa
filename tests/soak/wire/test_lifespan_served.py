"""Lifespans of servers: entered at the start, left on every way out."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.wire.processes import LONGEST, Http, Stdio, start, until
from tests.wire.test_lifespan_served import BAD, here, noted


@pytest.mark.promise("lifespan.every-end")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
@pytest.mark.parametrize("kind", [Stdio, Http])
def test_every_signal_that_ends_a_server_leaves_it(here, kind, number):
    with kind("life.py") as server:
        until(noted, "the lifespan is open")
        server.process.send_signal(number)
        assert server.process.wait(LONGEST) == 0
        assert "Traceback" not in server.said()
    assert noted() == ["open", "close"]


def test_each_worker_has_its_own(here):
    with Http("life.py", "--workers", "2") as server:
        until(lambda: noted() == ["open", "open"], "both workers have opened it")
        assert server.call("state")["structuredContent"] != server.pid
    assert noted() == ["open", "open", "close", "close"]


def test_workers_that_cannot_open_it_end_the_start(here):
    Path("life.py").write_text(BAD)
    pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    command = ("serve", "life.py", "--http", "--port", "0", "--workers", "2")
    with start(*command, stdin=subprocess.DEVNULL, **pipes) as process:
        _, said = process.communicate(timeout=LONGEST)
        assert process.returncode == 1
    lines = said.decode().splitlines()
    assert "toolwright: the lifespan of life failed to open: RuntimeError: no database" in lines
    assert lines[-1] == "toolwright: a worker cannot start"
    assert "Traceback" not in said.decode()
