"""One caller's slow tools in processes leave a process for others."""

import asyncio
import os
import threading

import pytest
from attack_tools import box

from toolwright import Call, CallCancelled, Overloaded
from toolwright.run.process import pool as children
from toolwright.run.process.pool import Pool


@pytest.fixture(autouse=True)
def _fresh():
    children.close_pools()
    yield
    children.close_pools()


@pytest.mark.promise("limit.process-shares")
@pytest.mark.soak
def test_slow_processes_of_one_caller_do_not_stop_others(tmp_path):
    go = tmp_path / "go"
    cores = max(os.cpu_count() or 1, 2)

    async def main():
        def begin(tool, caller, **sent):
            call = Call(caller=caller)
            return asyncio.ensure_future(box.call_async(tool, sent, call=call))

        slow = [begin("waits", "greedy", go=str(go)) for _ in range(3 * cores)]
        first = await asyncio.wait_for(begin("quick", "modest"), 60)
        assert first.value not in {None, 0}
        assert not any(each.done() for each in slow)
        again = await asyncio.wait_for(
            asyncio.gather(*(begin("quick", "modest") for _ in "abc")), 60
        )
        assert {each.is_error for each in again} == {False}
        go.touch()
        results = await asyncio.gather(*slow)
        assert len({each.value for each in results}) <= 2 * cores
        assert not any(each.is_error for each in results)

    asyncio.run(main())


class Fake:
    """A process that does nothing."""

    code = 0
    is_odd = False

    def __init__(self, memory):
        self.holder = ""


@pytest.fixture
def pool(monkeypatch):
    monkeypatch.setattr(children, "Child", Fake)
    monkeypatch.setattr(children, "_code", 0)
    made = Pool(None)
    made.most_own, made.most = 2, 4
    return made


def taken(pool, name, got):
    """Take a process in a thread; note whose it is as soon as there is one."""

    def run():
        got.append((name, pool.take(Call(caller=name))))

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def waits(pool, name, count):
    """Wait until so many calls of a caller wait."""
    for _ in range(3000):
        with pool.lock:
            if len(pool.waiting.get(f"caller {name}", ())) == count:
                return
        threading.Event().wait(0.01)
    raise AssertionError("they do not wait")


@pytest.mark.soak
def test_callers_who_wait_are_served_in_turn(pool):
    first = [pool.take(Call(caller="a")), pool.take(Call(caller="a"))]
    got, threads = [], []
    for at in range(3):
        threads.append(taken(pool, "a", got))
        waits(pool, "a", at + 1)
    held = [pool.take(Call(caller="b")), pool.take(Call(caller="c"))]
    assert pool.busy == 4
    for name in "bcd":
        threads.append(taken(pool, name, got))
        waits(pool, name, 1)
    pool.give(first[0])  # for `a` it would be the second of one that is free
    while len(got) < 1:
        threading.Event().wait(0.01)
    assert got[0][0] == "d"
    for each in (first[1], *held):
        pool.give(each)
    for at in range(1, 7):
        while len(got) < min(at + 1, 6):
            threading.Event().wait(0.01)
        pool.give(got[at - 1][1])
    for each in threads:
        each.join(60)
    assert sorted(name for name, _ in got) == list("aaabcd")
    assert (pool.busy, pool.held, pool.waiting) == (0, {}, {})


def test_whoever_gives_up_waiting_leaves_the_line(pool):
    pool.most = pool.most_own = 1
    child = pool.take(Call(caller="a"))
    call, caught = Call(caller="a"), []

    def run():
        try:
            pool.take(call)
        except CallCancelled as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    waits(pool, "a", 1)
    call.cancel()
    thread.join(60)
    assert len(caught) == 1
    assert pool.waiting == {}
    pool.give(child)
    assert (pool.busy, pool.held) == (0, {})


def test_the_line_of_a_caller_is_bounded(pool, monkeypatch):
    monkeypatch.setattr(children, "MOST_PARKED", 1)
    pool.most = pool.most_own = 1
    child, got = pool.take(Call(caller="a")), []
    thread = taken(pool, "a", got)
    waits(pool, "a", 1)
    with pytest.raises(Overloaded, match="1 of your calls are waiting"):
        pool.take(Call(caller="a"))
    pool.give(child)
    thread.join(60)
    assert got


def test_a_program_that_calls_its_own_tools_uses_every_core(pool):
    mine = [pool.take(Call()) for _ in range(2)]
    assert pool.held == {"": 2}
    assert pool.take(Call(caller="a"))
    for each in mine:
        pool.give(each)
