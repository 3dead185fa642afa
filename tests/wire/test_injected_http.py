"""Tools with injected parameters over HTTP: streams of the short path, and what ends them."""

import asyncio
import contextlib
import json

import pytest

from tests.wire.differential import CAPABILITIES, line_of, modern
from tests.wire.differential_courses import quiet
from tests.wire.injected_tools import ABLE, Bench
from tests.wire.odd_requests import headers_of
from toolwright.serve.access.guard import Caller

__all__ = ["quiet"]  # a fixture

LEVEL = "io.modelcontextprotocol/logLevel"
TOKEN = {"tokens": {"a-long-secret": Caller("ada", roles=("buyer",))}}


class Request:
    """One POST to an app: its client may read slowly, or leave."""

    def __init__(self, app, message, *more):
        self.app = app
        self.body = line_of(message)
        self.headers = [*headers_of(message), *more]
        self.parts = [{"type": "http.request", "body": self.body, "more_body": False}]
        self.sent = []
        self.reads = asyncio.Event()
        self.reads.set()
        self.left = asyncio.Event()
        self.came = asyncio.Event()

    async def run(self):
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "root_path": "",
            "scheme": "http",
            "query_string": b"",
            "server": ("localhost", 80),
            "client": ("127.0.0.1", 1),
            "headers": self.headers,
        }
        async with asyncio.timeout(60):
            await self.app(scope, self.receive, self.send)
        return self

    async def receive(self):
        if self.parts:
            return self.parts.pop()
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        self.sent.append(message)
        self.came.set()
        await self.reads.wait()

    @property
    def status(self):
        return self.sent[0]["status"]

    @property
    def kind(self):
        return dict(self.sent[0]["headers"])[b"content-type"].decode()

    @property
    def messages(self):
        data = b"".join(each.get("body", b"") for each in self.sent[1:])
        if self.kind == "application/json":
            return [json.loads(data)]
        lines = [each[6:] for each in data.splitlines() if each.startswith(b"data: ")]
        return [json.loads(each) for each in lines]


@contextlib.asynccontextmanager
async def both(**settings):
    """An app of each path, with what its tools have done."""
    made = [(Bench(wrapped=True), True), (Bench(wrapped=True), False)]
    apps = [(bench, bench.box.asgi(short=short, **settings)) for bench, short in made]
    try:
        yield apps
    finally:
        for bench, app in apps:
            bench.go.set()
            await app.close()


def called(name, number=1, arguments=None, **meta):
    params = {"name": name, "arguments": arguments or {}}
    return modern("tools/call", params, number=number, **{CAPABILITIES: ABLE, **meta})


def plain(message):
    """Return a message without what is random in it."""
    result = message.get("result", {})
    if "requestState" in result:
        result["requestState"] = "sealed"
    return json.dumps(message, sort_keys=True)


@pytest.mark.promise("serve.injected-streams")
@pytest.mark.parametrize(
    "meta", [{}, {"progressToken": "t"}, {LEVEL: "info"}, {"progressToken": 1, LEVEL: "error"}]
)
@pytest.mark.parametrize("name", ["looks", "provided", "helped", "apart", "asks", "asks_async"])
def test_calls_are_answered_alike(name, meta):
    async def run():
        seen = []
        async with both(**TOKEN) as apps:
            for _, app in apps:
                own = (b"authorization", b"Bearer a-long-secret"), (b"traceparent", b"00-1")
                request = await Request(app, called(name, **meta), *own).run()
                heads = {k: v for k, v in request.sent[0]["headers"] if k != b"content-length"}
                seen.append((request.status, heads, sorted(map(plain, request.messages))))
            assert apps[0][0].runs == apps[1][0].runs
            is_asked = name.startswith("asks")
            assert (apps[0][1].sdk._served is not None) == is_asked
        assert seen[0] == seen[1]

    asyncio.run(run())


def test_a_question_is_answered_in_the_next_request():
    async def run():
        async with both() as apps:
            for bench, app in apps:
                message, number = called("asks_async"), 1
                while True:
                    last = (await Request(app, message).run()).messages[-1]["result"]
                    if "requestState" not in last:
                        break
                    number += 1
                    answer = {"action": "accept", "content": {"n": 3}}
                    message = called("asks_async", number)
                    answers = dict.fromkeys(last["inputRequests"], answer)
                    message["params"]["inputResponses"] = answers
                    message["params"]["requestState"] = last["requestState"]
                assert last["structuredContent"] == 6
                assert bench.runs == {"asks_async": 3}

    asyncio.run(run())


