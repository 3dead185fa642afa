"""Many calls at once, and calls that never end."""

import asyncio
import collections
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Annotated

import pytest

from tests.unit.run.driving import LATER, LONGEST, SOON, code_of, wait_until
from toolwright import Call, Inject, Toolbox
from toolwright.run import threads as workers


def crowded_box(ran, told):
    """Tools of every kind; each answer carries its tool, its argument and its caller."""
    box = Toolbox("crowd")
    lock = threading.Lock()
    inside = []

    def answer(name, n, caller):
        ran.append((name, n, caller))
        return f"{name} {n} {caller}"

    def opened(call: Call) -> Iterator[str]:
        told.append(("open", call.id))
        yield call.caller or ""
        told.append(("close", call.id))

    async def opened_async(call: Call) -> AsyncIterator[str]:
        told.append(("open", call.id))
        yield call.caller or ""
        told.append(("close", call.id))

    @box.tool
    def sync(n: int, call: Call) -> str:
        return answer("sync", n, call.caller)

    @box.tool
    async def waits(n: int, call: Call) -> str:
        await asyncio.sleep(0)
        return answer("waits", n, call.caller)

    @box.tool(cache=600)
    def cached(n: int, call: Call) -> str:
        return answer("cached", n, call.caller)

    @box.tool(cache=600)
    async def cached_async(n: int, call: Call) -> str:
        await asyncio.sleep(0)
        return answer("cached_async", n, call.caller)

    @box.tool(max_concurrency=1)
    def exclusive(n: int, call: Call) -> str:
        assert lock.acquire(blocking=False), "two at a time"
        try:
            return answer("exclusive", n, call.caller)
        finally:
            lock.release()

    @box.tool(max_concurrency=1)
    async def exclusive_async(n: int, call: Call) -> str:
        inside.append(n)
        await asyncio.sleep(0)
        assert inside == [n], "two at a time"
        inside.clear()
        return answer("exclusive_async", n, call.caller)

    @box.tool(timeout=600)
    def injected(n: int, caller: Annotated[str, Inject(opened)]) -> str:
        return answer("injected", n, caller)

    @box.tool
    async def injected_async(n: int, caller: Annotated[str, Inject(opened_async)]) -> str:
        return answer("injected_async", n, caller)

    @box.tool
    def generator(n: int, call: Call) -> Iterator[str]:
        yield answer("generator", n, call.caller)[:3]
        yield f"generator {n} {call.caller}"[3:]

    @box.tool(run_on="inline")
    def inline(n: int, call: Call) -> str:
        return answer("inline", n, call.caller)

    return box


def test_callers_in_threads_and_on_a_loop_share_a_box_without_crossing_answers(start):
    ran, told = [], []
    box = crowded_box(ran, told)
    asked = [(name, n, f"caller {n}") for n in range(20) for name in box]
    callings = [
        start(("call", "call_async")[n % 2], box, name, {"n": n}, Call(caller=caller))
        for name, n, caller in asked
    ]
    for calling, (name, n, caller) in zip(callings, asked, strict=True):
        if name == "exclusive_async":  # on two loops at once, each call still has its turn
            assert not calling.answer().is_error
        assert calling.answer().value == f"{name} {n} {caller}"
    assert collections.Counter(ran) == collections.Counter(asked)


# -- calls that never end


@pytest.fixture
def nothing_stuck():
    """Whatever earlier tests gave up has ended."""
    wait_until(lambda: workers.threads.stuck == 0)
    return workers.threads


@pytest.mark.promise("limit.deadline")
def test_calls_that_are_stuck_take_nobodys_place(nothing_stuck, event):
    released = event()
    count = 40
    # All of these must run at the same time: they can, if every thread is there for them.
    together = threading.Barrier(nothing_stuck.most)
    box = Toolbox("stuck")
    box.add(lambda: released.wait(LONGEST), name="stuck", timeout=SOON)

    @box.tool
    def other(n: int) -> int:
        if n < nothing_stuck.most:
            together.wait(LONGEST)
        return n * 2

    async def main():
        stuck = await asyncio.gather(*(box.call_async("stuck") for _ in range(count)))
        assert {code_of(answer) for answer in stuck} == {"timeout"}
        others = await asyncio.gather(*(box.call_async("other", {"n": n}) for n in range(100)))
        assert [answer.value for answer in others] == [n * 2 for n in range(100)]

    asyncio.run(main())
    assert not released.is_set()
    released.set()
    wait_until(lambda: nothing_stuck.stuck == 0)


