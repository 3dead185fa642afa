"""No client holds more than its share: sessions, streams, subscriptions, tasks, events, questions."""

import asyncio
import json
import signal
import socket
import struct
import time
from concurrent.futures import ThreadPoolExecutor

import mcp_types as types
import pytest

from tests.wire.attackers import Attacked, Stream
from tests.wire.processes import INITIALIZE, MODERN, resident, until
from toolwright import Toolbox
from toolwright.serve.access.quotas import Client, Shares, TaskShares
from toolwright.serve.sdk.calls import handed
from toolwright.serve.http.sessions.table import EventMemory, SessionEvents
from toolwright.serve.sender import USER
from toolwright.serve.settings import SETTINGS

ADMIN, GUEST, OTHER = "token-of-admin", "token-of-guest", "token-of-other"
FEW = {
    "closed": True,
    "max_sessions": 6,
    "max_sessions_per_client": 4,
    "max_streams": 12,
    "max_streams_per_client": 8,
}


@pytest.fixture
def few():
    with Attacked(**FEW) as server:
        yield server
        assert server.errors() == []


@pytest.fixture(scope="module")
def usual():
    with Attacked() as server:
        yield server
        assert server.errors() == []


def is_open(session):
    with session.begin("ping") as stream:
        assert stream.status in {200, 404}
        return stream.status == 200


def listen(server, uris=(), token=None, number=1, **more):
    wanted = {"toolsListChanged": True, "resourceSubscriptions": list(uris)}
    given = {"authorization": f"Bearer {token}"} if token else {}
    params = {"notifications": wanted, **more}
    return Stream(server, server.message("subscriptions/listen", params, number, **given))


# -- sessions


@pytest.mark.promise("serve.bounds")
def test_the_oldest_idle_session_of_the_same_client_gives_way(few):
    other = few.session(OTHER)
    mine = [few.session(GUEST) for _ in range(4)]
    assert is_open(mine[0])  # now the second one is the one that was not used for longest
    with mine[1].get():  # but it is in use
        fresh = few.session(GUEST)
        assert [is_open(each) for each in (*mine, fresh)] == [True, True, False, True, True]
    for _ in range(20):
        few.session(GUEST)
    assert is_open(other)


def test_whoever_has_most_sessions_gives_way_when_all_are_taken(few):
    other = few.session(OTHER)
    mine = [few.session(GUEST) for _ in range(4)]
    few.session(ADMIN)
    second = few.session(ADMIN)  # the seventh
    assert is_open(second)
    assert is_open(other)
    assert [is_open(each) for each in mine] == [False, True, True, True]


def test_sessions_that_are_all_in_use_do_not_keep_others_out(few):
    mine = [few.session(GUEST) for _ in range(4)]
    streams = [each.get() for each in mine]
    others = [few.session(OTHER) for _ in range(2)]
    kept = [each.get() for each in others]
    admin = few.session(ADMIN)
    assert is_open(admin)
    assert sum(map(is_open, mine)) == 3
    assert all(map(is_open, others))
    for each in (*streams, *kept):
        each.close()


def test_a_client_whose_sessions_are_all_in_use_is_told_so(few):
    streams = [few.session(GUEST).get() for _ in range(4)]
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE})
    refused = few.request(body=body.encode(), authorization=f"Bearer {GUEST}")
    with Stream(few, refused) as stream:
        assert stream.status == 503
    assert is_open(few.session(OTHER))
    for each in streams:
        each.close()


def test_a_session_that_nobody_uses_ends():
    with Attacked(session_idle=0.5) as server:
        used, idle = server.session(), server.session()
        with used.get() as stream:
            until(lambda: not is_open_once(idle), "the idle session ends")
            assert stream.status == 200
            assert is_open(used)
        assert server.errors() == []


def is_open_once(session):
    """Whether a session is there, asked so seldom that it may end."""
    time.sleep(0.7)
    return is_open(session)


def test_big_hellos_are_refused_and_medium_ones_bounded(usual):
    usual.session()
    before = resident(usual.pid)
    info = {"name": "x" * 3_900_000, "version": "1"}
    big = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
    big["params"] = {**INITIALIZE, "clientInfo": info}
    data = usual.request(body=json.dumps(big).encode())
    for _ in range(20):
        status, body = usual.asked(data)
        assert status == 400
        assert "65536 bytes" in json.loads(body)["error"]["message"]
    again = usual.session().ask("initialize", {**INITIALIZE, "clientInfo": info})
    assert "65536 bytes" in again["error"]["message"]
    # Those that are small enough are many lists: more in memory than on the wire.
    nested = [[] for _ in range(12_000)]
    big["params"] = {**INITIALIZE, "capabilities": {"experimental": {"a": {"b": nested}}}}
    data = usual.request(body=json.dumps(big).encode())
    for _ in range(60):
        assert usual.asked(data)[0] == 200
    assert is_open(usual.session())
    assert resident(usual.pid) < before + 120


