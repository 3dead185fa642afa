"""Calls over standard streams, sent by many threads and loops, to servers that read and answer slowly."""

import asyncio
import os
import random
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.counting import examples
from tests.wire.client.test_direct_calls import echoes, script
from tests.wire.processes import until
from toolwright import ServerUnavailable, ToolTimeout
from toolwright.client import connect
from toolwright.client.client import connection_of

# Answers the first messages as a server does; then it reads nothing until a file is there.
DEAF = """
import json, os, sys, time
from pathlib import Path
tool = {"name": "length", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}
answers = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "deaf", "version": "1"}},
    "tools/list": {"tools": [tool]},
}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] in answers:
        result = answers[asked["method"]]
    else:
        Path("pid").write_text(str(os.getpid()))
        while not Path("listen").exists():
            time.sleep(0.01)
        result = {"content": [{"type": "text", "text": str(len(asked["params"]["arguments"]["text"]))}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.mark.promise("client.anywhere")
def test_every_caller_gets_its_own_answer(echoes):
    count = examples(1000)
    chosen = random.Random(7)
    texts = [f"{at}:" + "é" * chosen.choice((0, 10, 1000, 2100, 30_000)) for at in range(count)]

    async def ask_all(part):
        return await asyncio.gather(*(echoes.echo.call_async(text) for text in part))

    with ThreadPoolExecutor(6) as callers:
        waits = [callers.submit(asyncio.run, ask_all(texts[at::4])) for at in (0, 1)]
        answers = dict(enumerate(callers.map(echoes.echo, texts)))
        assert [answers[at] for at in range(count)] == texts
        for at, each in enumerate(waits):
            assert each.result() == texts[at::4]


@pytest.fixture
def deaf(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("deaf.py").write_text(DEAF)
    return [sys.executable, "deaf.py"]


def test_a_server_that_reads_nothing_gets_whole_messages_in_the_end(deaf):
    """What fills the pipe is not lost, and nothing stands in the middle of something else."""
    with connect(deaf, era="handshake") as client:
        sizes = [3000] * 200 + [100_000] + [10] * 200
        with ThreadPoolExecutor(len(sizes)) as callers:
            waits = [callers.submit(client.length, text="x" * size) for size in sizes]
            with pytest.raises(ToolTimeout, match="length: .* gave no answer in 0.2 s"):
                client.call("length", {"text": ""}, timeout=0.2, raise_on_error=True)
            Path("listen").touch()
            assert [int(each.result()) for each in waits] == sizes
        assert int(client.length(text="after")) == 5


def test_a_server_that_is_killed_costs_the_calls_that_wait(deaf):
    with connect(deaf, era="handshake") as client, ThreadPoolExecutor(6) as callers:
        waits = [callers.submit(client.length, text="x") for _ in range(4)]

        async def ask():
            await client.length.call_async(text="x")

        waits.append(callers.submit(asyncio.run, ask()))
        until(
            lambda: Path("pid").exists() and len(connection_of(client).messages.scopes) == 5,
            "all wait",
        )
        os.kill(int(Path("pid").read_text()), signal.SIGKILL)
        Path("listen").touch()  # what was not sent yet goes to the next server
        ends = [each.exception(60) for each in waits]
        lost = [each for each in ends if each is not None]
        assert lost, "the one that the server had begun to answer"
        for each in lost:
            assert isinstance(each, ServerUnavailable)
            assert "was lost" in str(each)
        assert int(client.length(text="again")) == 5
