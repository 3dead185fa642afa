"""Where turns and rates meet cancelling, deadlines, and tools that call tools."""

import asyncio
import threading
from typing import Annotated

import pytest

from tests.unit.run.driving import (
    LATER,
    LONGEST,
    SOON,
    STOPPED,
    WAYS,
    code_of,
    wait_for,
    wait_until,
)
from toolwright import Call, Inject, Retry, Timeout, Toolbox
from toolwright.run import threads as workers
from toolwright.tools.definition import runner_of

BOTH = pytest.mark.parametrize("way", WAYS)
STOPS = pytest.mark.parametrize("stopped_by", ["call", "task", "deadline"])


def line_of(box, name="probe"):
    return runner_of(box[name]).limited.concurrency.line


def blocking_box(event, **options):
    """A box with a tool that waits for its own event, by number."""
    events = [event() for _ in range(4)]
    begun = []
    lock = threading.Lock()

    def probe(n: int) -> int:
        with lock:
            begun.append(n)
        events[n].wait(LONGEST)
        return n

    box = Toolbox("turns")
    box.add(probe, **{"max_concurrency": 1, **options})
    return box, events, begun


# -- turns and those who are stopped


@BOTH
@STOPS
def test_who_is_stopped_in_line_leaves_it_and_the_turn_goes_on(way, stopped_by, start, event):
    if way == "call" and stopped_by == "task":
        pytest.skip("a sync caller has no task")
    box, events, begun = blocking_box(event)
    first = start("call_async", box, "probe", {"n": 0})
    wait_until(lambda: begun == [0])
    call = Call(timeout=SOON if stopped_by == "deadline" else None)
    second = start(way, box, "probe", {"n": 1}, call)
    wait_until(lambda: stopped_by == "deadline" or len(line_of(box)) == 1)
    third = start(way, box, "probe", {"n": 2})
    if stopped_by == "call":
        call.cancel()
    elif stopped_by == "task":
        second.cancel_task()
    answer = second.answer()
    if stopped_by == "task":
        assert answer is STOPPED
    else:
        assert code_of(answer) == {"call": "cancelled", "deadline": "overloaded"}[stopped_by]
    wait_until(lambda: len(line_of(box)) == 1)
    assert not first.is_answered
    assert not third.is_answered
    events[0].set()
    events[2].set()
    assert [first.answer().value, third.answer().value] == [0, 2]
    assert begun == [0, 2]
    events[3].set()
    assert box.call("probe", {"n": 3}).value == 3


@STOPS
def test_the_turn_of_an_abandoned_thread_comes_back_when_that_really_ends(stopped_by, start, event):
    box, events, begun = blocking_box(event)
    call = Call(timeout=LATER if stopped_by == "deadline" else None)
    first = start("call_async", box, "probe", {"n": 0}, call)
    wait_until(lambda: begun == [0])
    if stopped_by == "call":
        call.cancel()
    elif stopped_by == "task":
        first.cancel_task()
    answer = first.answer()
    assert answer is STOPPED or code_of(answer) in ("cancelled", "timeout")
    second = start("call_async", box, "probe", {"n": 1})
    wait_until(lambda: len(line_of(box)) == 1)
    assert code_of(box.call("probe", {"n": 2}, call=Call(timeout=SOON))) == "overloaded"
    assert begun == [0]
    events[0].set()
    wait_until(lambda: begun == [0, 1])
    events[1].set()
    assert second.answer().value == 1


def test_the_turn_of_an_async_tool_comes_back_when_its_own_end_is_done(start, event):
    """It may take its time to clean up after being cancelled; until then it has its turn."""
    began, cleaning, released = event(), event(), event()

    async def probe(n: int) -> int:
        if n:
            return n
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await asyncio.get_running_loop().run_in_executor(None, released.wait, LONGEST)

    box = Toolbox("turns")
    box.add(probe, name="probe", max_concurrency=1)
    call = Call()
    first = start("call_async", box, "probe", {"n": 0}, call)
    wait_for(began)
    call.cancel()
    assert code_of(first.answer()) == "cancelled"
    wait_for(cleaning)
    second = start("call_async", box, "probe", {"n": 1})
    wait_until(lambda: len(line_of(box)) == 1)
    assert not second.is_answered
    released.set()
    assert second.answer().value == 1


