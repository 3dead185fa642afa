"""Lifespans: entered once, left on close, on any loop."""

import asyncio
import contextlib
import threading

import pytest

from tests.unit.ways import compact, within
from toolwright import Toolbox


def lifespan_of(log, value="db"):
    @contextlib.asynccontextmanager
    async def open_():
        log.append(("open", threading.current_thread().name))
        try:
            yield value
        finally:
            log.append(("close", threading.current_thread().name))

    return open_


def box_with(lifespan):
    box = Toolbox("b", lifespan=lifespan)

    @box.tool
    def state() -> str:
        return str(box.state)

    @box.tool
    async def state_async() -> str:
        return str(box.state)

    return box


def kinds(log):
    return [each[0] for each in log]


@pytest.mark.promise("call.lifespan")
def test_a_lifespan_is_entered_on_first_use_and_left_on_close():
    log = []
    box = box_with(lifespan_of(log))
    assert log == []
    assert box.state is None
    assert box.call("state").text == "db"
    assert box.call("state_async").text == "db"
    assert kinds(log) == ["open"]
    box.close()
    assert kinds(log) == ["open", "close"]
    assert box.state is None
    box.close()
    assert kinds(log) == ["open", "close"]
    assert box.call("state").text == "db"
    box.close()
    assert kinds(log) == ["open", "close", "open", "close"]
    assert len({name for _, name in log}) == 1


def test_with_enters_and_leaves_the_lifespan():
    log = []
    with box_with(lifespan_of(log)) as box:
        assert kinds(log) == ["open"]
        assert box.call("state").text == "db"
    assert kinds(log) == ["open", "close"]


def test_async_with_enters_and_leaves_the_lifespan():
    log = []

    async def main():
        async with box_with(lifespan_of(log)) as box:
            assert kinds(log) == ["open"]
            assert (await box.call_async("state")).text == "db"
            assert (await box.call_async("state_async")).text == "db"

    asyncio.run(main())
    assert kinds(log) == ["open", "close"]


def test_aclose_leaves_the_lifespan():
    log = []

    async def main():
        box = box_with(lifespan_of(log))
        await asyncio.gather(*(box.call_async("state") for _ in range(10)))
        assert kinds(log) == ["open"]
        await box.aclose()

    asyncio.run(main())
    assert kinds(log) == ["open", "close"]


def test_many_threads_enter_a_lifespan_once():
    log = []
    box = box_with(lifespan_of(log))
    barrier = threading.Barrier(8)
    said = []

    def work():
        barrier.wait(60)
        said.append(box.call("state").text)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert said == ["db"] * 8
    assert kinds(log) == ["open"]
    box.close()


def test_a_lifespan_opened_with_with_serves_async_callers_on_another_loop():
    log = []
    with box_with(lifespan_of(log)) as box:
        assert asyncio.run(box.call_async("state")).text == "db"
        assert asyncio.run(box.call_async("state_async")).text == "db"
    assert kinds(log) == ["open", "close"]


def test_a_lifespan_whose_loop_has_ended_is_opened_again():
    log = []
    box = box_with(lifespan_of(log))
    assert asyncio.run(box.call_async("state")).text == "db"
    assert asyncio.run(box.call_async("state")).text == "db"
    assert within(lambda: box.call("state")).text == "db"
    within(lambda: box.close() or True)
    assert kinds(log).count("open") == kinds(log).count("close")


@pytest.mark.parametrize("error", [RuntimeError("secret"), SystemExit(1), KeyboardInterrupt()])
def test_a_lifespan_that_does_not_open_is_a_failed_call_and_is_tried_again(error):
    tries = []

    @contextlib.asynccontextmanager
    async def open_():
        tries.append(1)
        if len(tries) == 1:
            raise error
        yield "db"

    box = box_with(open_)
    try:
        first = within(lambda: box.call("state"))
        assert first.is_error
        assert "secret" not in compact(first.to_mcp())
        assert within(lambda: box.call("state")).text == "db"
        assert len(tries) == 2
        within(lambda: box.close() or True)
    finally:
        renew_background_loop()


def renew_background_loop():
    """Forget a loop that a test may have ended, so that no other test hangs on it."""
    from toolwright.run.loop import background

    background.loop = None


def test_a_lifespan_that_does_not_open_raises_from_with():
    @contextlib.asynccontextmanager
    async def open_():
        raise RuntimeError("no db")
        yield

    with pytest.raises(RuntimeError, match="no db"), box_with(open_):
        pass

    async def main():
        async with box_with(open_):
            pass

    with pytest.raises(RuntimeError, match="no db"):
        asyncio.run(main())


def test_hooks_and_lifespan_work_together():
    log = []
    box = box_with(lifespan_of(log))

    @box.around
    async def watch(call, arguments, following):
        log.append(("hook", box.state))
        return await following(arguments)

    assert box.call("state").text == "db"
    assert log[1] == ("hook", "db")
    box.close()
