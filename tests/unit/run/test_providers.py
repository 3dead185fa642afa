"""Where injection meets deadlines, cancelling and many calls at once."""

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Annotated

import pytest

from tests.unit.run.driving import LATER, LONGEST, WAYS, code_of, wait_for, wait_until
from toolwright import Call, Inject, Toolbox
from toolwright.run import threads as workers

BOTH = pytest.mark.parametrize("way", WAYS)
KINDS = pytest.mark.parametrize("kind", ["sync", "async"])


def box_with(target, **options):
    box = Toolbox("providers")
    box.add(target, name="probe", **options)
    return box


# -- injection and deadlines


def watched(told, opened=None, released=None, closed=None):
    """A sync provider that tells what it saw; it may be slow to open."""

    def resource() -> Iterator[str]:
        if opened is not None:
            opened.set()
            released.wait(LONGEST)
        told.append("open")
        try:
            yield "it"
        except BaseException as error:
            told.append(type(error).__name__)
            raise
        finally:
            told.append("close")
            if closed is not None:
                closed.set()

    return resource


@pytest.mark.promise("limit.cleanup-late")
@BOTH
def test_what_is_injected_is_closed_when_an_abandoned_thread_really_ends(way, start, event):
    released, closed = event(), event()
    told = []

    def probe(it: Annotated[str, Inject(watched(told, closed=closed))]) -> str:
        released.wait(LONGEST)
        return it

    assert code_of(start(way, box_with(probe, timeout=LATER), "probe").answer()) == "timeout"
    assert told == ["open"]
    released.set()
    wait_for(closed)
    assert told == ["open", "CallCancelled", "close"]


@BOTH
def test_an_async_provider_of_a_sync_tool_waits_for_its_thread_to_end(way, start, event):
    released, closed = event(), event()
    told = []

    async def resource() -> AsyncIterator[str]:
        told.append("open")
        try:
            yield "it"
        finally:
            told.append("close")
            closed.set()

    def probe(it: Annotated[str, Inject(resource)]) -> str:
        released.wait(LONGEST)
        told.append("ended")
        return it

    assert code_of(start(way, box_with(probe, timeout=LATER), "probe").answer()) == "timeout"
    assert told == ["open"]
    released.set()
    wait_for(closed)
    assert told == ["open", "ended", "close"]


@BOTH
@KINDS
def test_a_target_does_not_begin_if_its_time_is_over_before_it_is_injected(way, kind, start, event):
    opened, released, closed = event(), event(), event()
    told = []
    resource = watched(told, opened, released, closed)

    def probe(it: Annotated[str, Inject(resource)]) -> None:
        told.append("ran")

    async def probe_async(it: Annotated[str, Inject(resource)]) -> None:
        told.append("ran")

    box = box_with(probe if kind == "sync" else probe_async, timeout=LATER)
    assert code_of(start(way, box, "probe").answer()) == "timeout"
    wait_for(opened)
    released.set()
    wait_for(closed)
    assert "ran" not in told
    assert (told[0], told[-1], len(told)) == ("open", "close", 3)
    assert told[1] in ("CallCancelled", "CancelledError")


@BOTH
@KINDS
def test_providers_are_told_what_the_caller_is_told(way, kind, start):
    """A transaction that is rolled back since the call was cancelled is no success."""
    told = []

    def work(call):
        call.cancel()
        return "done"

    def probe(call: Call, it: Annotated[str, Inject(watched(told))]) -> str:
        return work(call)

    async def probe_async(call: Call, it: Annotated[str, Inject(watched(told))]) -> str:
        return work(call)

    box = box_with(probe if kind == "sync" else probe_async)
    answer = start(way, box, "probe").answer()
    assert (code_of(answer) is None) is (told == ["open", "close"])


@KINDS
def test_what_was_opened_is_closed_even_if_too_many_calls_are_stuck(
    kind, start, event, monkeypatch
):
    started, released, closed = event(), event(), event()
    told = []

    def probe(it: Annotated[str, Inject(watched(told, closed=closed))]) -> str:
        started.set()
        released.wait(LONGEST)
        return it

    async def probe_async(it: Annotated[str, Inject(watched(told, closed=closed))]) -> str:
        started.set()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, released.wait, LONGEST)
        return it

    calling = start("call_async", box_with(probe if kind == "sync" else probe_async), "probe")
    wait_for(started)
    monkeypatch.setattr(workers.threads, "most_stuck", 0)
    assert code_of(start("call_async", box_with(lambda: 1), "probe").answer()) == "overloaded"
    released.set()
    assert calling.answer().value == "it"
    wait_for(closed)
    assert told == ["open", "close"]


# -- order


@BOTH
@KINDS
def test_clean_up_keeps_its_order_even_if_the_deadline_passes_meanwhile(way, kind, start, event):
    cleaning, released, closed = event(), event(), event()
    told = []

    def outer() -> Iterator[str]:
        try:
            yield "outer"
        finally:
            told.append("outer closed")
            closed.set()

    def inner(outer: Annotated[str, Inject(outer)]) -> Iterator[str]:
        try:
            yield "inner"
        finally:
            cleaning.set()
            released.wait(LONGEST)
            told.append("inner closed")

    def probe(inner: Annotated[str, Inject(inner)]) -> str:
        return inner

    async def probe_async(inner: Annotated[str, Inject(inner)]) -> str:
        return inner

    box = box_with(probe if kind == "sync" else probe_async, timeout=LATER)
    box.add(lambda: 1, name="other")
    calling = start(way, box, "probe")
    wait_for(cleaning)
    assert code_of(calling.answer()) == "timeout"
    for each in WAYS * 3:  # whatever goes on, it has had every chance to
        assert start(each, box, "other", {}, Call(timeout=LONGEST)).answer().value == 1
    assert told == []
    released.set()
    wait_for(closed)
    assert told == ["inner closed", "outer closed"]