def test_a_turn_that_comes_to_a_call_that_is_just_cancelled_goes_on(start, event):
    """Both happen at once: whichever is noticed first, nobody's turn is lost."""
    box, events, begun = blocking_box(event, max_concurrency=1)
    for each in events:
        each.set()
    for _ in range(200):
        calls = [Call() for _ in range(3)]
        callings = [start("call_async", box, "probe", {"n": 1}, call) for call in calls]
        calls[1].cancel()
        for calling in callings:
            assert code_of(calling.answer()) in (None, "cancelled")
    assert box.call("probe", {"n": 2}, call=Call(timeout=LONGEST)).value == 2
    slots = runner_of(box["probe"]).limited.concurrency
    wait_until(lambda: slots.free == 1)
    assert not slots.line


def test_the_line_is_first_come_first_served(start, event):
    box, events, begun = blocking_box(event)
    callings = []
    for n in range(4):
        callings.append(start(WAYS[n % 2], box, "probe", {"n": n}))
        wait_until(lambda: len(begun) + len(line_of(box)) == n + 1)
    for n in range(4):
        wait_until(lambda: begun == list(range(n + 1)))
        events[n].set()
    assert [calling.answer().value for calling in callings] == [0, 1, 2, 3]


def test_the_wait_for_a_turn_is_no_silence_of_the_tool(start, event):
    """The idle clock is wound back as if the call had stood in line for long."""
    box, events, begun = blocking_box(event, timeout=Timeout(idle=LONGEST))
    first = start("call_async", box, "probe", {"n": 0})
    wait_until(lambda: begun == [0])
    call = Call()
    second = start("call_async", box, "probe", {"n": 1}, call)
    wait_until(lambda: len(line_of(box)) == 1)
    call._life -= 1000
    events[0].set()
    assert first.answer().value == 0
    wait_until(lambda: begun == [0, 1])
    box.add(lambda: 1, name="other")
    for _ in range(5):  # by now the loop has had every chance to give it up
        assert start("call_async", box, "other").answer().value == 1
    events[1].set()
    assert second.answer().value == 1


@BOTH
def test_a_turn_is_kept_between_two_attempts(way, start, event):
    began, runs = event(), []
    call = Call()

    def probe() -> None:
        runs.append(1)
        began.set()
        raise ConnectionError("down")

    box = Toolbox("turns")
    box.add(probe, max_concurrency=1, retry=Retry(attempts=2, wait_initial=1000, wait_max=1000))
    calling = start(way, box, "probe", {}, call)
    wait_for(began)
    assert code_of(box.call("probe", call=Call(timeout=SOON))) == "overloaded"
    call.cancel()
    assert code_of(calling.answer()) == "cancelled"
    assert runs == [1]


@pytest.mark.promise("limit.turns")
def test_so_many_run_at_a_time_and_no_more(start, event):
    box, events, begun = blocking_box(event, max_concurrency=3)
    callings = [start(WAYS[n % 2], box, "probe", {"n": 0}) for n in range(10)]
    wait_until(lambda: len(begun) == 3 and len(line_of(box)) == 7)
    events[0].set()
    assert [calling.answer().value for calling in callings] == [0] * 10


# -- rates


@pytest.mark.promise("limit.rate")
@BOTH
def test_a_rate_is_counted_for_each_caller(way, start):
    runs = []

    def probe(call: Call) -> str:
        runs.append(call.caller)
        return str(call.caller)

    box = Toolbox("turns")
    box.add(probe, rate_limit="2/h")
    for caller in ("ada", "bob", None):
        codes = [code_of(start(way, box, "probe", {}, Call(caller=caller)).answer()) for _ in "123"]
        assert codes == [None, None, "overloaded"]
    assert runs == ["ada", "ada", "bob", "bob", None, None]


