"""One caller's answers never reach another: events, sessions, questions, tasks and sealed state."""

import asyncio
import json

import pytest

from tests.wire.attackers import Attacked, Stream
from tests.wire.processes import MODERN

ADMIN, GUEST, OTHER = "token-of-admin", "token-of-guest", "token-of-other"
ASKS = {"elicitation": {}}


@pytest.fixture(scope="module")
def closed():
    with Attacked(closed=True) as server:
        yield server


@pytest.fixture(scope="module")
def open_to_all():
    with Attacked() as server:
        yield server


def ids_of(stream):
    return [(number, message) for number, message in stream.events()]


def text_of(message):
    return message["result"]["content"][0]["text"]


def test_event_ids_cannot_be_guessed(closed):
    session = closed.session(GUEST)
    seen = []
    for number in range(5):
        with session.start("tell", number, text="x") as stream:
            seen += [each for each, _ in ids_of(stream)]
    assert len(set(seen)) == len(seen) == 15
    assert min(map(len, seen)) >= 16


def test_a_client_that_resumes_gets_its_own_answer_to_the_same_number(open_to_all):
    one, two = open_to_all.session(), open_to_all.session()
    names = ("resume-one", "resume-two")
    firsts = []
    for session, name in zip((one, two), names, strict=True):
        with session.start("away", 7, name=name) as stream:
            firsts.append(ids_of(stream)[0][0])
    resumed = [s.get(last=first) for s, first in zip((one, two), firsts, strict=True)]
    for name in reversed(names):
        one.call("open_gate", 99, name=name)
    for stream, name in zip(resumed, names, strict=True):
        with stream:
            came = next(message for _, message in stream.events() if message)
            assert came["id"] == 7
            assert text_of(came) == f"None came back for {name}"


def test_a_number_used_again_does_not_mix_streams(open_to_all):
    session = open_to_all.session()
    with session.start("tell", 5, text="first") as stream:
        first = ids_of(stream)
    with session.start("tell", 5, text="second") as stream:
        second = ids_of(stream)
    with session.get(last=first[0][0]) as stream:
        assert [text_of(each) for each in stream.messages()[1:]] == ["None: first"]
    with session.get(last=first[-1][0]) as stream:
        assert stream.messages() == []
    with session.get(last=second[1][0]) as stream:
        assert [text_of(each) for each in stream.messages()] == ["None: second"]


def test_a_stream_that_was_left_does_not_get_the_next_answer_of_its_number(open_to_all):
    session = open_to_all.session()
    with session.start("away", 5, name="left") as stream:
        left = ids_of(stream)[0][0]
    with session.get(last=left) as resumed:
        next(resumed.events())  # it has begun to wait
        session.call("open_gate", 6, name="left")
        assert text_of(next(each for _, each in resumed.events() if each)).endswith("left")
    with session.start("away", 5, name="again") as stream:
        again = ids_of(stream)[0][0]
    with session.get(last=left) as resumed:
        assert [text_of(each) for each in resumed.messages()] == ["None came back for left"]
    session.call("open_gate", 6, name="again")
    with session.get(last=again) as resumed:
        came = next(each for _, each in resumed.events() if each)
        assert text_of(came) == "None came back for again"


@pytest.mark.promise("serve.own-session")
def test_a_session_is_unknown_to_everybody_but_its_caller(closed):
    admin = closed.session(ADMIN)
    for thief in (GUEST, OTHER):
        stolen = {"authorization": f"Bearer {thief}"}
        with admin.get(**stolen) as stream:
            assert stream.status == 404
        with admin.get(last="1", **stolen) as stream:
            assert stream.status == 404
        assert admin.delete(**stolen) == 404
        body = {"id": 1, "method": "tools/call", "params": {"name": "secret"}}
        with admin.post(body, **stolen) as stream:
            assert stream.status == 404
            assert b"secret of" not in stream.body()
        with admin.post({"id": 1, "result": {}}, **stolen) as stream:
            assert stream.status == 404
    assert admin.said("secret") == "the secret of the admin"


