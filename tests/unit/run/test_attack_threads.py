"""One caller and the threads of all: whoever holds many leaves some to the others."""

import asyncio
import json
import threading
from types import SimpleNamespace

import pytest

from tests.unit.run.driving import LONGEST, wait_for, wait_until
from toolwright import Call, Overloaded, Toolbox
from toolwright.run.current import asked_by
from toolwright.run.threads import Threads, threads

MANY = 100
"""More calls than there are threads."""


@pytest.fixture
def gate():
    """What slow tools wait for; opened in the end."""
    made = threading.Event()
    yield made
    made.set()
    wait_until(lambda: not threads.stuck and not threads.held)


@pytest.fixture
def box(gate):
    box = Toolbox("shared")

    @box.tool
    def slow(call: Call, number: int) -> int:
        """Take long."""
        gate.wait(60)
        return number

    @box.tool(timeout=0.05)
    def late(call: Call) -> int:
        """Give no answer in time."""
        gate.wait(60)
        return 0

    @box.tool
    def quick(call: Call, word: str) -> str:
        """Return a word."""
        return word

    @box.tool
    def plain_slow(number: int) -> int:
        """Take long, and know nothing of its call."""
        gate.wait(60)
        return number

    @box.tool
    def plain(word: str) -> str:
        """Return a word."""
        return word

    return box


@pytest.mark.promise("limit.thread-share")
def test_slow_calls_of_one_caller_do_not_stop_another(box, gate):
    async def run():
        begun = [
            box.call_async("slow", {"number": n}, call=Call(caller="ada")) for n in range(MANY)
        ]
        slow = [asyncio.ensure_future(each) for each in begun]
        await asyncio.sleep(0)
        for n in range(5):
            call = box.call_async("quick", {"word": f"{n}"}, call=Call(caller=f"bob {n}"))
            assert (await asyncio.wait_for(call, LONGEST)).value == f"{n}"
        assert not any(each.done() for each in slow)
        gate.set()
        assert [(await each).value for each in slow] == list(range(MANY))

    asyncio.run(run())


def test_seven_callers_who_take_all_they_can_leave_a_thread(box, gate):
    async def run():
        slow = []
        for name in "abcdefg":
            calls = (
                box.call_async("slow", {"number": 1}, call=Call(caller=name)) for _ in range(40)
            )
            slow += [asyncio.ensure_future(each) for each in calls]
            await asyncio.sleep(0)
        wait_until(lambda: len(threads.held) == 7)
        assert sum(threads.held.values()) <= threads.most
        gate.set()
        assert [(await each).value for each in slow] == [1] * len(slow)

    asyncio.run(run())


def message(name, arguments):
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": arguments, "_meta": meta}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


async def asked(app, client, name, arguments):
    """Ask an app as a client of an address; return the body."""
    body = message(name, arguments).encode()
    headers = {
        "host": "localhost",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "client": (client, 1),
        "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
    }
    came = []
    sent = [{"type": "http.request", "body": body}]

    async def receive():
        return sent.pop() if sent else await asyncio.Event().wait()

    async def send(part):
        came.append(part)

    await app(scope, receive, send)
    return json.loads(b"".join(part.get("body", b"") for part in came))["result"]


def test_without_tokens_an_address_is_a_caller(box, gate):
    async def run():
        app = box.asgi()
        calls = (asked(app, "10.0.0.1", "plain_slow", {"number": n}) for n in range(MANY))
        slow = [asyncio.ensure_future(each) for each in calls]
        wait_until_started = asyncio.ensure_future(asyncio.sleep(0))
        await wait_until_started
        came = await asyncio.wait_for(asked(app, "10.0.0.2", "plain", {"word": "x"}), LONGEST)
        assert came["content"][0]["text"] == "x"
        gate.set()
        texts = [(await each)["content"][0]["text"] for each in slow]
        assert texts == [str(n) for n in range(MANY)]

    asyncio.run(run())


# -- the pool itself


class Told(list):
    """What came of jobs."""

    def __call__(self, outcome, failure):
        self.append(failure or outcome)


def hold(pool, caller, count, function, settle):
    with asked_by(SimpleNamespace(holder=caller)):
        return [pool.start(function, settle) for _ in range(count)]


def test_alone_a_caller_has_half_and_the_rest_waits_in_turn(gate):
    pool, told = Threads(8, 8), Told()
    hold(pool, "ada", 20, lambda: gate.wait(60), told)
    assert pool.held == {"ada": 4}
    hold(pool, "bob", 20, lambda: gate.wait(60), told)
    assert pool.held == {"ada": 4, "bob": 2}
    hold(pool, "", 2, lambda: "own", told)  # a program's own calls are not bounded
    wait_until(lambda: len(told) == 2)
    gate.set()
    wait_until(lambda: len(told) == 42)
    assert pool.held == pool.parked == {}


def test_a_line_that_is_full_sends_away(gate, monkeypatch):
    monkeypatch.setattr("toolwright.run.threads.MOST_PARKED", 3)
    pool, told = Threads(2, 2), Told()
    hold(pool, "ada", 4, lambda: gate.wait(60), told)
    with pytest.raises(Overloaded):
        hold(pool, "ada", 1, lambda: None, told)
    hold(pool, "bob", 1, lambda: "bob", told)
    wait_until(lambda: told == ["bob"])


def test_what_waits_is_given_up_and_makes_room(gate):
    pool, told = Threads(2, 2), Told()
    jobs = hold(pool, "ada", 3, lambda: gate.wait(60), told)
    assert [pool.give_up(job) for job in jobs[1:]] == [True, True]
    assert pool.parked == {}
    gate.set()
    wait_until(lambda: told == [True])
    assert pool.held == {}


def test_what_waits_behind_stuck_calls_is_sent_away(gate):
    pool, told = Threads(4, 4), Told()
    running = threading.Semaphore(0)

    def stay():
        running.release()
        return gate.wait(60)

    jobs = hold(pool, "ada", 2, stay, told)
    waiting = hold(pool, "ada", 3, stay, told)
    for _ in jobs:
        running.acquire(timeout=LONGEST)
    for job in jobs:
        pool.give_up(job)
    for job in waiting:
        pool.give_up(job)
    with pytest.raises(Overloaded):
        for _ in range(9):
            pool.give_up(hold(pool, "ada", 1, stay, told)[0])
    assert pool.stuck < pool.most_stuck
    bob = Told()
    hold(pool, "bob", 1, lambda: "bob", bob)
    wait_until(lambda: bob == ["bob"])


def test_a_thread_that_waits_for_another_holds_none(gate):
    pool, told = Threads(2, 2), Told()
    inside = threading.Event()

    def outer():
        with pool.lent():
            wait_for(inside)
        return "outer"

    hold(pool, "ada", 1, outer, told)
    wait_until(lambda: pool.held == {} and pool.count == 0)
    hold(pool, "ada", 1, lambda: inside.set() or "inner", told)
    wait_until(lambda: sorted(told) == ["inner", "outer"])
    wait_until(lambda: pool.held == {})