@BOTH
@KINDS
def test_a_provider_that_cannot_open_closes_those_before_it(way, kind, start):
    told = []

    def broken(it: Annotated[str, Inject(watched(told))]) -> str:
        raise ConnectionError("no database")

    def probe(broken: Annotated[str, Inject(broken)]) -> None:
        told.append("ran")

    async def probe_async(broken: Annotated[str, Inject(broken)]) -> None:
        told.append("ran")

    box = box_with(probe if kind == "sync" else probe_async, max_concurrency=1)
    for _ in range(2):
        told.clear()
        assert start(way, box, "probe").answer().text == "ConnectionError: no database"
        assert told == ["open", "ConnectionError", "close"]


# -- what is kept for the process


def kept_box(kind, told, opening, released, arrived):
    def resource() -> Iterator[object]:
        told.append("open")
        opening.set()
        released.wait(LONGEST)
        yield object()
        told.append("close")

    async def resource_async() -> AsyncIterator[object]:
        told.append("open")
        opening.set()
        await asyncio.get_running_loop().run_in_executor(None, released.wait, LONGEST)
        yield object()
        told.append("close")

    def arrive() -> None:
        arrived.append(1)

    async def arrive_async() -> None:
        arrived.append(1)

    first = arrive if kind == "sync" else arrive_async
    provider = resource if kind == "sync" else resource_async

    def probe(
        first: Annotated[None, Inject(first)],
        it: Annotated[object, Inject(provider, scope="process")],
    ) -> str:
        return str(id(it))

    box = box_with(probe)
    box.add(probe, name="hasty", timeout=LATER)
    return box


@KINDS
@pytest.mark.parametrize("ways", [("call",), ("call_async",), WAYS], ids="+".join)
def test_what_is_kept_is_made_once_for_all_who_come_together(kind, ways, start, event):
    told, arrived = [], []
    opening, released = event(), event()
    box = kept_box(kind, told, opening, released, arrived)
    callings = [start(ways[n % len(ways)], box, "probe") for n in range(10)]
    wait_for(opening)
    wait_until(lambda: len(arrived) == 10)
    released.set()
    answers = [calling.answer() for calling in callings]
    assert [code_of(answer) for answer in answers] == [None] * 10
    assert len({answer.value for answer in answers}) == 1
    assert told == ["open"]
    box.close()
    assert told == ["open", "close"]


@BOTH
@KINDS
def test_what_is_kept_survives_a_first_call_that_did_not_wait_for_it(way, kind, start, event):
    told = []
    opening, released = event(), event()
    box = kept_box(kind, told, opening, released, [])
    hasty = start(way, box, "hasty")
    assert code_of(hasty.answer()) == "timeout"
    wait_until(lambda: told == ["open"])
    released.set()
    assert not start(way, box, "probe").answer().is_error
    assert told == ["open"]
    box.close()
    assert told == ["open", "close"]


# -- sync providers beside an async tool


def test_sync_providers_in_a_row_are_made_in_one_thread_beside_the_loop():
    told = contextvars.ContextVar("told", default="nothing")
    seen = []

    def first(call: Call) -> str:
        seen.append(threading.get_ident())
        told.set("by the first")
        return call.tool

    def second(name: Annotated[str, Inject(first)]) -> str:
        seen.append(threading.get_ident())
        return f"{name}, told {told.get()}"

    async def between(name: Annotated[str, Inject(second)]) -> str:
        seen.append(threading.get_ident())
        return name

    def last(name: Annotated[str, Inject(between)]) -> str:
        seen.append(threading.get_ident())
        return name.upper()

    async def probe(last: Annotated[str, Inject(last)]) -> str:
        seen.append(threading.get_ident())
        return last

    async def main():
        return await box_with(probe).call_async("probe")

    assert asyncio.run(main()).text == "PROBE, TOLD BY THE FIRST"
    here = threading.get_ident()
    assert [each == here for each in seen] == [False, False, True, False, True]
    assert seen[0] == seen[1]


def test_a_sync_provider_that_blocks_does_not_hold_the_loop_after_quick_ones(event):
    released = event()
    slow = []

    def provider() -> int:
        if slow:
            slow[0]()
            released.wait(LONGEST)
        return len(slow)

    async def probe(made: Annotated[int, Inject(provider)]) -> int:
        return made

    async def main():
        box = box_with(probe)
        for _ in range(30):  # so often that it is known to be quick
            await box.call_async("probe")
        begun = asyncio.Event()
        slow.append(lambda: loop.call_soon_threadsafe(begun.set))
        loop = asyncio.get_running_loop()
        blocked = asyncio.create_task(box.call_async("probe"))
        await begun.wait()
        assert not blocked.done()  # and the loop got here
        released.set()
        return await blocked

    assert asyncio.run(main()).structured == 1