@pytest.mark.parametrize("name", ["waits", "waits_async"])
def test_a_client_that_leaves_in_the_middle_of_a_stream_ends_the_call(name):
    async def run():
        async with both() as apps:
            for bench, app in apps:
                request = Request(app, called(name, progressToken="t"))
                running = asyncio.create_task(request.run())
                await asyncio.wait_for(request.came.wait(), 30)
                request.left.set()
                await running
                assert await asyncio.to_thread(bench.ended.wait, 30)
                assert bench.seen in ([True], ["cancelled"])
                assert "late" not in str(request.sent)

    asyncio.run(run())


def test_what_a_thread_tells_after_the_answer_is_not_sent():
    async def run():
        async with both() as apps:
            for bench, app in apps:
                meta = {"progressToken": "t", LEVEL: "debug"}
                request = await Request(app, called("leaves", **meta)).run()
                bench.go.set()
                assert await asyncio.to_thread(bench.ended.wait, 30)
                await asyncio.sleep(0)
                assert "in time" in str(request.sent)
                assert "late" not in str(request.sent)

    asyncio.run(run())


@pytest.mark.promise("serve.injected-slow")
def test_little_is_kept_for_a_client_that_does_not_read():
    async def run():
        async with both() as apps:
            bench, app = apps[0]
            request = Request(app, called("floods", progressToken="t", **{LEVEL: "debug"}))
            request.reads.clear()
            running = asyncio.create_task(request.run())
            assert await asyncio.to_thread(bench.ended.wait, 60)
            request.reads.set()
            await running
            assert sum(len(each.get("body", b"")) for each in request.sent) < 4_000_000
            lost, answer = request.messages[-2:]
            assert "log messages were not sent" in lost["params"]["data"]
            assert answer["result"]["content"][0]["text"] == "flooded"

    asyncio.run(run())


@pytest.mark.parametrize("name", ["waits", "waits_async"])
@pytest.mark.parametrize("short", [True, False])
def test_a_server_that_stops_says_so_on_the_stream(name, short):
    async def run():
        async with both(drain=0.1) as apps:
            bench, app = apps[not short]
            request = Request(app, called(name, 7, progressToken="t"))
            running = asyncio.create_task(request.run())
            await asyncio.wait_for(request.came.wait(), 30)
            await app.stop()
            await running
            bench.go.set()
            last = request.messages[-1]
            assert request.kind == "text/event-stream"
            assert (last["id"], last["error"]["code"]) == (7, -32603)
            assert request.sent[-1]["more_body"] is False

    asyncio.run(run())


@pytest.mark.promise("serve.injected-streams")
def test_a_call_that_takes_long_is_kept_alive(monkeypatch):
    monkeypatch.setattr("toolwright.serve.http.http_call.PING_SECONDS", 0.01)
    monkeypatch.setattr("toolwright.serve.http.http_call.PING_SECONDS", 0.01)

    async def run():
        async with both() as apps:
            bench, app = apps[0]
            request = Request(app, called("waits"))
            running = asyncio.create_task(request.run())
            async with asyncio.timeout(30):
                while b": ping" not in str(request.sent).encode():
                    request.came.clear()
                    await request.came.wait()
            bench.go.set()
            await running
            assert request.kind == "text/event-stream"
            assert request.messages[-1]["result"]["structuredContent"] is False

    asyncio.run(run())


def test_two_calls_at_once_tell_on_their_own_streams():
    async def run():
        async with both() as apps:
            bench, app = apps[0]
            made = [Request(app, called("waits", n, progressToken=f"token {n}")) for n in (1, 2)]
            running = [asyncio.create_task(each.run()) for each in made]
            for each in made:
                await asyncio.wait_for(each.came.wait(), 30)
            bench.go.set()
            await asyncio.gather(*running)
            for number, each in enumerate(made, 1):
                tokens = {m["params"]["progressToken"] for m in each.messages if "params" in m}
                assert tokens == {f"token {number}"}

    asyncio.run(run())


def test_what_runs_later_does_not_run_inside_the_call_that_asked():
    """The SDK is started by the first question; it must not keep the context of that tool."""

    async def run():
        async with both() as apps:
            _, app = apps[0]
            await Request(app, called("asks")).run()
            message = called("looks", 5)
            message["params"]["_meta"]["own"] = 1  # for the SDK
            request = await Request(app, message).run()
            seen = request.messages[-1]["result"]["structuredContent"]
            assert (seen["request"], seen["tool"], seen["same"]) == ("5", "looks", True)

    asyncio.run(run())
