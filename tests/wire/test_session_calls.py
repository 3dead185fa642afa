"""Tools that see their call, in sessions: logs, levels, questions, and clients that come back."""

import asyncio
import threading

import pytest
from pydantic import BaseModel

from tests.wire.session_client import ERAS, Client, has_message, on_short_path, run, serving
from toolwright import Call, Toolbox

ASKS = {"elicitation": {}}


class Word(BaseModel):
    word: str


def toolbox():
    box = Toolbox("box", version="1")
    box.gate = asyncio.Event()
    box.runs = []

    @box.tool
    async def ask(call: Call, first: bool = False) -> str:
        box.runs.append("ask")
        if first:
            call.progress(1, 2)
        return (await call.ask(Word, "Which word?")).word

    @box.tool
    def ask_in_a_thread(call: Call) -> str:
        box.runs.append("thread")
        assert threading.current_thread() is not threading.main_thread()
        return call.ask(Word, "Which word?").word

    @box.tool
    async def logs(call: Call) -> str:
        for level in ("debug", "info", "error"):
            call.log(f"a word of {level}", level)
        return "logged"

    @box.tool
    async def away(call: Call) -> str:
        call.progress(1, 2)
        await call.hang_up()
        await box.gate.wait()
        call.progress(2, 2)
        return "back"

    @box.resource("note://one")
    def note() -> str:
        return "a note"

    return box


def texts(messages):
    return [each["result"]["content"][0]["text"] for each in messages if "result" in each]


def waits(resumed):
    """Whether a stream that was resumed has begun to wait for what is new."""
    return len(resumed.events()) > 1 and resumed.events()[-1][1] is None


async def answered(client, call, word):
    """Answer the question of a call; return what came of it."""
    await call.until(lambda each: any("elicitation/create" in str(m) for m in each.messages()))
    question = next(each for each in call.messages() if each.get("method") == "elicitation/create")
    content = {"action": "accept", "content": {"word": word}}
    reply = {"jsonrpc": "2.0", "id": question["id"], "result": content}
    assert (await client.post(reply).whole()).status == 202
    await call.whole()
    return texts(call.messages())


@pytest.mark.parametrize("era", ["2025-06-18", "2025-11-25"])
@pytest.mark.parametrize("upgraded", [False, True])
@pytest.mark.parametrize("tool", ["ask", "ask_in_a_thread", "told"])
def test_a_tool_asks_its_client_and_runs_once(tool, upgraded, era):
    async def course():
        box = toolbox()
        async with serving(box) as app:
            client = await Client(app, era=era).open(capabilities=ASKS)
            if upgraded:
                await client.ask("resources/list")
            if tool == "told":
                call = client.start("ask", {"first": True}, token="t")
            else:
                call = client.start(tool)
            assert await answered(client, call, "tea") == ["tea"]
            assert len(box.runs) == 1
            if tool == "told":
                assert call.messages()[0]["method"] == "notifications/progress"
            assert await client.said("logs") == "logged"

    run(course())


def test_a_client_that_cannot_be_asked_is_told_so():
    async def course():
        async with serving(toolbox()) as app:
            client = await Client(app).open()
            assert "elicitation" in await client.said("ask")

    run(course())


def test_a_call_that_asks_is_cancelled():
    async def course():
        box = toolbox()
        async with serving(box) as app:
            client = await Client(app).open(capabilities=ASKS)
            call = await client.start("ask", number=5).until(has_message)
            assert (await client.cancel(5)).status == 202
            assert (await call.answer())["error"]["code"] == -32800
            assert await client.said("logs") == "logged"
            call = await client.start("ask", number=6).until(has_message)
            assert (await client.delete()).status == 200
            await call.whole()

    run(course())


def test_a_client_leaves_while_it_is_asked_and_comes_back():
    async def course():
        async with serving(toolbox()) as app:
            client = await Client(app).open(capabilities=ASKS)
            call = await client.start("ask", {"first": True}, token="t").until(
                lambda each: len(each.messages()) == 2
            )
            first, question = call.events()[0][0], call.messages()[1]
            call.leave()
            resumed = await client.get(last=first).until(lambda each: len(each.messages()) == 2)
            assert resumed.messages()[1] == question
            content = {"action": "accept", "content": {"word": "milk"}}
            reply = {"jsonrpc": "2.0", "id": question["id"], "result": content}
            assert (await client.post(reply).whole()).status == 202
            await resumed.until(lambda each: texts(each.messages()) == ["milk"])
            resumed.leave()

    run(course())


@pytest.mark.parametrize("order", ["before", "after", "both"])
def test_a_log_level_counts_on_both_paths(order):
    async def course():
        async with serving(toolbox()) as app:
            client = await Client(app).open(capabilities=ASKS)
            if order != "after":
                assert (await client.ask("logging/setLevel", {"level": "info"}))["result"] == {}
                assert on_short_path(app)
            if order != "before":
                await client.ask("resources/list")
                assert (await client.ask("logging/setLevel", {"level": "info"}))["result"] == {}
            for headers in ({}, {"x_odd": "1"}):
                call = await client.start("logs", **headers).whole()
                told = [each["params"]["level"] for each in call.messages()[:-1]]
                assert told == ["info", "error"]
            refused = await client.ask("logging/setLevel", {"level": "nope"})
            assert refused["error"]["code"] == -32602

    run(course())


@pytest.mark.parametrize("upgraded", [False, True])
def test_a_tool_hangs_up_and_its_client_comes_back(upgraded):
    async def course():
        box = toolbox()
        async with serving(box) as app:
            client = await Client(app).open()
            if upgraded:
                await client.ask("resources/list")
            call = client.start("away", token="t", number=5)
            await call.until(lambda each: each.is_whole)
            assert [each["params"]["progress"] for each in call.messages()] == [1]
            first = call.events()[0][0]
            resumed = await client.get(last=first).until(waits)
            box.gate.set()
            await resumed.until(lambda each: texts(each.messages()) == ["back"])
            told = [each["params"]["progress"] for each in resumed.messages()[:-1]]
            assert told == [1, 2]
            resumed.leave()

    run(course())


@pytest.mark.parametrize("era", ERAS[:3])
def test_a_tool_does_not_hang_up_on_clients_that_cannot_come_back(era):
    async def course():
        box = toolbox()
        box.gate.set()
        async with serving(box) as app:
            client = await Client(app, era=era).open()
            assert await client.said("away") == "back"

    run(course())


@pytest.mark.parametrize("first", [False, True])
def test_a_call_that_asks_is_answered_when_the_server_stops(first):
    async def course():
        app = toolbox().asgi(drain=0)
        client = await Client(app).open(capabilities=ASKS)
        call = client.start("ask", {"first": first}, token="t", number=7)
        await call.until(lambda each: "elicitation/create" in str(each.messages()))
        await app.stop()
        came = await call.answer()
        assert (came["id"], came["error"]["code"]) == (7, -32603)
        await app.close()

    run(course())


def test_streams_leave_no_task_behind():
    async def course():
        box = toolbox()
        async with serving(box) as app:
            client = await Client(app).open(capabilities=ASKS)
            await client.ask("resources/list")
            before = len(asyncio.all_tasks())
            for at in range(5):
                asking = await client.start("ask", number=at).until(has_message)
                asking.leave()
                assert (await client.cancel(at)).status == 202
                await asking.whole()
                assert await client.said("logs") == "logged"
            async with asyncio.timeout(30):
                while len(asyncio.all_tasks()) > before:  # noqa: ASYNC110 - tasks of the SDK
                    await asyncio.sleep(0.01)

    run(course())
