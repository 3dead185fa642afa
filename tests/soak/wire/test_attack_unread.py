"""A client on stdio that sends calls and never reads: what waits for it is bounded."""

import contextlib
import json
import os
import select
import signal
import threading
from pathlib import Path

import pytest

from tests.wire.processes import MODERN, Stdio, until

TOOLS = """
from toolwright import tool

@tool(run_on="inline")
def long(n: int) -> str:
    return "x" * n

@tool
def slow(n: int) -> str:
    return "x" * n

@tool
async def awaited(n: int) -> str:
    return "x" * n
"""
SIZE = 90_000
CALLS = 700
BOUND = 32 * 1024 * 1024


@pytest.fixture
def tools(tmp_path):
    target = tmp_path / "tools.py"
    target.write_text(TOOLS)
    return target


class Flood:
    """Sends calls from a thread of its own, which waits once the server no longer reads."""

    def __init__(self, server, name):
        self.name = name
        self.pipe = server.process.stdin.fileno()
        os.set_blocking(self.pipe, False)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._send, daemon=True)
        server.reads.clear()
        self.thread.start()

    def _send(self):
        data = memoryview(b"".join(self._line(number) for number in range(CALLS)))
        while data and not self.over.is_set():
            if self._has_room(100):
                with contextlib.suppress(BlockingIOError):
                    data = data[os.write(self.pipe, data) :]

    def _line(self, number):
        params = {"name": self.name, "arguments": {"n": SIZE}, "_meta": MODERN}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        return json.dumps(message).encode() + b" " * 2_000 + b"\n"  # more than fits in the pipe

    def _has_room(self, milliseconds):
        poll = select.poll()
        poll.register(self.pipe, select.POLLOUT)
        return bool(poll.poll(milliseconds))

    def stalls(self):
        """Return whether the server has read nothing for a while, though more is there."""
        return not self._has_room(1_000)

    def stop(self):
        """Send no more."""
        self.over.set()
        self.thread.join(60)


def largest(pid):
    """The most memory that a process ever had, in bytes."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) * 1024


@pytest.mark.promise("serve.unread")
def test_a_client_that_never_reads_is_not_read_and_loses_nothing(tools):
    with Stdio(tools, greet=False) as server:
        server.ask("tools/list", {"_meta": MODERN})
        before = largest(server.pid)
        flood = Flood(server, "long")
        until(flood.stalls, "the server stops reading")
        server.reads.set()
        answers = [server.next() for _ in range(CALLS)]
        flood.thread.join(60)
        assert [answer["id"] for answer in answers] == list(range(CALLS))
        assert {len(answer["result"]["content"][0]["text"]) for answer in answers} == {SIZE}
        assert largest(server.pid) - before < BOUND + 16_000_000  # of 63 MB of answers
        assert server.end() == 0


@pytest.mark.parametrize("name", ["slow", "awaited"])
def test_every_call_is_answered_once_the_client_reads(tools, name):
    with Stdio(tools, greet=False) as server:
        server.ask("tools/list", {"_meta": MODERN})
        flood = Flood(server, name)
        until(lambda: flood.stalls() or not flood.thread.is_alive(), "all is sent, or it stalls")
        server.reads.set()
        assert sorted(server.next()["id"] for _ in range(CALLS)) == list(range(CALLS))
        flood.thread.join(60)
        assert server.end() == 0


@pytest.mark.parametrize("how", ["signal", "input"])
def test_a_server_that_waits_for_its_client_to_read_ends_when_told(tools, how):
    with Stdio(tools, greet=False) as server:
        server.ask("tools/list", {"_meta": MODERN})
        flood = Flood(server, "long")
        until(flood.stalls, "the server stops reading")
        flood.stop()
        if how == "signal":
            server.process.send_signal(signal.SIGTERM)
            assert server.process.wait(60) == 0
        else:
            assert server.end() == 0
