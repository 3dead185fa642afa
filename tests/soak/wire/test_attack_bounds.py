"""What goes on after a request has its answer, or its client is gone, is bounded, too."""

import asyncio
import contextlib
import json
import selectors

import mcp_types as types
import pytest

from tests.wire.attackers import Attacked, Stream
from tests.wire.processes import INITIALIZE, MODERN, Stdio, resident, until
from toolwright.serve.access.quotas import Client, Shares
from toolwright.serve.http.sessions.table import EventMemory, SessionEvents

GUEST, OTHER = "token-of-guest", "token-of-other"
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


@pytest.mark.promise("serve.idle-sessions")
@pytest.mark.parametrize("kind", ["call", *[each for each in MESSAGES if each != "call"]])
def test_an_idle_session_keeps_nothing_of_its_last_message(usual, kind):
    usual.session()
    message = json.loads(json.dumps(MESSAGES[kind]))
    message["params" if "params" in message else "result"]["more"] = "x" * BIG
    sent_and_left(usual.session(), message)
    before = resident(usual.pid)
    for _ in range(15):
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


# -- calls that go on without their client


def texts(messages):
    return [each["result"]["content"][0]["text"] for each in messages if "result" in each]


def begun_and_left(session, number, name):
    """Begin a call, and hang up once it runs or is refused."""
    with session.start("wait", number, {"progressToken": number}, name=name) as stream:
        assert next(said for _, said in stream.events() if said)


@pytest.mark.promise("serve.running")
def test_calls_whose_client_hung_up_are_bounded():
    with Attacked(closed=True, max_streams=40, max_streams_per_client=10) as server:
        mine = [server.session(GUEST) for _ in range(4)]
        for at in range(30):
            begun_and_left(mine[at % 4], at + 1, "later")
        refused = mine[0].call("wait", 99, name="later")[-1]["result"]
        assert refused["isError"]
        assert "too many requests are already running" in refused["content"][0]["text"]
        assert "too many requests" in mine[0].ask("tools/list")["error"]["message"]
        assert mine[0].ask("ping")["result"] == {}
        other = server.session(OTHER)
        assert other.said("say", text="x") == "other: x"
        assert other.said("open_gate", name="later") == "open"
        until(lambda: mine[0].said("say", text="x") == "guest: x", "room is given back")
        assert server.errors() == []


def test_a_session_that_ends_gives_back_what_ran_in_it():
    with Attacked(max_streams=4, max_streams_per_client=4) as server:
        for _ in range(5):
            session = server.session()
            for at in range(3):
                begun_and_left(session, at + 1, "never")
            assert session.said("say", 9, text="x") == "None: x"
            assert session.delete() == 200


def refusals(server, token, count, expected, **arguments):
    """Begin plain calls that wait; return how many are refused, and leave the others."""
    params = {"name": "hold", "arguments": arguments}
    data = server.message("tools/call", params, authorization=f"Bearer {token}")
    refused = 0
    with contextlib.ExitStack() as stack:
        found = stack.enter_context(selectors.DefaultSelector())
        for _ in range(count):
            connection = stack.enter_context(server.connect())
            connection.sendall(data)
            found.register(connection, selectors.EVENT_READ)
        while ready := found.select(30 if refused < expected else 0.2):
            for key, _ in ready:
                with key.fileobj.makefile("rb") as file:
                    assert b"too many requests are already running" in file.read()
                found.unregister(key.fileobj)
                refused += 1
    return refused


def test_plain_calls_are_bounded_in_number_and_in_bytes():
    settings = {"max_streams": 100, "max_streams_per_client": 30, "max_body": 10_000}
    with Attacked(closed=True, **settings) as server:
        assert refusals(server, GUEST, 40, 10) == 10
        # Sixteen of the largest size, or some more that are smaller.
        assert refusals(server, OTHER, 25, 8, text="x" * 9_000) == 8
        given = {"authorization": f"Bearer {GUEST}"}
        until(lambda: b"run already" not in said(server, given), "those that were left end")


def said(server, headers):
    params = {"name": "say", "arguments": {"text": "x"}}
    return server.asked(server.message("tools/call", params, **headers))[1]


@pytest.mark.parametrize("era", ["handshake", "modern", "sdk"])
def test_calls_over_stdio_are_bounded(tmp_path, era):
    source = tmp_path / "waiting.py"
    source.write_text(WAITING)
    more = ["--sdk"] if era == "sdk" else []
    with Stdio(source, *more, greet=era != "modern") as server:
        meta = {"_meta": MODERN} if era == "modern" else {}

        def begin(name):
            server.begin("tools/call", {"name": name, "arguments": {}, **meta})

        for _ in range(1_500):
            begin("wait")
        refused = [server.next() for _ in range(500)]
        assert all("are already running" in text for text in texts(refused))
        for message in refused[:1]:
            assert message["result"]["isError"]
        for number in range(1, 11):
            notice = {"requestId": number}
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": notice})
        until(lambda: has_room(server, begin), "room is given back")


def has_room(server, begin):
    begin("quick")
    return texts([server.answer(server.number)]) == ["quick"]


WAITING = """
import asyncio

async def wait() -> str:
    await asyncio.Event().wait()

async def quick() -> str:
    return "quick"
"""


# -- many tokens from one address


