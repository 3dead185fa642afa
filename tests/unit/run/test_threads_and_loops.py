"""Calls from loops and threads, and the context that reaches the tool."""

import asyncio
import contextvars
import threading
from collections.abc import Iterator

import pytest

from tests.unit.returning import returning
from tests.unit.ways import box_of
from toolwright import Toolbox
from toolwright.run.loop import background


def test_calls_work_inside_a_running_loop():
    async def async_tool(n: int) -> int:
        await asyncio.sleep(0)
        return n

    def sync_tool(n: int) -> int:
        return n

    box = Toolbox("b", [async_tool, sync_tool])

    async def main():
        return box.call("async_tool", {"n": 1}).value, box.call("sync_tool", {"n": 2}).value

    assert asyncio.run(main()) == (1, 2)


def test_a_tool_may_call_another_from_any_place():
    box = Toolbox("b")

    @box.tool
    async def leaf(n: int) -> int:
        await asyncio.sleep(0)
        return n + 1

    @box.tool
    def sync_calls_async(n: int) -> int:
        return box.call("leaf", {"n": n}).value

    @box.tool
    async def async_awaits(n: int) -> int:
        return (await box.call_async("leaf", {"n": n})).value

    @box.tool
    async def async_calls_sync_caller(n: int) -> int:
        return (await box.call_async("sync_calls_async", {"n": n})).value

    for name in ("sync_calls_async", "async_awaits", "async_calls_sync_caller"):
        assert box.call(name, {"n": 1}).value == 2
        assert asyncio.run(box.call_async(name, {"n": 1})).value == 2


def test_an_async_tool_that_calls_synchronously_gives_a_result_and_never_hangs():
    box = Toolbox("b")

    @box.tool
    async def leaf() -> int:
        return 1

    @box.tool
    async def blocks() -> int:
        return box.call("leaf").value

    done = []
    thread = threading.Thread(target=lambda: done.append(box.call("blocks")), daemon=True)
    thread.start()
    thread.join(60)
    assert done
    done[0].to_mcp_json()


def test_calls_from_many_threads_do_not_mix():
    def probe(n: int) -> int:
        return n * 2

    async def probe_async(n: int) -> int:
        await asyncio.sleep(0)
        return n * 2

    box = Toolbox("b", [probe, probe_async])
    wrong = []

    def work(base):
        for n in range(base, base + 50):
            for name in ("probe", "probe_async"):
                if box.call(name, {"n": n}).value != n * 2:
                    wrong.append(n)

    threads = [threading.Thread(target=work, args=(base * 1000,)) for base in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []


def test_many_calls_at_once_all_come_back():
    def probe(n: int) -> int:
        return n

    box = box_of(probe)

    async def main():
        return await asyncio.gather(*(box.call_async("probe", {"n": n}) for n in range(500)))

    assert [result.value for result in asyncio.run(main())] == list(range(500))


USER = contextvars.ContextVar("USER", default="nobody")


def test_context_variables_reach_the_tool_wherever_it_runs():
    def probe() -> str:
        return USER.get()

    async def probe_async() -> str:
        return USER.get()

    def generator() -> Iterator[str]:
        yield USER.get()

    async def later():
        return USER.get()

    def promise() -> str:
        return later()  # pyright: ignore

    async def main(box):
        return (await box.call_async("probe")).text

    token = USER.set("ada")
    try:
        for target in (probe, probe_async, generator, promise):
            box = box_of(target)
            assert box.call("probe").text == "ada"
            assert asyncio.run(main(box)) == "ada"
            hooked = box_of(target)

            @hooked.around
            async def passing(call, arguments, following):
                return await following(arguments)

            assert hooked.call("probe").text == "ada"
            assert asyncio.run(main(hooked)) == "ada"
    finally:
        USER.reset(token)
    assert box_of(probe).call("probe").text == "nobody"


def test_what_a_tool_sets_in_its_context_does_not_leak_to_the_next_call():
    def probe() -> str:
        before = USER.get()
        USER.set("changed")
        return before

    box = box_of(probe)

    async def main():
        return [(await box.call_async("probe")).text for _ in range(3)]

    assert asyncio.run(main()) == ["nobody"] * 3


def test_a_sync_tool_runs_on_the_callers_thread_and_in_a_thread_for_async_callers():
    def probe() -> str:
        return threading.current_thread().name

    box = box_of(probe)
    here = threading.current_thread().name
    assert box.call("probe").text == here
    assert asyncio.run(box.call_async("probe")).text != here


def test_an_async_tool_runs_on_the_loop_of_its_async_caller():
    async def probe() -> int:
        return id(asyncio.get_running_loop())

    async def main(box):
        return (await box.call_async("probe")).value == id(asyncio.get_running_loop())

    assert asyncio.run(main(box_of(probe)))


def test_failures_in_threads_leave_the_workers_alive():
    box = Toolbox("b")

    @box.tool
    def bad() -> int:
        raise SystemExit(1)  # a new one each time: the traceback of one that is shared would grow

    box.add(returning(1, int), name="good")

    async def main():
        await asyncio.gather(*(box.call_async("bad") for _ in range(200)))
        return (await box.call_async("good")).value

    assert asyncio.run(main()) == 1


def test_a_task_that_only_calls_quick_tools_lets_others_run():
    """Its loop waits for each in place, which is quicker than to be woken, but not forever."""
    box = Toolbox("quick")
    box.add(lambda: 1, name="one")
    turns = 0

    async def count():
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async def main():
        other = asyncio.ensure_future(count())
        for _ in range(300):
            assert (await box.call_async("one")).value == 1
        other.cancel()

    asyncio.run(main())
    assert turns >= 300 // 25


def test_a_quick_tool_that_becomes_slow_holds_no_loop():
    box = Toolbox("slow")
    met = threading.Barrier(6, timeout=30)

    @box.tool
    def maybe(wait: bool) -> int:
        return met.wait() if wait else 0

    async def main():
        for _ in range(5):
            await box.call_async("maybe", {"wait": False})
        held = [asyncio.ensure_future(box.call_async("maybe", {"wait": True})) for _ in range(5)]
        await asyncio.to_thread(met.wait)
        assert not any([(await each).is_error for each in held])

    asyncio.run(main())


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), asyncio.CancelledError()])
def test_whatever_ends_a_coroutine_on_the_background_loop_reaches_the_caller(error):
    async def fails():
        raise error

    async def main():
        with pytest.raises(type(error)) as caught:
            await background.run_async(fails())
        assert caught.value is error
        return await background.run_async(asyncio.sleep(0, "alive"))

    assert asyncio.run(main()) == "alive"


def test_a_coroutine_on_the_background_loop_is_cancelled_with_its_caller():
    began, ended = threading.Event(), threading.Event()
    seen = contextvars.ContextVar("seen", default="nothing")

    async def waits():
        assert seen.get() == "the caller's"
        began.set()
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    async def main():
        seen.set("the caller's")
        task = asyncio.create_task(background.run_async(waits()))
        assert await asyncio.to_thread(began.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(ended.wait, 60)

    asyncio.run(main())