# -- subscriptions and streams


def test_big_subscriptions_are_refused_and_many_bounded(usual):
    session = usual.session()
    refused = session.ask("resources/subscribe", {"uri": "note://" + "x" * 3_900_000})
    assert "error" in refused
    assert len(json.dumps(refused)) < 1000  # what was sent is not sent back
    assert session.ask("resources/subscribe", {"uri": "note://a"})["result"] == {}
    count = 0
    while "result" in session.ask("resources/subscribe", {"uri": f"note://{count}{'x' * 8000}"}):
        count += 1
        assert count < 1000
    assert count > 100
    # Room is given back one by one, and all of it when the session ends.
    assert "result" in session.ask("resources/unsubscribe", {"uri": f"note://0{'x' * 8000}"})
    assert "result" in session.ask("resources/subscribe", {"uri": f"note://0{'y' * 8000}"})
    assert session.delete() == 200
    again = usual.session()
    assert "result" in again.ask("resources/subscribe", {"uri": "note://" + "x" * 8000})


def test_big_listeners_are_refused_and_many_bounded(usual):
    with listen(usual, ["note://" + "x" * 3_900_000]) as stream:
        assert stream.status == 400
    with listen(usual, more="x" * 3_900_000) as stream:
        assert stream.status == 400
    hidden = usual.message("subscriptions/listen", {"notifications": {}}, mcp_method=None)
    assert usual.asked(hidden)[0] == 400  # without the header that says what it is
    before = resident(usual.pid)
    streams = [listen(usual, [f"note://{at}"] * 3_000, number=at) for at in range(100)]
    statuses = [each.status for each in streams]
    assert statuses[:20] == [200] * 20
    assert set(statuses) == {200, 429}
    assert resident(usual.pid) < before + 120
    for each in streams:
        each.close()
    until(lambda: opens(usual), "room is given back")


def opens(server):
    with listen(server, ["note://a"] * 3_000) as stream:
        return stream.status == 200


def test_one_client_does_not_take_all_streams(few):
    mine = [listen(few, token=GUEST, number=at) for at in range(10)]
    assert [each.status for each in mine] == [200] * 8 + [429] * 2
    others = [listen(few, token=OTHER, number=at) for at in range(4)]
    assert [each.status for each in others] == [200] * 4
    # Now all are taken: the oldest of whoever has most ends as an answer ends.
    with listen(few, token=ADMIN) as admin:
        assert admin.status == 200
        assert [each for each in mine[0].messages() if "error" in each] == []
    for each in (*mine, *others):
        each.close()


@pytest.mark.promise("serve.quiet-leaving")
def test_clients_that_leave_at_once_are_no_errors(usual):
    sessions = [usual.session() for _ in range(30)]
    streams = [each.get() for each in sessions]
    streams += [each.start("wait", 1, name="never") for each in sessions]
    streams += [listen(usual, ["note://left"], number=at) for at in range(60)]
    assert {each.status for each in streams} == {200}
    for each in sessions:
        each.ask("resources/subscribe", {"uri": "note://left"})
    for at, each in enumerate(streams):
        if at % 2:  # half of them without a goodbye
            option = struct.pack("ii", 1, 0)
            each.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
        each.file.close()
        each.connection.close()
    left = usual.session()
    assert left.said("change", uri="note://left", times=20) == "changed"
    for each in sessions:
        assert each.delete() == 200
    assert left.said("say", text="x") == "None: x"
    assert usual.errors() == []


def test_a_stream_that_ends_with_its_session_is_no_error(usual):
    session = usual.session()
    with session.get() as stream, session.start("wait", 1, name="never") as call:
        assert session.delete() == 200
        assert stream.messages() == []
        call.messages()
    assert usual.errors() == []


@pytest.mark.parametrize("count", [40, 400])
def test_many_sessions_and_listeners_end_quickly_and_quietly(count):
    with Attacked() as server:
        body = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE})
        data = server.request(body=body.encode())
        for _ in range(count):
            assert server.asked(data)[0] == 200
        streams = [server.session().get() for _ in range(30)]
        streams += [listen(server, number=at) for at in range(30)]
        assert {each.status for each in streams} == {200}
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(30)
        # One line may say that streams were ended; nothing is said of each of them.
        assert len(server.errors()) <= 1, server.said()[:1000]
        for each in streams:
            each.close()


