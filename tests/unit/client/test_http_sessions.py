"""Calls in sessions over HTTP, which began with a handshake: before 2026-07-28."""

import asyncio
import threading

import pytest

from tests.wire.client.http_liar import LyingHttp, lying
from toolwright import ServerUnavailable
from toolwright.client import connect

GOOD = {"content": [{"type": "text", "text": "3"}]}


class SessionServer(LyingHttp):
    """Answers calls with streams, and does in them what sessions allow."""

    era = "handshake"
    known = ("session-1", "session-2", "session-3")
    gone = (404, {"code": -32600, "message": "Session not found"})

    def called(self, asked):
        if self.headers.get("Mcp-Session-Id") not in self.known:
            import json

            status, error = self.gone
            told = {"jsonrpc": "2.0", "id": "server-error", "error": error}
            return self.send(json.dumps(told).encode(), status=status)
        if self.lie in ("", "moves"):
            return super().called(asked)
        self.stream()
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": GOOD}
        match self.lie:
            case "asks":
                form = {"type": "object", "properties": {"name": {"type": "string"}}}
                params = {"message": "Who?", "requestedSchema": form}
                self.ask("q1", "elicitation/create", params)
                self.ask("q2", "roots/list")
                self.ask("q3", "ping")
                self.ask("q4", "teapot/brew")
                came = [self.reply(f"q{number}") for number in (1, 2, 3, 4)]
                said = came[0]["result"]["content"]["name"]
                codes = came[1]["error"]["code"], came[3]["error"]["code"]
                text = f"{said} {came[2]['result']} {codes}"
                answer["result"] = {"content": [{"type": "text", "text": text}]}
            case "takes-back":
                params = {"message": "Who?", "requestedSchema": {"type": "object"}}
                self.ask("q1", "elicitation/create", params)
                type(self).asked.wait(60)
                self.tell("notifications/cancelled", {"requestId": "q1"})
            case "breaks":
                self.event(None, "one")
                self.tell("notifications/progress", self.step(asked, 1), "two")
                return None
            case "breaks-for-good":
                return self.event(None, "one")
            case "changes":
                self.tell("notifications/tools/list_changed", {})
            case "never":
                self.until(lambda each: each.get("method") == "notifications/cancelled")
            case "twice":
                self.event(answer)
                answer = {**answer, "result": {"content": [{"type": "text", "text": "4"}]}}
        self.event(answer)
        return None

    def resumed(self):
        last = self.headers["Last-Event-ID"]
        if self.lie != "breaks" or last not in ("two", "three"):
            return self.send(b"", status=400)
        asked = next(each for each, _ in self.seen if each.get("method") == "tools/call")
        self.stream()
        if last == "two":
            return self.tell("notifications/progress", self.step(asked, 2), "three")
        return self.event({"jsonrpc": "2.0", "id": asked["id"], "result": GOOD}, "four")

    def step(self, asked, number):
        return {"progressToken": asked["params"]["_meta"]["progressToken"], "progress": number}

    def tell(self, method, params, number=""):
        self.event({"jsonrpc": "2.0", "method": method, "params": params}, number)

    def ask(self, own, method, params=None):
        self.event({"jsonrpc": "2.0", "id": own, "method": method, "params": params or {}})

    def reply(self, own):
        return self.until(lambda each: each.get("id") == own and "method" not in each)


def methods(handler):
    return [each.get("method") for each, _ in handler.seen]


def test_a_call_goes_in_the_session_that_the_handshake_opened():
    with lying(SessionServer) as (url, handler):
        with connect(url) as client:
            assert client.add(a=1) == "3"
        told, headers = next(each for each in handler.seen if each[0].get("method") == "tools/call")
        assert headers["mcp-session-id"] == "session-1"
        assert headers["mcp-protocol-version"] == "2025-11-25"
        assert told["id"] == "call-2"  # it did not go through the SDK
        assert told["params"] == {"name": "add", "arguments": {"a": 1}}
        assert methods(handler)[-1] == "DELETE"


