"""A server on stdio that is told to end, or whose input ends, answers what runs."""

import json
import signal
import time
from pathlib import Path

import pytest

from tests.wire.processes import MODERN, Stdio
from tests.wire.streams import EVERYTHING, Gate, signs_of_trouble, text_of

TOOLS = Path(__file__).parents[2] / "wire" / "held_tools.py"
STOPPING = "the server is stopping: try again soon"


@pytest.fixture
def gate(tmp_path, monkeypatch):
    return Gate(tmp_path, monkeypatch)


class Client:
    """A client of either era."""

    def __init__(self, server, era):
        self.server = server
        self.meta = {"_meta": MODERN} if era == "modern" else {}

    def begin(self, method, **params):
        return self.server.begin(method, {**params, **self.meta})

    def call(self, name, **arguments):
        return self.begin("tools/call", name=name, arguments=arguments)

    def refused(self):
        """Whether something new is refused by now; ids of what is not are thrown away."""
        answer = self.server.answer(self.begin("tools/list"))
        return answer.get("error", {}).get("message") == STOPPING


def opened(era, *more):
    return Stdio(TOOLS, *more, greet=era == "handshake")


def heard(client):
    end = time.monotonic() + 30
    while not client.refused():
        assert time.monotonic() < end


@pytest.mark.promise("serve.drain")
@pytest.mark.parametrize(
    ("era", "more", "how"),
    [
        ("handshake", [], signal.SIGTERM),
        ("handshake", ["--sdk"], None),
        ("handshake", ["--sdk"], signal.SIGINT),
        ("modern", [], signal.SIGINT),
        ("modern", [], None),
        ("modern", ["--sdk"], signal.SIGTERM),
    ],
)
def test_what_runs_is_answered(gate, era, more, how):
    with opened(era, *more, "--drain", "60") as server:
        client = Client(server, era)
        labels = ["held", "blocked", "seen"]
        numbers = [client.call(label, label=label) for label in labels]
        given_up = client.call("seen", label="given-up")
        gate.began(*labels, "given-up")
        server.send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": given_up, **client.meta},
            }
        )
        if how is None:
            server.process.stdin.close()
        else:
            server.process.send_signal(how)
            heard(client)
            server.begin("ping", client.meta or None)
        gate.open()
        came = {}
        while (message := server.next(30)) is not None:
            came[message.get("id")] = message
        assert [text_of(came[number]) for number in numbers] == labels
        assert server.process.wait(30) == 0
        assert signs_of_trouble(server.said()) == []


@pytest.mark.parametrize(("era", "more"), [("handshake", []), ("modern", ["--sdk"])])
def test_told_twice_it_waits_no_longer_and_says_so(gate, era, more):
    with opened(era, *more, "--drain", "600") as server:
        client = Client(server, era)
        labels = ["held", "blocked", "seen"]
        numbers = {client.call(label, label=label) for label in labels}
        gate.began(*labels)
        server.process.send_signal(signal.SIGTERM)
        heard(client)
        server.process.send_signal(signal.SIGTERM)
        while numbers:
            message = server.next(30)
            assert message is not None
            if message.get("id") in numbers:
                numbers.remove(message["id"])
                said = "the server was stopped while this request ran"
                assert message["error"] == {"code": -32603, "message": said}
        assert server.next(30) is None
        assert server.process.wait(30) == 0
        assert signs_of_trouble(server.said()) == []


@pytest.mark.promise("serve.drain-listeners")
@pytest.mark.parametrize("how", [signal.SIGTERM, None])
def test_a_listener_holds_nothing_up_and_is_told_the_end(gate, how):
    with opened("modern", "--drain", "600") as server:
        number = Client(server, "modern").begin("subscriptions/listen", notifications=EVERYTHING)
        assert server.next()["method"] == "notifications/subscriptions/acknowledged"
        if how is None:
            server.process.stdin.close()
        else:
            server.process.send_signal(how)
        last = server.next(30)
        assert last["id"] == number
        assert last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == number
        assert server.next(30) is None
        assert server.process.wait(30) == 0


def test_a_question_can_be_answered_while_it_ends(gate):
    with Stdio(TOOLS, "--drain", "60", greet=False) as server:
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "t", "version": "1"},
        }
        server.ask("initialize", hello)
        server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        number = server.begin("tools/call", {"name": "asks", "arguments": {"label": "asks"}})
        question = server.next()
        assert question["method"] == "elicitation/create"
        server.process.send_signal(signal.SIGTERM)
        heard(Client(server, "handshake"))
        answer = {"action": "accept", "content": {"name": "Ada"}}
        server.write(
            json.dumps({"jsonrpc": "2.0", "id": question["id"], "result": answer}).encode() + b"\n"
        )
        assert text_of(server.answer(number)) == "asks Ada"
        assert server.process.wait(30) == 0