# -- what is kept of events, tasks and questions


def message(text):
    return types.JSONRPCNotification(jsonrpc="2.0", method="m", params={"text": text})


def test_a_flood_of_one_client_drops_nobody_elses_events():
    memory = EventMemory(1_000_000)
    quiet = [SessionEvents(memory, Client(f"client {at}")) for at in range(5)]
    loud = [SessionEvents(memory, Client("loud")) for _ in range(5)]

    async def run():
        kept = [await each.store_event("1", message("quiet")) for each in quiet]
        for at in range(1_000):
            last = await loud[at % 5].store_event(str(at), message("x" * 10_000))
        assert all(number in each.kept for number, each in zip(kept, quiet, strict=True))
        assert last in loud[4].kept
        assert memory.shares.total <= 1_000_000
        assert sum(each.bytes for each in (*quiet, *loud)) == memory.shares.total
        # Somebody quiet who needs more than is left gets it from whoever has most.
        for _ in range(10):
            number = await quiet[0].store_event("2", message("x" * 10_000))
        assert number in quiet[0].kept
        assert len(quiet[0].kept) == 11
        for each in (*quiet, *loud):
            each.end()
        assert (memory.shares.total, memory.shares.held, memory.order) == (0, {}, {})
        await quiet[0].store_event("3", message("late"))
        assert memory.shares.total == 0

    asyncio.run(run())


def test_events_of_a_session_are_bounded_in_number():
    store = SessionEvents(EventMemory(), Client("client"))

    async def run():
        for at in range(5_000):
            await store.store_event(str(at), None)

    asyncio.run(run())
    assert len(store.kept) == len(store.turns) == 1_000


def test_tasks_are_shared_among_clients():
    greedy, modest = Client("greedy"), Client("modest")
    shares = TaskShares(keep=3600)
    began = 0
    while shares.begin(greedy):
        began += 1
    assert began < 1_000
    assert shares.begin(modest)
    for _ in range(began):
        shares.end(greedy)
        shares.keep(greedy, 1_000_000)
    assert not shares.begin(greedy)
    assert shares.begin(modest)
    shares.keep_for = 0
    short = TaskShares(keep=0)
    assert short.begin(greedy)
    short.end(greedy)
    short.keep(greedy, 100_000_000)
    assert short.begin(greedy)
    assert short.kept.held == {}


def test_one_caller_does_not_take_all_tasks():
    with Attacked(closed=True) as server:
        extension = {"io.modelcontextprotocol/tasks": {}}
        meta = {**MODERN, "io.modelcontextprotocol/clientCapabilities": {"extensions": extension}}
        params = {"name": "long_task", "arguments": {"name": "never"}}

        def asked(token):
            given = {"authorization": f"Bearer {token}"}
            return server.asked(server.message("tools/call", params, 1, meta, **given))[1]

        with ThreadPoolExecutor(50) as pool:  # each waits a moment before it becomes a task
            bodies = list(pool.map(asked, [GUEST] * 300))
        results = [json.loads(each)["result"] for each in bodies]
        assert sum(each["resultType"] == "task" for each in results) == 250
        refused = [each for each in results if each["resultType"] != "task"]
        assert "too many tasks" in refused[0]["content"][0]["text"]
        assert json.loads(asked(OTHER))["result"]["resultType"] == "task"


def test_questions_that_nobody_answers_are_bounded():
    a, b = Client("a"), Client("b")
    shares = Shares(3, 2)
    assert [shares.take(a) for _ in range(3)] == [True, True, False]
    assert [shares.take(b) for _ in range(2)] == [True, False]
    shares.give_back(a)
    assert shares.take(b)
    assert shares.held == {"a": 1, "b": 2}


def test_over_stdio_there_is_one_client():
    assert handed({}).sender.client == handed(None).sender.client == USER.client == Client("", "")


@pytest.mark.parametrize("name", [name for name, row in SETTINGS.items() if "session" in row.group])
def test_bounds_are_checked(name):
    for wrong in (0, -1, float("inf"), float("nan"), True, "many"):
        with pytest.raises(ValueError, match=name):
            Toolbox("box").asgi(**{name: wrong})
    with pytest.raises(TypeError):
        Toolbox("box").asgi(max_nothing=1)