@pytest.mark.promise("serve.bounds-address")
def test_many_callers_of_one_address_do_not_take_all_streams():
    settings = {"max_streams": 12, "max_streams_per_client": 3, "trusted_proxies": ["127.0.0.1"]}
    with Attacked(crowd=8, **settings) as server:

        def listen(token, address):
            params = {"notifications": {"toolsListChanged": True}}
            given = {"authorization": f"Bearer {token}", "x_forwarded_for": address}
            return Stream(server, server.message("subscriptions/listen", params, 1, **given))

        mine = [listen(f"token-of-{at % 8}", "203.0.113.7") for at in range(16)]
        statuses = [each.status for each in mine]
        assert statuses[:6] == [200] * 6
        assert statuses.count(200) <= 8  # one with fewer takes the place of one with more
        others = [listen(f"token-of-{at % 2}", "203.0.113.8") for at in range(4)]
        assert {each.status for each in others} == {200}
        for each in (*mine, *others):
            each.close()


def test_many_callers_of_one_address_do_not_take_all_sessions():
    settings = {"max_sessions": 8, "max_sessions_per_client": 2, "trusted_proxies": ["127.0.0.1"]}
    with Attacked(crowd=8, **settings) as server:

        def session(token, address):
            return server.session(token, x_forwarded_for=address)

        other = session("token-of-0", "203.0.113.8")
        mine = [session(f"token-of-{at % 8}", "203.0.113.7") for at in range(1, 16)]
        assert is_open(other)
        assert sum(map(is_open, mine)) == 4


def is_open(session):
    with session.begin("ping") as stream:
        return stream.status == 200


def test_an_address_has_half_of_everything():
    shares = Shares(100, 10)
    crowd = [Client(f"caller {at}", "203.0.113.7") for at in range(20)]
    assert sum(shares.take(each, 5) for each in crowd) == 10
    assert shares.excess(crowd[-1]) == "address"
    assert shares.take(Client("caller 19", "203.0.113.8"), 10)
    assert shares.excess(Client("caller 19", "203.0.113.9")) == "client"
    # Behind a proxy or on this machine, an address stands for many.
    assert sum(shares.take(Client(f"caller {at}x"), 10) for at in range(9)) == 4
    assert shares.excess(Client("another")) == "all"
    for each in crowd[:10]:
        shares.give_back(each, 5)
    assert shares.at == {"203.0.113.8": 10}
    # Whoever may have everything may have it at one address.
    assert Shares(10, 10).take(Client("203.0.113.7", "203.0.113.7"), 10)


def test_a_flood_from_one_address_leaves_half_of_the_events():
    memory = EventMemory(1_000_000)
    crowd = [SessionEvents(memory, Client(f"{at}", "203.0.113.7")) for at in range(20)]
    quiet = SessionEvents(memory, Client("quiet", "203.0.113.8"))
    event = types.JSONRPCNotification(jsonrpc="2.0", method="m", params={"text": "x" * 10_000})

    async def run():
        first = [await quiet.store_event(str(at), event) for at in range(20)]
        for at in range(1_000):
            await crowd[at % 20].store_event(str(at), event)
        assert all(number in quiet.kept for number in first)
        assert memory.shares.at["203.0.113.7"] <= 500_000
        counts = [len(each.kept) for each in crowd]
        assert 0 < max(counts) <= min(counts) + 1

    asyncio.run(run())


# -- whose a task is


@pytest.mark.promise("serve.task-owner")
def test_a_task_belongs_to_one_caller_and_not_to_a_name():
    with Attacked(closed=True) as server:
        extension = {"io.modelcontextprotocol/tasks": {}}
        meta = {**MODERN, "io.modelcontextprotocol/clientCapabilities": {"extensions": extension}}

        def asked(token, method, params):
            given = {"authorization": f"Bearer {token}"}
            if "taskId" in params:
                given["mcp_name"] = params["taskId"]
            return json.loads(server.asked(server.message(method, params, 1, meta, **given))[1])

        params = {"name": "long_task", "arguments": {"name": "never"}}
        task = {"taskId": asked("token-of-one-ada", "tools/call", params)["result"]["taskId"]}
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            refused = asked("token-of-two-ada", method, task)
            assert refused["error"]["message"] == "Task not found"
        assert asked("token-of-one-ada", "tasks/get", task)["result"]["status"] == "working"
        assert "error" not in asked("token-of-one-ada", "tasks/cancel", task)


# -- questions that nobody answers


def test_questions_of_one_client_are_bounded_over_the_wire():
    # Each question has its stream, so that as many as there may be are open.
    with Attacked(closed=True, few_questions=3) as server:
        able = {"elicitation": {}}
        mine = [server.session(GUEST, capabilities=able) for _ in range(2)]
        streams = [mine[at % 2].start("ask", at + 1) for at in range(3)]
        asked = [next(said for _, said in each.events() if said) for each in streams]
        assert {each["method"] for each in asked} == {"elicitation/create"}
        refused = mine[0].call("ask", 9)[-1]["result"]
        assert refused["isError"]
        assert "too many questions unanswered" in refused["content"][0]["text"]
        other = server.session(OTHER, capabilities=able)
        with other.start("ask", 1) as stream:
            question = next(said for _, said in stream.events() if said)
            answer = {"action": "accept", "content": {"word": "yes"}}
            with other.post({"id": question["id"], "result": answer}):
                pass
            assert texts(stream.messages())[-1] == "other was told yes"
        # An answer, or the end of a session, gives room again.
        with mine[0].post({"id": asked[0]["id"], "result": answer}):
            pass
        assert texts(streams[0].messages())[-1] == "guest was told yes"
        with mine[0].start("ask", 10) as stream:
            assert next(said for _, said in stream.events() if said)["method"]
        for each in (*mine, other):
            assert each.delete() == 200
        again = server.session(GUEST, capabilities=able)
        with again.start("ask", 1) as stream:
            assert next(said for _, said in stream.events() if said)["method"]
        for each in streams:
            each.close()
        assert server.errors() == []
