"""One caller's slow tools in processes leave a process for others."""

import threading

import pytest

from toolwright import Call, CallCancelled, Overloaded
from toolwright.run import pool as children
from toolwright.run.pool import Pool


@pytest.fixture(autouse=True)
def _fresh():
    children.close_pools()
    yield
    children.close_pools()


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
