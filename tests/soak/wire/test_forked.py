"""A command that is forked for a test behaves as the one that users start."""

import json
import os
import pty
import subprocess
import sys

import pytest

from tests.wire.processes import run, start
from tests.wire.test_forked import probe

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")


def test_it_begins_in_the_same_state(probe, monkeypatch):
    monkeypatch.setenv("A_NEW_VARIABLE", "ü")
    sent = ("call", "probe.py", "state")
    real = run(*sent, fresh=True, stdin="a\nb")
    made = run(*sent, stdin="a\nb")
    assert '"input": "a\\nb"' in real.stdout
    assert (made.returncode, made.stdout, made.stderr) == (0, real.stdout, real.stderr)
    assert real.stderr == "ended\n"
    assert made.args == real.args


@pytest.mark.parametrize("how", ["exit", "SIGKILL", "SIGTERM", "SIGINT", "SIGSEGV"])
def test_it_ends_in_the_same_way(probe, how):
    sent = ("call", "probe.py", "leave", f"how={how}")
    ends = [run(*sent, fresh=fresh) for fresh in (True, False)]
    seen = [(each.returncode, each.stdout, each.stderr) for each in ends]
    assert seen[0] == seen[1]
    assert seen[0][0] != 0


ENDS = """
import atexit, os, sys, threading

class Last:
    def __del__(self):
        os.write(2, b"taken apart\\n")

LAST = Last()
LAST.own = LAST
threading.kept = open(os.dup(2), "w")
threading.kept.write("what nobody flushed\\n")

def outlive():
    threading.main_thread().join()
    os.write(2, b"; the thread\\n")

threading.Thread(target=outlive).start()
atexit.register(os.write, 2, b"first registered\\n")
atexit.register(os.write, 2, b"then registered\\n")

def leave(how: str) -> str:
    sys.stderr.write("no line")
    if how == "unawaited":
        never()
    return how

async def never():
    pass
"""


@pytest.mark.parametrize("how", ["plain", "unawaited", "closed"])
def test_what_it_leaves_is_taken_apart_in_the_same_order(probe, how):
    probe.write_text(ENDS)
    seen = []
    for fresh in (True, False):
        ours, theirs = os.pipe()
        streams = {"stdout": theirs, "stderr": subprocess.PIPE}
        with start("call", "probe.py", "leave", f"how={how}", fresh=fresh, **streams) as process:
            os.close(theirs)
            if how == "closed":
                os.close(ours)
            said = process.stderr.read()
            seen.append((process.wait(), said, how == "closed" or os.read(ours, 99)))
        if how != "closed":
            os.close(ours)
    assert seen[0] == seen[1]
    ended = [b"; the thread", b"then registered", b"first registered", b"taken apart"]
    assert seen[0][1].endswith(b"\n".join([*ended, b"what nobody flushed\n"]))


def test_it_has_the_same_streams_on_a_terminal(probe):
    seen = []
    for fresh in (True, False):
        ours, theirs = pty.openpty()
        streams = dict.fromkeys(("stdin", "stderr"), theirs)
        with start(
            "call", "probe.py", "state", fresh=fresh, stdout=subprocess.PIPE, **streams
        ) as process:
            os.write(ours, b"\x04")
            seen.append(json.loads(process.stdout.read())["streams"])
        os.close(ours)
        os.close(theirs)
    assert seen[0] == seen[1]
    assert seen[0][0][5]
