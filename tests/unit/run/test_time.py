"""Where deadlines meet generators and retries."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Annotated, Any

import pytest

from tests.unit.run.driving import LATER, LONGEST, SOON, STOPPED, WAYS, code_of, wait_for
from toolwright import Call, Inject, Retry, Timeout, Toolbox, ToolError

BOTH = pytest.mark.parametrize("way", WAYS)


def box_with(target, **options):
    box = Toolbox("time")
    box.add(target, name="probe", **options)
    return box


# -- generators and deadlines


@pytest.mark.promise("limit.stream")
@BOTH
@pytest.mark.parametrize("limit", [LATER, Timeout(idle=LATER)], ids=["total", "idle"])
def test_items_before_the_deadline_are_progress_and_later_ones_are_nobodys(
    way, limit, start, event
):
    released, closed = event(), event()
    told = []

    def probe() -> Iterator[str]:
        try:
            yield "one"
            released.wait(LONGEST)
            yield "two"
            yield "three"
        finally:
            closed.set()

    call = Call(on_progress=lambda *step: told.append(step))
    answer = start(way, box_with(probe, timeout=limit), "probe", {}, call).answer()
    assert code_of(answer) == "timeout"
    assert not closed.is_set()
    released.set()
    wait_for(closed)
    assert told == [(1, None, "one")]


@BOTH
def test_a_generator_that_is_given_up_is_closed_by_its_own_thread_at_its_next_item(
    way, start, event
):
    released, closed = event(), event()
    seen = []

    def probe() -> Iterator[int]:
        seen.append(threading.current_thread())
        try:
            yield 1
            released.wait(LONGEST)
            yield 2
            seen.append("went on")
        finally:
            seen.append(threading.current_thread())
            closed.set()

    assert code_of(start(way, box_with(probe, timeout=LATER), "probe").answer()) == "timeout"
    released.set()
    wait_for(closed)
    assert len(seen) == 2
    assert seen[0] is seen[1]


@BOTH
def test_an_async_generator_is_closed_when_its_time_is_over(way, start, event):
    closed = event()
    told = []

    async def probe() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
            yield 2
        finally:
            closed.set()

    call = Call(on_progress=lambda *step: told.append(step))
    assert (
        code_of(start(way, box_with(probe, timeout=LATER), "probe", {}, call).answer()) == "timeout"
    )
    wait_for(closed)
    assert told == [(1, None, "1")]


@BOTH
@pytest.mark.parametrize("sign", ["heartbeat", "progress"])
def test_signs_of_life_start_the_idle_clock_anew(way, sign, start):
    """The clock is wound back as if much time had passed; one sign of life makes up for it."""

    def probe(call: Call) -> str:
        call._life -= 1000
        call.heartbeat() if sign == "heartbeat" else call.progress(1)
        return "alive"

    answer = start(way, box_with(probe, timeout=Timeout(idle=LONGEST)), "probe").answer()
    assert answer.value == "alive"


@BOTH
def test_the_earlier_of_two_deadlines_counts(way, start, event):
    released = event()

    def probe() -> bool:
        return released.wait(LONGEST)

    patient, hasty = box_with(probe, timeout=LONGEST), box_with(probe, timeout=SOON)
    assert code_of(start(way, patient, "probe", {}, Call(timeout=SOON)).answer()) == "timeout"
    assert code_of(start(way, hasty, "probe", {}, Call(timeout=LONGEST)).answer()) == "timeout"


def test_the_timeout_of_a_tool_counts_and_not_that_of_its_toolbox(event):
    released = event()
    box = Toolbox("time", timeout=LONGEST)
    box.add(lambda: released.wait(LONGEST), name="hasty", timeout=SOON)
    assert code_of(box.call("hasty")) == "timeout"


# -- stops and the log


@BOTH
@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("by", ["deadline", "call"])
def test_a_call_that_is_stopped_is_no_failure_to_look_into(way, kind, by, start, event, caplog):
    began, released, ended = event(), event(), event()

    def probe() -> None:
        began.set()
        released.wait(LONGEST)
        ended.set()

    async def probe_async() -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    call = Call()
    limit = SOON if by == "deadline" else LONGEST
    box = box_with(probe if kind == "sync" else probe_async, timeout=limit)
    box.add(lambda: 1, name="other")
    calling = start(way, box, "probe", {}, call)
    if by == "call":
        wait_for(began)
        call.cancel()
    assert code_of(calling.answer()) in ("timeout", "cancelled")
    released.set()
    if began.is_set():
        wait_for(ended)
    for each in WAYS:  # both loops come round once more
        assert start(each, box, "other", {}, Call(timeout=LONGEST)).answer().value == 1
    assert [said.getMessage() for said in caplog.records if said.levelname == "ERROR"] == []


@pytest.mark.parametrize("options", [{}, {"timeout": LONGEST}, {"cache": 60}], ids=str)
def test_a_task_that_is_cancelled_lets_an_async_tool_clean_up_before_its_loop_ends(options):
    """Limits change nothing here: as with any coroutine, who cancels it waits for its end."""
    told = []

    async def probe() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(5):
                await asyncio.sleep(0)
            told.append("cleaned up")

    async def main():
        task = asyncio.ensure_future(box_with(probe, **options).call_async("probe"))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert told == ["cleaned up"]


# -- retries and deadlines


@pytest.mark.promise("limit.retry-deadline")
@BOTH
def test_no_attempt_begins_if_the_pause_before_it_would_outlast_the_deadline(way, start):
    runs = []

    def probe() -> None:
        runs.append(1)
        raise ConnectionError("down")

    box = box_with(probe, timeout=5, retry=Retry(attempts=9, wait_initial=60, wait_max=60))
    answer = start(way, box, "probe").answer()
    assert answer.text == "ConnectionError: down"
    assert runs == [1]


@BOTH
def test_no_attempt_follows_one_that_ran_into_the_deadline(way, start, event):
    released, ended = event(), event()
    runs = []

    def probe() -> None:
        runs.append(1)
        released.wait(LONGEST)
        ended.set()
        raise ConnectionError("down")

    box = box_with(probe, timeout=LATER, retry=Retry(attempts=9, wait_initial=0.001))
    assert code_of(start(way, box, "probe").answer()) == "timeout"
    released.set()
    wait_for(ended)
    assert runs == [1]


@BOTH
@pytest.mark.parametrize("by", ["call", "task"])
def test_a_call_that_is_cancelled_between_two_attempts_begins_no_other(way, by, start, event):
    if way == "call" and by == "task":
        pytest.skip("a sync caller has no task")
    failing = event()
    runs = []

    def probe() -> None:
        runs.append(1)
        failing.set()
        raise ConnectionError("down")

    call = Call()
    box = box_with(probe, retry=Retry(attempts=9, wait_initial=1000, wait_max=1000))
    calling = start(way, box, "probe", {}, call)
    wait_for(failing)
    assert not calling.is_answered
    call.cancel() if by == "call" else calling.cancel_task()
    answer = calling.answer()
    assert answer is STOPPED or code_of(answer) == "cancelled"
    assert runs == [1]


@pytest.mark.promise("limit.retry-fresh")
@BOTH
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_each_attempt_gets_fresh_arguments_and_fresh_injected_values(way, kind, start):
    told, seen = [], []
    sent = {"items": [1, 2], "deep": {"a": [1]}}

    def count() -> Iterator[list[int]]:
        told.append("open")
        try:
            yield []
        except ConnectionError:
            told.append("failed")
            raise
        finally:
            told.append("close")

    def work(items, deep, fresh):
        seen.append((list(items), {key: list(each) for key, each in deep.items()}, list(fresh)))
        items.clear()
        deep["a"].append(2)
        fresh.append("used")
        if len(seen) < 3:
            raise ConnectionError("not yet")
        return len(seen)

    def probe(
        items: list[int], deep: dict[str, list[int]], fresh: Annotated[list[str], Inject(count)]
    ) -> int:
        return work(items, deep, fresh)

    async def probe_async(
        items: list[int], deep: dict[str, list[int]], fresh: Annotated[list[str], Inject(count)]
    ) -> int:
        return work(items, deep, fresh)

    target = probe if kind == "sync" else probe_async
    box = box_with(target, retry=Retry(attempts=3, wait_initial=0.001))
    assert start(way, box, "probe", sent).answer().value == 3
    assert seen == [([1, 2], {"a": [1]}, [])] * 3
    assert told == [*["open", "failed", "close"] * 2, "open", "close"]
    assert sent == {"items": [1, 2], "deep": {"a": [1]}}


@BOTH
@pytest.mark.parametrize("call", [None, Call], ids=["unwatched", "watched"])
@pytest.mark.parametrize("sent", [{"items": [1]}, '{"items": [1]}'], ids=["mapping", "JSON"])
def test_attempts_of_a_tool_without_other_limits_get_fresh_arguments_too(way, call, sent, start):
    seen = []

    def probe(items: list[Any], more: Any = None) -> int:
        seen.append(list(items))
        items.append("used")
        if len(seen) < 3:
            raise ConnectionError("not yet")
        return len(seen)

    box = box_with(probe, retry=Retry(attempts=3, wait_initial=0.001))
    answer = start(way, box, "probe", sent, call and call()).answer()
    assert answer.value == 3
    assert seen == [[1]] * 3


@BOTH
@pytest.mark.parametrize(
    ("raised", "attempts"),
    [
        (ToolError("later", retryable=True), 3),
        (ToolError("never", retryable=False), 1),
        (ToolError("never"), 1),
        (ValueError("wrong"), 1),
        (TimeoutError("slow"), 3),
        (SystemExit(1), 1),
    ],
    ids=lambda value: repr(value),
)
def test_only_what_may_pass_is_tried_again(way, raised, attempts, start):
    runs = []

    def probe() -> None:
        runs.append(1)
        raise raised

    box = box_with(probe, retry=Retry(attempts=3, wait_initial=0.001))
    assert start(way, box, "probe").answer().is_error
    assert len(runs) == attempts