def test_the_stream_of_a_session_tells_its_own_client_only(closed):
    admin, guest = closed.session(ADMIN), closed.session(GUEST)
    uri = {"uri": "note://a"}
    admin.ask("resources/subscribe", uri)
    with admin.get() as own, guest.get() as others:
        assert own.status == others.status == 200
        params = {"name": "wait", "arguments": {"name": "both"}, "_meta": {"progressToken": "p"}}
        with (
            admin.begin("tools/call", params, 3) as one,
            guest.begin("tools/call", params, 3) as two,
        ):
            closed.session(OTHER).call("open_gate", name="both")
            assert text_of(one.messages()[-1]) == "admin waited for both"
            assert text_of(two.messages()[-1]) == "guest waited for both"


def test_a_question_is_answered_by_its_own_session_only(closed):
    admin = closed.session(ADMIN, capabilities=ASKS)
    guest = closed.session(GUEST, capabilities=ASKS)
    again = closed.session(ADMIN, capabilities=ASKS)
    with admin.start("ask", 3) as stream:
        asked = next(each for _, each in stream.events() if each and "method" in each)
        forged = {"id": asked["id"], "result": {"action": "accept", "content": {"word": "forged"}}}
        for other in (guest, again):
            with other.post(forged) as reply:
                assert reply.status == 202
            assert other.said("say", text="x").endswith("x")
        true = {"id": asked["id"], "result": {"action": "accept", "content": {"word": "true"}}}
        with admin.post(true) as reply:
            assert reply.status == 202
        assert text_of(stream.messages()[-1]) == "admin was told true"


def modern(server, method, params, token, **headers):
    capabilities = {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}
    meta = {**MODERN, "io.modelcontextprotocol/clientCapabilities": capabilities}
    given = {"authorization": f"Bearer {token}", **headers}
    with Stream(server, server.message(method, params, meta=meta, **given)) as stream:
        return json.loads(stream.body())


@pytest.mark.promise("serve.own-state")
def test_sealed_state_is_of_no_use_to_another_caller(closed):
    params = {"name": "ask", "arguments": {}}
    asked = modern(closed, "tools/call", params, ADMIN)["result"]
    answers = {"word": {"action": "accept", "content": {"word": "yes"}}}
    back = {**params, "requestState": asked["requestState"], "inputResponses": answers}
    for thief in (GUEST, OTHER):
        came = modern(closed, "tools/call", back, thief)
        assert came["error"]["message"] == "Invalid or expired requestState"
    changed = {**back, "arguments": {"more": 1}}
    assert "error" in modern(closed, "tools/call", changed, ADMIN)
    assert text_of(modern(closed, "tools/call", back, ADMIN)) == "admin was told yes"


def test_a_task_is_unknown_to_everybody_but_its_caller(closed):
    params = {"name": "long_task", "arguments": {"name": "task"}}
    number = modern(closed, "tools/call", params, ADMIN)["result"]["taskId"]
    about = {"taskId": number}
    for method in ("tasks/get", "tasks/cancel", "tasks/update"):
        more = {"inputResponses": {}} if method == "tasks/update" else {}
        came = modern(closed, method, {**about, **more}, GUEST, mcp_name=number)
        assert came["error"]["message"] == "Task not found"
    came = modern(closed, "tasks/get", about, ADMIN, mcp_name=number)
    assert came["result"]["status"] == "working"
    assert "error" not in modern(closed, "tasks/cancel", about, ADMIN, mcp_name=number)


def test_the_sdks_own_client_resumes_beside_another(open_to_all):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    url = f"http://localhost:{open_to_all.port}/mcp"

    async def one(name, opened):
        async with (
            streamable_http_client(url) as (read, write, *_),
            ClientSession(read, write) as s,
        ):
            await s.initialize()
            opened.release()
            return (await s.call_tool("away", {"name": name})).content[0].text

    async def main():
        opened = asyncio.Semaphore(0)
        names = ["sdk-one", "sdk-two"]
        calls = [asyncio.ensure_future(one(name, opened)) for name in names]
        for _ in names:
            await opened.acquire()
        gates = open_to_all.session()
        for name in reversed(names):
            await asyncio.to_thread(gates.call, "open_gate", name=name)
        assert await asyncio.gather(*calls) == [f"None came back for {name}" for name in names]

    asyncio.run(asyncio.wait_for(main(), 60))
