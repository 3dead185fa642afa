"""A server that is told to end answers what runs: in every era, over HTTP."""

import json
import os
import signal
import socket
from pathlib import Path

import pytest

from tests.wire.processes import MODERN, Http, Stdio, until
from tests.wire.streams import (
    Gate,
    Session,
    Stream,
    modern_call,
    modern_listen,
    ready,
    signs_of_trouble,
    text_of,
)

TOOLS = Path(__file__).parents[2] / "wire" / "held_tools.py"
ASKED = {**MODERN, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
TASKS = {
    **MODERN,
    "io.modelcontextprotocol/clientCapabilities": {
        "extensions": {"io.modelcontextprotocol/tasks": {}}
    },
}


@pytest.fixture
def gate(tmp_path, monkeypatch):
    return Gate(tmp_path, monkeypatch)


def told(server, how=signal.SIGTERM):
    server.process.send_signal(how)
    until(lambda: ready(server) == 503, "it has heard")


@pytest.mark.promise("serve.drain")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_calls_of_both_eras_are_answered_after_the_signal(gate, how):
    with Http(TOOLS) as server:
        assert ready(server) == 200
        session = Session(server)
        labels = ["old-0", "old-1", "plain", "thread", "sdk"]
        streams = [session.begin("held", at, label=f"old-{at}") for at in range(2)]
        streams.append(modern_call(server, "held", label="plain"))
        streams.append(modern_call(server, "blocked", label="thread"))
        streams.append(modern_call(server, "seen", label="sdk"))
        gate.began(*labels)
        told(server, how)
        gate.open()
        assert [text_of(each.answer()) for each in streams] == labels
        assert server.process.wait(30) == 0
        assert signs_of_trouble(server.said()) == []


@pytest.mark.promise("serve.drain-new", "serve.ready", "serve.ready-host")
def test_what_is_new_is_refused_and_what_belongs_to_a_call_is_not(gate):
    with Http(TOOLS, "--drain", "60") as server:
        session, leaving = Session(server, {"elicitation": {}}), Session(server)
        asks = session.begin("asks", 5, label="asks")
        question = asks.next()
        assert question["method"] == "elicitation/create"
        stays = session.begin("held", 6, label="stays")
        given_up = session.begin("held", 7, label="given-up")
        number = modern_call(server, "long", meta=TASKS, label="task").answer()["result"]["taskId"]
        again = modern_call(server, "careful", meta=ASKED, label="this").answer()["result"]
        gate.began("stays", "given-up", "task")
        told(server)
        # New: sessions, calls, lists and listeners, with and without a session.
        hello = session.data("initialize", {}, 1, session=None)
        listening = server.request(
            "GET", mcp_session_id=leaving.number, mcp_protocol_version="2025-11-25"
        )
        for data in (
            hello,
            listening,
            session.data("tools/call", {"name": "held", "arguments": {"label": "new"}}, 8),
            session.data("tools/list", {}, 9),
            server.message("tools/call", {"name": "held", "arguments": {"label": "new"}}),
            server.message("tools/list"),
            server.message("subscriptions/listen", {"notifications": {"toolsListChanged": True}}),
            server.request(body=b"[]", mcp_protocol_version="2025-11-25"),
        ):
            with server.connect() as connection:
                connection.sendall(data)
                answer = connection.makefile("rb").read()
            assert answer.startswith(b"HTTP/1.1 503"), (data, answer)
            assert b"retry-after: 1" in answer.lower()
            assert b"the server is stopping" in answer
        assert not (gate.folder / "new.began").exists()
        # What is alive says so, whatever name of the server it is asked by.
        assert server.asked(server.request("GET", "/health", host="10.1.2.3:80"))[0] == 200
        assert server.asked(server.request("GET", "/ready", host="10.1.2.3:80"))[0] == 503
        assert server.asked(server.request("POST", "/ready"))[0] == 405
        # What belongs to calls that have begun.
        assert session.post({"jsonrpc": "2.0", "id": 10, "method": "ping"})[0] == 200
        answer = {"action": "accept", "content": {"name": "Ada"}}
        assert session.post({"jsonrpc": "2.0", "id": question["id"], "result": answer})[0] == 202
        assert text_of(asks.answer()) == "asks Ada"
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        assert session.post(note)[0] == 202
        assert "error" in given_up.answer()
        gone = server.request(
            "DELETE", mcp_session_id=leaving.number, mcp_protocol_version="2025-11-25"
        )
        assert server.asked(gone)[0] == 200
        retry = {
            "name": "careful",
            "arguments": {"label": "this"},
            "requestState": again["requestState"],
            "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": True}}},
        }
        status, body = server.asked(server.message("tools/call", retry, meta=ASKED))
        assert (status, text_of(json.loads(body))) == (200, "did this")
        asked = server.message("tasks/get", {"taskId": number}, meta=TASKS, mcp_name=number)
        status, body = server.asked(asked)
        assert (status, json.loads(body)["result"]["status"]) == (200, "working")
        gate.open()
        assert text_of(stays.answer()) == "stays"
        assert server.process.wait(30) == 0
        assert signs_of_trouble(server.said()) == []
    with Http(TOOLS) as server:
        asked = server.message("tasks/get", {"taskId": number}, meta=TASKS, mcp_name=number)
        found = json.loads(server.asked(asked)[1])["result"]
        assert (found["status"], text_of(found)) == ("completed", "task")