def test_others_that_stand_behind_stuck_calls_get_their_threads(event):
    released = event()
    threads = workers.Threads(most=2, most_stuck=8)
    began = threading.Semaphore(0)
    done = threading.Semaphore(0)

    def block():
        began.release()
        released.wait(LONGEST)

    stuck = [threads.start(block, lambda *_: done.release()) for _ in range(2)]
    for _ in stuck:
        assert began.acquire(timeout=LONGEST)
    ran = []
    others = [threads.start(lambda n=n: ran.append(n), lambda *_: done.release()) for n in range(5)]
    assert threads.give_up(others[3]) is True
    assert [threads.give_up(job) for job in stuck] == [False, False]
    for _ in range(4):
        assert done.acquire(timeout=LONGEST)
    assert sorted(ran) == [0, 1, 2, 4]
    assert threads.stuck == 2
    released.set()
    for _ in stuck:
        assert done.acquire(timeout=LONGEST)
    wait_until(lambda: (threads.stuck, threads.backlog, threads.idle) == (0, 0, threads.count))


@pytest.mark.promise("limit.stuck")
def test_too_many_stuck_calls_are_told_by_code_and_it_passes(nothing_stuck, event, monkeypatch):
    monkeypatch.setattr(nothing_stuck, "most_stuck", 3)
    released = event()
    ran = []
    box = Toolbox("stuck")
    box.add(lambda: released.wait(LONGEST), name="stuck", timeout=LATER)

    @box.tool(max_concurrency=1, cache=60)
    def other(n: int) -> int:
        ran.append(n)
        return n

    async def main():
        stuck = await asyncio.gather(*(box.call_async("stuck") for _ in range(3)))
        assert {code_of(answer) for answer in stuck} == {"timeout"}
        refused = await asyncio.gather(*(box.call_async("other", {"n": 1}) for _ in range(5)))
        assert {code_of(answer) for answer in refused} == {"overloaded"}
        assert all(answer.error.retry_after > 0 for answer in refused)
        assert code_of(box.call("stuck")) == "overloaded"
        # What needs no thread still works: the caller's own, and the loop itself.
        assert box.call("other", {"n": 2}).value == 2
        assert ran == [2]

    asyncio.run(main())
    released.set()
    wait_until(lambda: nothing_stuck.stuck == 0)
    assert asyncio.run(box.call_async("other", {"n": 1})).value == 1


def test_a_stuck_tool_leaves_its_own_kind_alone(nothing_stuck, event):
    """Other calls of the same tool go on, too, unless they would need its turn."""
    released = event()
    box = Toolbox("stuck")

    @box.tool
    def probe(n: int) -> int:
        if n == 0:
            released.wait(LONGEST)
        return n

    async def main():
        calls = [Call(timeout=None if n else LATER) for n in range(100)]
        begun = (box.call_async("probe", {"n": n}, call=call) for n, call in enumerate(calls))
        answers = await asyncio.gather(*begun)
        assert code_of(answers[0]) == "timeout"
        assert [answer.value for answer in answers[1:]] == list(range(1, 100))

    asyncio.run(main())


def test_an_async_tool_that_is_stuck_holds_no_thread(nothing_stuck):
    box = Toolbox("stuck")

    @box.tool(timeout=SOON)
    async def probe() -> None:
        await asyncio.Event().wait()

    async def main():
        answers = await asyncio.gather(*(box.call_async("probe") for _ in range(200)))
        assert {code_of(answer) for answer in answers} == {"timeout"}

    asyncio.run(main())
    assert nothing_stuck.stuck == 0