@pytest.mark.promise("client.questions")
def test_questions_in_an_answer_are_answered():
    with lying(SessionServer, lie="asks") as (url, handler):
        with connect(url, on_form=lambda message, schema: {"name": f"Ada {message}"}) as client:
            assert client.add(a=1) == "Ada Who? {} (-32600, -32601)"
        replies = [headers for each, headers in handler.seen if "method" not in each]
        assert {each["mcp-session-id"] for each in replies} == {"session-1"}


def test_a_question_that_is_taken_back_is_let_go():
    ended = threading.Event()
    asked = threading.Event()

    async def form(message, schema):
        asked.set()
        try:
            await asyncio.sleep(600)
        finally:
            ended.set()

    with lying(SessionServer, lie="takes-back", asked=asked) as (url, handler):
        with connect(url, on_form=form) as client:
            assert client.add(a=1) == "3"
        assert ended.wait(60)
        assert not [each for each, _ in handler.seen if each.get("id") == "q1"]


@pytest.mark.promise("client.forgotten")
def test_an_answer_that_breaks_off_is_resumed():
    steps = []
    with lying(SessionServer, lie="breaks") as (url, handler):
        with connect(url, on_progress=lambda *step: steps.append(step[0])) as client:
            assert client.add(a=1) == "3"
        assert steps == [1, 2]
        assert methods(handler).count("tools/call") == 1


@pytest.mark.promise("client.cancelled")
def test_a_cancelled_call_is_cancelled_in_the_session():
    async def main(client, handler):
        call = asyncio.ensure_future(client.add.call_async(a=1))
        found = asyncio.to_thread(handler.until, handler, lambda told: told.get("id") == "call-2")
        await found
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    with lying(SessionServer, lie="never") as (url, handler):
        with connect(url) as client:
            asyncio.run(main(client, handler))
            is_it = lambda each: each.get("method") == "notifications/cancelled"  # noqa: E731
            assert handler.until(handler, is_it)["params"]["requestId"] == "call-2"
            handler.lie = ""
            assert client.add(a=1) == "3"


@pytest.mark.parametrize(
    "gone",
    [
        (404, {"code": -32600, "message": "Session not found"}),
        (404, None),
        (400, {"code": -32000, "message": "Bad Request: No valid session ID provided"}),
    ],
)
@pytest.mark.promise("client.forgotten")
def test_a_session_that_is_forgotten_is_opened_again(gone):
    with lying(SessionServer, gone=gone) as (url, handler):
        with connect(url) as client:
            assert client.add(a=1) == "3"
            handler.known = ("session-2",)
            assert client.add(a=1) == "3"
            assert methods(handler).count("initialize") == 2
            handler.known = ()
            with pytest.raises(ServerUnavailable, match="no longer knows the session"):
                client.add(a=1)
            assert methods(handler).count("initialize") == 3


def test_a_change_in_the_middle_of_an_answer_is_heard():
    with lying(SessionServer, lie="changes") as (url, handler):
        with connect(url) as client:
            assert client.add(a=1) == "3"
            assert client.add(a=1) == "3"
        assert methods(handler).count("tools/list") == 2


def test_a_second_answer_is_nobodys():
    with lying(SessionServer, lie="twice") as (url, _), connect(url) as client:
        assert [client.add(a=1) for _ in range(3)] == ["3", "3", "3"]


@pytest.mark.parametrize("era", ["stateless", "handshake"])
def test_where_a_server_has_moved_to_is_learned(era):
    with lying(SessionServer if era == "handshake" else LyingHttp, lie="moves", era=era) as found:
        url, handler = found
        with connect(url) as client:
            assert [client.add(a=1) for _ in range(2)] == ["3", "3"]
        assert methods(handler).count("tools/call") == 2
