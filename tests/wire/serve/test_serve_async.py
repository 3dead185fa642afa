"""Serving inside a program that runs: the same server, ended by cancelling."""

import json
import signal
import subprocess
import sys

import pytest

from tests.unit.serve.test_serve_async import LONGEST
from tests.wire.serve.loop_server import request

PROGRAM = """
import asyncio, signal, sys
from toolwright import Toolbox

# A shell that starts the tests in the background has it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
box = Toolbox("box")

@box.tool
def hello() -> str:
    print("printed")
    return "hello"

async def main():
    beside = asyncio.create_task(asyncio.sleep(1000))
    serving = asyncio.create_task(box.serve_async("stdio"))
    try:
        await serving
    except asyncio.CancelledError:
        print("cancelled", file=sys.stderr)
    beside.cancel()
    print("ended", file=sys.stderr)

asyncio.run(main())
"""


@pytest.mark.parametrize("way", ["input", "SIGINT"])
def test_stdio_is_served_until_its_input_ends_or_it_is_cancelled(way):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([sys.executable, "-c", PROGRAM], **pipes) as ran:
        ran.stdin.write(json.dumps(request("hello")).encode() + b"\n")
        ran.stdin.flush()
        answer = json.loads(ran.stdout.readline())
        assert answer["result"]["content"][0]["text"] == "hello"
        if way == "SIGINT":
            ran.send_signal(signal.SIGINT)
            err = ran.stderr.read()
            assert b"cancelled" in err
            out = ran.stdout.read()
        else:
            out, err = ran.communicate(timeout=LONGEST)
            assert ran.returncode == 0
    assert b"printed" in err
    assert b"ended" in err
    assert out == b""
