"""Sessions on the short path meet cancellation, the SDK, reload, and the end of the server."""

import asyncio

import pytest

from tests.wire.session_client import ERAS, Client, Gated, has_message, on_short_path, run, serving
from toolwright.serve.http.app import App
from toolwright.serve.reloadable import Reloadable
from toolwright.serve.settings import server_config


@pytest.mark.promise("serve.session-short")
@pytest.mark.parametrize("era", ERAS)
def test_an_ordinary_session_never_needs_the_sdk(era):
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            client = await Client(app, era=era).open()
            assert (await client.ask("ping"))["result"] == {}
            names = [tool["name"] for tool in (await client.ask("tools/list"))["result"]["tools"]]
            assert names == ["add", "which", "wait", "count", "sees"]
            assert await client.said("add", {"a": 1}) == "2"
            assert await client.said("which") == "old"
            wrong = await client.start("add", {"a": "x"}).answer()
            assert wrong["result"]["isError"]
            assert (await client.delete()).status == 200
            assert (await client.begin("ping").whole()).status == 404 or on_short_path(app)
            assert (await client.begin("ping").whole()).status == 404

    run(course())


def test_an_ordinary_session_leaves_the_sdk_alone():
    async def course():
        async with serving(Gated().box) as app:
            client = await Client(app).open()
            await client.ask("tools/list")
            assert await client.said("add", {"a": 1}, token=7) == "2"
            assert await client.said("count", token=7) == "[0,1,2]"
            await client.notify("notifications/roots/list_changed")
            await client.cancel(99)
            assert (await client.delete()).status == 200
            assert on_short_path(app)

    run(course())


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_names_events_first_gets_events(era):
    async def course():
        async with serving(Gated().box) as app:
            client = await Client(app, era=era).open()
            first = {"accept": "text/event-stream, application/json"}
            for method, params in (
                ("ping", None),
                ("tools/list", None),
                ("tools/call", {"name": "add", "arguments": {"a": 1}}),
                ("tools/call", {"name": "which", "arguments": {}}),
            ):
                came = await client.begin(method, params, **first).whole()
                assert came.headers["content-type"] == "text/event-stream"
                plain = await client.begin(method, params).whole()
                assert plain.headers["content-type"] == "application/json"
                (answer,) = came.messages()
                assert [{**answer, "id": client.number}] == plain.messages()
            assert on_short_path(app)

    run(course())


# -- calls that run


@pytest.mark.parametrize("written", [int, str])
def test_a_running_call_is_cancelled(written):
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            client = await Client(app).open()
            call = client.start("wait", number=5)
            await gated.began.wait()
            assert (await client.cancel(written(5))).status == 202
            error = (await call.answer())["error"]
            assert error == {"code": -32800, "message": "Request cancelled"}
            assert gated.ended == ["cancelled"]
            assert await client.said("add", {"a": 1}) == "2"
            assert on_short_path(app)

    run(course())


def test_another_session_cannot_cancel_a_call():
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            mine, other = await Client(app).open(), await Client(app).open()
            call = mine.start("wait", number=5)
            await gated.began.wait()
            assert (await other.cancel(5)).status == 202
            gated.gate.set()
            assert (await call.answer())["result"]["content"][0]["text"] == "old"

    run(course())


def test_two_calls_of_one_id_are_both_answered():
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            client = await Client(app).open()
            calls = [client.start("wait", number=5) for _ in range(2)]
            await gated.began.wait()
            for _ in range(10):
                await asyncio.sleep(0)
            assert await client.said("add", {"a": 4}, number=5) == "5"
            gated.gate.set()
            for each in calls:
                assert (await each.answer())["id"] == 5
            assert gated.ended == ["done", "done"]

    run(course())


def test_the_end_of_a_session_ends_its_calls():
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            client, other = await Client(app).open(), await Client(app).open()
            call = client.start("wait")
            await gated.began.wait()
            theirs = other.start("wait")
            assert (await client.delete()).status == 200
            assert (await call.whole()).messages() == []
            assert call.status == 200
            assert gated.ended == ["cancelled"]
            gated.gate.set()
            assert "result" in await theirs.answer()
            assert (await client.begin("ping").whole()).status == 404

    run(course())


@pytest.mark.promise("serve.session-resumed")
def test_a_client_that_leaves_in_the_middle_of_a_call_comes_back_for_its_answer():
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            client = await Client(app).open()
            call = await client.start("wait", number=5).until(lambda each: each.events())
            first, message = call.events()[0]
            assert message is None
            call.leave()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(asyncio.shield(call.task), 0.05)
            assert not gated.ended  # it goes on
            resumed = await client.get(last=first).until(lambda each: each.events())
            gated.gate.set()
            came = (await resumed.until(has_message)).messages()[0]
            assert (came["id"], came["result"]["content"][0]["text"]) == (5, "old")
            resumed.leave()
            late = await client.get(last=first).until(has_message)
            assert late.messages() == [came]
            late.leave()

    run(course())


def test_progress_comes_before_the_answer():
    async def course():
        async with serving(Gated().box) as app:
            client = await Client(app).open()
            call = await client.start("count", token="t").whole()
            *told, last = call.messages()
            assert [each["params"]["progress"] for each in told] == [1, 2, 3]
            assert {each["params"]["progressToken"] for each in told} == {"t"}
            assert last["result"]["content"][0]["text"] == "[0,1,2]"
            assert call.headers["content-type"] == "text/event-stream"
            assert on_short_path(app)

    run(course())


