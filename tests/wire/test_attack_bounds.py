"""What goes on after a request has its answer, or its client is gone, is bounded, too."""

import json

import pytest
from attackers import Attacked
from processes import INITIALIZE, resident

BIG = 3_900_000


@pytest.fixture(scope="module")
def usual():
    with Attacked() as server:
        yield server
        assert server.errors() == []


# -- what idle sessions keep of their last message


def sent_and_left(session, message):
    """Send a message on its own, whatever is answered."""
    with session.post(message) as stream:
        stream.body()


MESSAGES = {
    "call": {"id": 1, "method": "tools/call", "params": {"name": "say", "arguments": {}}},
    "initialize": {"id": 1, "method": "initialize", "params": INITIALIZE},
    "notification": {"method": "notifications/nothing", "params": {}},
    "answer": {"id": 1, "result": {}},
}


@pytest.mark.parametrize("kind", MESSAGES)
def test_an_idle_session_keeps_nothing_of_its_last_message(usual, kind):
    usual.session()
    message = json.loads(json.dumps(MESSAGES[kind]))
    message["params" if "params" in message else "result"]["more"] = "x" * BIG
    sent_and_left(usual.session(), message)
    before = resident(usual.pid)
    for _ in range(25):
        sent_and_left(usual.session(), message)
    assert resident(usual.pid) < before + 40


def test_an_idle_session_keeps_nothing_of_its_last_answer():
    with Attacked() as server:
        server.session().call("big", size=BIG)
        before = resident(server.pid)
        for _ in range(60):
            server.session().call("big", size=BIG)
        # Events are kept up to 64 MB in all.
        assert resident(server.pid) < before + 120
