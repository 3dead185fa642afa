"""Hostile arguments sent to real servers: others are answered while they are read."""

import json
import threading
from pathlib import Path

import pytest

from tests.wire.other_client import SECONDS, Other
from tests.wire.processes import Http, Stdio

TOOLS = Path(__file__).parents[2] / "wire" / "argued_tools.py"
PATHS = {"short": [], "sdk": ["--sdk"]}
TRIES = 10
TURNS = 150
ENOUGH = 3
"""Answers to others while one hostile request is read; at most one when the loop reads it."""

# Made where they are sent: whoever collects the tests makes none of them.
LARGE = {
    "unknown arguments": lambda: {f"k{at}": 1 for at in range(280_000)},
    "faults": lambda: {"items": [True] * 600_000},
}
KINDS = [
    ("unknown arguments", "add"),
    ("faults", "add_async"),
    ("unknown arguments", "add_async"),
    ("faults", "add"),
]
SLOW = {
    "fence": lambda: {"a": "```" + "\n" * 5000},
    "many fences": lambda: {"items": ["```" + "\n" * 1500] * 1200},
    "escaped twice": lambda: {
        "items": json.dumps(json.dumps([f'say "{at}"' for at in range(2500)]))
    },
    "long integers": lambda: {
        "items": [10**4000 + at for at in range(900)],
        "tree": "```" + "\n" * 5000,
    },
    "digits": lambda: {"a": "1" * 1_000_000},
}


@pytest.fixture(scope="module", params=["short", "sdk"])
def over_http(request):
    with Http(TOOLS, *PATHS[request.param]) as server:
        yield server


@pytest.fixture(scope="module", params=["short", "sdk"])
def over_stdio(request):
    with Stdio(TOOLS, *PATHS[request.param]) as server:
        yield server


def answered_meanwhile(server, other, name, arguments):
    """Send a hostile request; count the calls of another client that begin and end meanwhile."""
    data = server.message("tools/call", {"name": name, "arguments": arguments})
    over = threading.Event()
    came = []

    def wait(connection):
        try:
            while chunk := connection.recv(1 << 16):
                over.set()
                came.append(chunk)
        finally:
            over.set()

    with server.connect(SECONDS) as connection:
        connection.sendall(data[:-1])
        for _ in range(TURNS):  # after so many turns of its loop the server has all but the last
            other.call()
        waits = threading.Thread(target=wait, args=(connection,))
        waits.start()
        connection.sendall(data[-1:])
        count = -1
        while not over.is_set():
            count += 1
            other.call()
        waits.join(SECONDS)
    assert b"isError" in b"".join(came)
    return count


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_others_are_answered_while_a_large_body_is_read(over_http, kind, name):
    counts = []
    with Other(over_http) as other:
        while not counts or (max(counts) < ENOUGH and len(counts) < TRIES):
            counts.append(answered_meanwhile(over_http, other, name, LARGE[kind]()))
    assert max(counts) >= ENOUGH, counts


@pytest.mark.parametrize("kind", SLOW)
def test_a_body_that_took_minutes_is_answered(over_http, kind):
    with Other(over_http) as other:
        answered_meanwhile(over_http, other, "add", SLOW[kind]())


def answered_before(server, name, arguments):
    """Send a hostile line and small calls; count those that are answered before it."""
    hostile = server.begin("tools/call", {"name": name, "arguments": arguments})
    small = [
        server.begin("tools/call", {"name": "echo", "arguments": {"n": at}}) for at in range(20)
    ]
    count, waited, before = 0, {hostile, *small}, True
    while waited:
        message = server.next(SECONDS)
        assert message is not None, server.said()[-500:]
        waited.discard(message["id"])
        before = before and message["id"] != hostile
        count += before
    return count


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_later_calls_are_answered_while_a_large_line_is_read(over_stdio, kind, name):
    counts = []
    while not counts or (max(counts) < ENOUGH and len(counts) < TRIES):
        counts.append(answered_before(over_stdio, name, LARGE[kind]()))
    assert max(counts) >= ENOUGH, counts


@pytest.mark.parametrize("kind", SLOW)
def test_a_line_that_took_minutes_is_answered(over_stdio, kind):
    answered_before(over_stdio, "add", SLOW[kind]())