# -- the SDK


@pytest.mark.promise("serve.session-upgrade")
@pytest.mark.parametrize("era", ERAS)
def test_a_session_goes_to_the_sdk_while_its_calls_run(era):
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            client = await Client(app, era=era).open()
            call = client.start("wait", number=5)
            await gated.began.wait()
            assert on_short_path(app)
            asked = [
                client.begin("resources/list"),
                client.begin("resources/read", {"uri": "note://one"}),
                client.begin("resources/subscribe", {"uri": "note://one"}),
                client.start("sees"),
            ]
            answers = [await each.answer() for each in asked]
            assert all("result" in each for each in answers), answers
            assert {each.headers["mcp-session-id"] for each in asked} == {client.id}
            assert await client.said("add", {"a": 1}) == "2"
            second = client.start("wait", number=6)
            await asyncio.sleep(0)
            assert (await client.cancel(6)).status == 202
            assert (await second.answer())["error"]["code"] == -32800
            gated.gate.set()
            assert (await call.answer())["result"]["content"][0]["text"] == "old"
            assert (await client.delete()).status == 200
            assert (await client.begin("resources/list").whole()).status == 404

    run(course())


def test_a_session_that_ends_while_the_sdk_takes_it_is_over():
    async def course():
        async with serving(Gated().box) as app:
            client = await Client(app).open()
            asked = [client.begin("resources/list") for _ in range(5)]
            await asyncio.sleep(0)
            assert (await client.delete()).status == 200
            for each in asked:
                assert (await each.whole()).status in {200, 404}
            assert (await client.begin("resources/list").whole()).status == 404
            assert not app.sessions.table.by_id

    run(course())


def test_a_second_handshake_is_the_sdks():
    async def course():
        async with serving(Gated().box) as app:
            client = await Client(app).open()
            params = {"protocolVersion": "2024-11-05", "capabilities": {}}
            params["clientInfo"] = {"name": "c", "version": "1"}
            again = await client.ask("initialize", params)
            assert again["result"]["protocolVersion"] == "2024-11-05"
            assert not app.sessions.table.by_id[client.id].is_plain
            assert await client.said("add", {"a": 1}) == "2"

    run(course())


@pytest.mark.parametrize("when", ["before the stream", "after the stream"])
def test_a_changed_list_is_told_where_there_is_a_stream(when):
    async def course():
        gated = Gated()
        async with serving(gated.box) as app:
            client, without = await Client(app).open(), await Client(app).open()
            if when == "before the stream":
                gated.box.remove("which")  # nobody can be told
            stream = await client.get().until(lambda each: each.status)
            assert stream.status == 200
            await client.ask("ping")
            gated.box.remove("count")
            await stream.until(has_message)
            assert stream.messages() == [
                {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
            ]
            for each in (client, without):
                assert "count" not in str(await each.ask("tools/list"))
            assert await client.said("add", {"a": 1}) == "2"
            stream.leave()

    run(course())


# -- reload and the end


@pytest.mark.parametrize("upgraded", [False, True])
def test_a_reload_keeps_sessions_and_finishes_calls_on_the_old_code(upgraded):
    async def course():
        old, new = Gated(word="old"), Gated(word="new")
        both = Reloadable(old.box.__servable__())
        app = App(both, server_config("asgi", {}))
        client = await Client(app).open()
        if upgraded:
            await client.ask("resources/list")
        call = client.start("wait")
        await old.began.wait()
        both.swap(new.box.__servable__())
        assert await client.said("which") == "new"
        old.gate.set()
        assert (await call.answer())["result"]["content"][0]["text"] == "old"
        await app.close()

    run(course())


@pytest.mark.parametrize("streams", [False, True])
def test_calls_in_sessions_are_answered_when_the_server_stops(streams):
    async def course():
        gated = Gated()
        app = gated.box.asgi(drain=20)
        client = await Client(app).open()
        call = client.start("wait")
        await gated.began.wait()
        if streams:
            await call.until(lambda each: each.events())
        ending = asyncio.create_task(app.stop())
        await asyncio.sleep(0)
        assert (await client.start("add", {"a": 1}).whole()).status == 503
        assert (await client.ask("ping"))["result"] == {}
        gated.gate.set()
        assert (await call.answer())["result"]["content"][0]["text"] == "old"
        await ending
        await app.close()

    run(course())


@pytest.mark.parametrize("streams", [False, True])
def test_calls_that_take_too_long_are_answered_with_an_error(streams):
    async def course():
        gated = Gated()
        app = gated.box.asgi(drain=0)
        client = await Client(app).open()
        call = client.start("wait", number=7)
        await gated.began.wait()
        if streams:
            await call.until(lambda each: each.events())
        await app.stop()
        came = await call.answer()
        assert (came["id"], came["error"]["code"]) == (7, -32603)
        assert "stopped" in came["error"]["message"]
        await app.close()

    run(course())


def test_without_state_a_client_with_a_handshake_gets_no_session():
    async def course():
        async with serving(Gated().box, stateless=True) as app:
            client = Client(app)
            params = {"protocolVersion": client.era, "capabilities": {}}
            params["clientInfo"] = {"name": "c", "version": "1"}
            opening = await client.begin("initialize", params).whole()
            assert opening.status == 200
            assert "mcp-session-id" not in opening.headers
            assert await client.said("add", {"a": 1}) == "2"

    run(course())