@pytest.mark.promise("serve.drain-listeners")
def test_listeners_hold_nothing_up_and_are_told_the_end(gate):
    with Http(TOOLS, "--drain", "600") as server:
        listeners = [modern_listen(server, number=at) for at in range(20)]
        sessions = [Session(server) for _ in range(5)]
        streams = [each.listen() for each in sessions]
        half = server.connect()
        half.sendall(server.message("tools/list")[:-10])
        server.process.send_signal(signal.SIGTERM)
        for at, each in enumerate(listeners):
            (last,) = each.messages()
            assert last["id"] == at
            assert last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == at
        assert [list(each.messages()) for each in streams] == [[]] * 5
        assert server.process.wait(30) == 0
        half.close()
        assert signs_of_trouble(server.said()) == []


@pytest.mark.promise("serve.drain-late")
@pytest.mark.parametrize("more", [["--drain", "0"], []])
def test_calls_that_take_too_long_are_answered_with_an_error(gate, more):
    with Http(TOOLS, *(more or ["--drain", "600"])) as server:
        session = Session(server)
        streams = {
            "old": session.begin("held", 1, label="old"),
            "plain": modern_call(server, "held", label="plain"),
            "thread": modern_call(server, "blocked", label="thread"),
            "sdk": modern_call(server, "seen", label="sdk"),
        }
        gate.began(*streams)
        server.process.send_signal(signal.SIGTERM)
        if not more:  # told twice, it waits no longer
            until(lambda: ready(server) == 503, "it has heard")
            server.process.send_signal(signal.SIGINT)
        for label, stream in streams.items():
            error = stream.answer()["error"]
            assert error["code"] == -32603, label
            assert error["message"] == "the server was stopped while this request ran"
        assert server.process.wait(30) == 0
        assert signs_of_trouble(server.said()) == []


def test_an_answer_reaches_a_stream_that_was_resumed(gate):
    with Http(TOOLS, "--drain", "60") as server:
        session = Session(server)
        first = session.begin("held", 1, label="resumed")
        assert first.status == 200
        event = next(line for line in first.file if line.startswith(b"id:"))[3:].strip().decode()
        gate.began("resumed")
        first.connection.shutdown(socket.SHUT_RDWR)
        first.close()
        data = server.request(
            "GET",
            mcp_session_id=session.number,
            mcp_protocol_version="2025-11-25",
            last_event_id=event,
        )
        again = Stream(server, data)
        assert again.status == 200
        told(server)
        gate.open()
        assert text_of(again.answer()) == "resumed"
        assert server.process.wait(30) == 0


@pytest.mark.promise("serve.drain-twice")
@pytest.mark.parametrize("transport", ["http", "stdio", "workers"])
def test_told_twice_it_ends_though_a_tool_blocks_everything(gate, transport):
    more = ["--workers", "1" if transport == "http" else "2"] if transport != "stdio" else []
    with Stdio(TOOLS) if transport == "stdio" else Http(TOOLS, *more) as server:
        if transport == "stdio":
            server.begin("tools/call", {"name": "frozen", "arguments": {"label": "frozen"}})
        else:
            modern_call(server, "frozen", label="frozen")
        gate.began("frozen")
        server.process.send_signal(signal.SIGTERM)
        until(
            lambda: server.process.send_signal(signal.SIGTERM) or server.process.poll() is not None,
            "end",
        )


@pytest.mark.promise("serve.drain-workers")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_workers_have_that_time_too(gate, how):
    with Http(TOOLS, "--workers", "2", "--drain", "60") as server:
        labels = [f"call-{at}" for at in range(6)]
        streams = [modern_call(server, "seen", label=each) for each in labels]
        gate.began(*labels)
        # A terminal sends Ctrl-C to a whole group: the workers would be told twice.
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        assert len(children) == 2
        assert os.getpgid(server.pid) not in {os.getpgid(int(pid)) for pid in children}
        server.process.send_signal(how)
        until(lambda: ready(server) == 503, "they have heard")
        gate.open()
        assert [text_of(each.answer()) for each in streams] == labels
        assert server.process.wait(30) == 0
        assert signs_of_trouble(server.said()) == []


@pytest.mark.parametrize(
    "given", [["--drain", "-1"], ["--drain", "nan"], ["--drain", "inf"], ["--http", "--drain=-1"]]
)
def test_a_drain_that_cannot_be(given):
    from tests.wire.processes import refused

    assert "drain must be a number of seconds" in refused(2, "serve", TOOLS, *given)