def test_a_call_beyond_the_rate_takes_no_turn_and_opens_no_provider():
    told = []

    def resource() -> str:
        told.append("open")
        return "it"

    def probe(it: Annotated[str, Inject(resource)]) -> str:
        return it

    box = Toolbox("turns")
    box.add(probe, rate_limit="1/h", max_concurrency=1, cache=60, retry=3)
    assert box.call("probe").value == "it"
    refused = box.call("probe")
    assert code_of(refused) == "overloaded"
    assert refused.error.retry_after > 60
    assert told == ["open"]
    assert runner_of(box["probe"]).limited.concurrency.free == 1


def test_the_rate_of_one_tool_is_not_that_of_another():
    box = Toolbox("turns")
    box.add(lambda: 1, name="one", rate_limit="1/h")
    box.add(lambda: 2, name="two", rate_limit="1/h")
    assert [code_of(box.call(name)) for name in ("one", "two", "one", "two")] == [
        None,
        None,
        "overloaded",
        "overloaded",
    ]


# -- tools that call tools


@BOTH
def test_tools_call_tools_through_the_same_box(way, start):
    box = Toolbox("nested", timeout=LONGEST)

    @box.tool(cache=60, max_concurrency=2)
    def inner(n: int, call: Call) -> str:
        return f"{n} for {call.caller}"

    @box.tool(max_concurrency=1, retry=2)
    def outer(n: int, call: Call) -> str:
        return box.call("inner", {"n": n}, call=Call(caller=call.caller)).value

    @box.tool
    async def outer_async(n: int, call: Call) -> str:
        answer = await box.call_async("outer", {"n": n}, call=Call(caller=call.caller))
        return answer.value

    for caller in ("ada", "bob"):
        answer = start(way, box, "outer_async", {"n": 1}, Call(caller=caller)).answer()
        assert answer.value == f"1 for {caller}"


@BOTH
def test_a_tool_of_one_turn_that_calls_itself_is_told_that_it_is_busy(way, start):
    box = Toolbox("nested")

    @box.tool(max_concurrency=1)
    def probe(n: int) -> str:
        return str(code_of(box.call("probe", {"n": n - 1}, call=Call(timeout=SOON))))

    assert start(way, box, "probe", {"n": 1}).answer().value == "overloaded"
    assert start(way, box, "probe", {"n": 1}).answer().value == "overloaded"


@BOTH
def test_an_inner_timeout_is_an_answer_that_the_outer_tool_can_use(way, start, event):
    released = event()
    box = Toolbox("nested", timeout=LONGEST)

    @box.tool(timeout=SOON)
    def inner() -> bool:
        return released.wait(LONGEST)

    @box.tool
    def outer(call: Call) -> str:
        assert code_of(box.call("inner")) == "timeout"
        return f"went on, cancelled: {call.cancelled}"

    assert start(way, box, "outer").answer().value == "went on, cancelled: False"


def test_as_many_tools_as_there_are_threads_may_call_tools_that_need_a_thread(start):
    """Every thread is busy with an outer call, which waits for an inner one."""
    count = workers.threads.most
    box = Toolbox("nested")
    together = threading.Barrier(count)

    @box.tool(timeout=LONGEST)
    def inner(n: int) -> int:
        return n * 2

    @box.tool
    def outer(n: int) -> int:
        together.wait(LONGEST)
        return box.call("inner", {"n": n}).value

    callings = [start("call_async", box, "outer", {"n": n}) for n in range(count)]
    answers = [calling.answer() for calling in callings]
    assert [code_of(answer) for answer in answers] == [None] * count
    assert [answer.value for answer in answers] == [n * 2 for n in range(count)]
