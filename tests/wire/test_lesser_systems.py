"""Systems that lack what Linux has for processes: all works there but what cannot."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.processes import LONGEST, announced_port, run, start, until

LIKE_MACOS = ["eventfd", "pidfd_open", "pidfd_send_signal", "waitid"]
LIKE_WINDOWS = [*LIKE_MACOS, "fork", "killpg", "register_at_fork"]
WITHOUT = """
import os, signal

for name in {names}:
    for module in (os, signal):
        if hasattr(module, name):
            delattr(module, name)
"""
TOOLS = """
from toolwright import Process, Toolbox
from toolwright.sources import CommandLine, python_tool

box = Toolbox("tools")


@box.tool
def add(a: int, b: int) -> int:
    return a + b


@box.tool(run_on=Process())
def apart(a: int) -> int:
    return a + 1


box.add(python_tool())
"""
CONNECTED = """
import asyncio, os, sys
from toolwright.client import connect
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings

assert not hasattr(os, "pidfd_open")


async def programs():
    print((await run(["echo", "program"], RunSettings())).stdout)
    sleeping = asyncio.ensure_future(run(["sleep", "600"], RunSettings()))
    await asyncio.sleep(0)
    sleeping.cancel()
    await asyncio.wait([sleeping])
    print("ended")


asyncio.run(programs())
with connect([sys.executable, "-m", "toolwright", "serve", "tools.py"]) as client:
    print(client.add(a=1, b=2), client.apart(a=1), client.python(code="6 * 7"))
with connect(sys.argv[1]) as client:
    print(client.add(a=1, b=2))
"""


@pytest.fixture(params=[LIKE_WINDOWS, LIKE_MACOS])
def lesser(request, tmp_path, monkeypatch):
    """A folder with tools, in which every interpreter lacks these functions."""
    (tmp_path / "sitecustomize.py").write_text(WITHOUT.format(names=request.param))
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "connected.py").write_text(CONNECTED)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return request.param


@pytest.mark.promise("deployment.systems")
def test_calls_and_tests_run_without_what_linux_has(lesser):
    assert run("call", "tools.py", "add", "a=1", "b=2", fresh=True).stdout == "3\n"
    tests = {"tests": [{"tool": "add", "params": {"a": 1, "b": 2}, "expect": {"equals": 3}}]}
    Path("tools-tests.json").write_text(json.dumps(tests))
    done = run("test", "tools.py", fresh=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.promise("deployment.systems")
def test_servers_and_programs_run_and_end_without_what_linux_has(lesser, tmp_path):
    log = tmp_path / "log"
    with (
        log.open("w+") as err,
        start("serve", "tools.py", "--http", "--port", "0", fresh=True, stderr=err) as server,
    ):
        port = announced_port(server, err)
        done = subprocess.run(
            [sys.executable, "connected.py", f"http://127.0.0.1:{port}/mcp"],
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        server.send_signal(signal.SIGTERM)
        until(lambda: server.poll() is not None, "the server to end")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:2] == ["b'program\\n'", "ended"]
    assert done.stdout.splitlines()[2].startswith("3 2 ")
    assert done.stdout.splitlines()[3] == "3"
