"""Where the cache meets the other options."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Annotated

import pytest

from tests.unit.run.driving import (
    LATER,
    LONGEST,
    SOON,
    STOPPED,
    WAYS,
    code_of,
    note_of,
    wait_for,
    wait_until,
)
from toolwright import Call, Inject, Retry, Toolbox, ToolError
from toolwright.tools.definition import runner_of

BOTH = pytest.mark.parametrize("way", WAYS)


# -- cache and injection


def caller_of(call: Call) -> str:
    return call.caller or "nobody"


def greeting_of(caller: Annotated[str, Inject(caller_of)]) -> str:
    return f"hello {caller}"


def header_of(call: Call) -> str:
    return call.headers.get("x-team", "none")


def box_with(target, **options):
    box = Toolbox("meetings")
    box.add(target, name="probe", **{"cache": 60, **options})
    return box


def asked_by(start, way, box, caller=None, **named):
    return start(way, box, "probe", {"n": 1}, Call(caller=caller, **named)).answer()


@pytest.mark.promise("limit.by-caller")
@BOTH
def test_a_tool_that_knows_its_caller_keeps_results_for_each_of_them(way, start):
    runs = []

    def probe(n: int, call: Call) -> str:
        runs.append(call.caller)
        return f"{n} for {call.caller}"

    box = box_with(probe)
    for _ in range(2):
        assert asked_by(start, way, box, "ada").value == "1 for ada"
        assert asked_by(start, way, box, "bob").value == "1 for bob"
    assert runs == ["ada", "bob"]


@BOTH
def test_a_provider_of_a_provider_that_knows_the_caller_is_enough_for_that(way, start):
    runs = []

    def probe(n: int, greeting: Annotated[str, Inject(greeting_of)]) -> str:
        runs.append(greeting)
        return greeting

    box = box_with(probe)
    for _ in range(2):
        assert asked_by(start, way, box, "ada").value == "hello ada"
        assert asked_by(start, way, box, "bob").value == "hello bob"
    assert runs == ["hello ada", "hello bob"]


@BOTH
def test_the_same_caller_in_other_roles_gets_results_of_his_own(way, start):
    def probe(n: int, call: Call) -> str:
        return ",".join(call.roles)

    box = box_with(probe)
    assert asked_by(start, way, box, "ada", roles=["admin"]).value == "admin"
    assert asked_by(start, way, box, "ada", roles=[]).value == ""
    assert note_of(asked_by(start, way, box, "ada", roles=["admin"]))["hit"] is True


@BOTH
def test_a_tool_that_cannot_know_its_caller_shares_its_results(way, start):
    runs = []

    def probe(n: int, lucky: Annotated[int, Inject(lambda: 7)]) -> int:
        runs.append(n)
        return n + lucky

    box = box_with(probe)
    assert asked_by(start, way, box, "ada").value == 8
    assert note_of(asked_by(start, way, box, "bob"))["hit"] is True
    assert runs == [1]


@BOTH
def test_a_call_that_reads_headers_is_not_kept(way, start):
    runs = []

    def probe(n: int, call: Call) -> str:
        runs.append(n)
        return call.headers.get("x-team", "none")

    box = box_with(probe)
    for team in ("red", "blue"):
        answer = asked_by(start, way, box, "ada", headers={"X-Team": team})
        assert answer.value == team
        assert note_of(answer) == {"hit": False, "kept": False}
    assert runs == [1, 1]


@BOTH
def test_a_provider_that_reads_headers_keeps_a_call_from_being_kept(way, start):
    def probe(n: int, team: Annotated[str, Inject(header_of)]) -> str:
        return team

    box = box_with(probe)
    for team in ("red", "blue"):
        answer = asked_by(start, way, box, "ada", headers={"X-Team": team})
        assert answer.value == team
        assert note_of(answer) == {"hit": False, "kept": False}


def test_calls_that_read_headers_and_come_together_never_share_an_answer(start, event):
    arrived = threading.Semaphore(0)
    released = event()

    def probe(n: int, call: Call) -> str:
        arrived.release()
        released.wait(LONGEST)
        return call.headers["x-team"]

    box = box_with(probe)
    teams = [f"team {number}" for number in range(5)]
    callings = [
        start(way, box, "probe", {"n": 1}, Call(caller="ada", headers={"X-Team": team}))
        for team, way in zip(teams, [*WAYS, *WAYS, "call"], strict=True)
    ]
    assert arrived.acquire(timeout=LONGEST)
    released.set()
    assert [calling.answer().value for calling in callings] == teams


def number() -> int:
    return 1


@BOTH
def test_overrides_share_nothing_with_what_was_kept_before_within_or_after(way, start):
    def probe(n: int, number: Annotated[int, Inject(number)]) -> int:
        return n + number

    box = box_with(probe)
    assert asked_by(start, way, box).value == 2
    with box.override({number: 10}):
        assert asked_by(start, way, box).value == 11
        assert note_of(asked_by(start, way, box))["hit"] is True
        with box.override({number: 20}):
            assert asked_by(start, way, box).value == 21
    with box.override({number: 30}):
        assert asked_by(start, way, box).value == 31
    answer = asked_by(start, way, box)
    assert (answer.value, note_of(answer)["hit"]) == (2, True)


@BOTH
def test_an_override_that_knows_the_caller_keeps_results_for_each_of_them(way, start):
    def probe(n: int, number: Annotated[object, Inject(number)]) -> str:
        return str(number)

    box = box_with(probe)
    with box.override({number: caller_of}):
        assert asked_by(start, way, box, "ada").value == "ada"
        assert asked_by(start, way, box, "bob").value == "bob"


@BOTH
def test_providers_run_for_no_answer_that_was_kept(way, start):
    told = []

    def resource() -> Iterator[str]:
        told.append("open")
        yield "it"
        told.append("close")

    def probe(n: int, resource: Annotated[str, Inject(resource)]) -> str:
        return resource

    box = box_with(probe)
    for _ in range(3):
        assert asked_by(start, way, box).value == "it"
    assert told == ["open", "close"]


@pytest.mark.promise("limit.cleanup-fails")
@BOTH
def test_a_provider_that_fails_to_clean_up_leaves_nothing_in_the_cache(way, start):
    runs = []

    def resource() -> Iterator[str]:
        yield "it"
        if len(runs) == 1:
            raise ValueError("not committed")

    def probe(n: int, resource: Annotated[str, Inject(resource)]) -> int:
        runs.append(n)
        return n

    box = box_with(probe)
    assert asked_by(start, way, box).text == "ValueError: not committed"
    assert asked_by(start, way, box).value == 1
    assert runs == [1, 1]


# -- cache and those who come together


def crowd_of(start, box, count, call=Call):
    ways = [WAYS[number % 2] for number in range(count)]
    return [start(way, box, "probe", {"n": 1}, call()) for way in ways]


def followers(box):
    """How many wait for the call that leads."""
    flights = list(runner_of(box["probe"]).limited.cache.flights.values())
    return len(flights[0].landed._wakers) if flights else 0


@pytest.mark.promise("limit.single-flight")
@pytest.mark.parametrize("options", [{}, {"max_concurrency": 1}, {"timeout": LONGEST}], ids=str)
def test_equal_calls_that_come_together_run_once(options, start, event):
    runs = []
    released = event()

    def probe(n: int) -> int:
        runs.append(n)
        released.wait(LONGEST)
        return n * 2

    box = box_with(probe, **options)
    callings = crowd_of(start, box, 20)
    wait_until(lambda: followers(box) == 19)
    released.set()
    assert [calling.answer().value for calling in callings] == [2] * 20
    assert runs == [1]


def test_equal_calls_of_an_async_tool_run_once(start):
    runs = []
    held = []

    async def probe(n: int) -> int:
        runs.append(n)
        held.append((asyncio.get_running_loop(), asyncio.Event()))
        await held[0][1].wait()
        return n * 2

    box = box_with(probe)
    callings = crowd_of(start, box, 20)
    wait_until(lambda: followers(box) == 19)
    held[0][0].call_soon_threadsafe(held[0][1].set)
    assert [calling.answer().value for calling in callings] == [2] * 20
    assert runs == [1]


@pytest.mark.promise("limit.no-errors-kept")
def test_those_who_come_together_share_a_failure_which_is_not_kept(start, event):
    runs = []
    released = event()

    def probe(n: int) -> int:
        runs.append(n)
        released.wait(LONGEST)
        raise ToolError("closed", code="closed")

    box = box_with(probe)
    callings = crowd_of(start, box, 4)
    wait_until(lambda: followers(box) == 3)
    released.set()
    assert {code_of(calling.answer()) for calling in callings} == {"closed"}
    assert runs == [1]
    assert code_of(box.call("probe", {"n": 1})) == "closed"
    assert runs == [1, 1]


@pytest.mark.parametrize("stopped_by", ["call", "task", "deadline"])
def test_who_leads_and_is_stopped_takes_no_follower_with_him(stopped_by, start, event):
    runs = []
    first, released = event(), event()

    def probe(n: int) -> int:
        runs.append(n)
        (first if len(runs) == 1 else released).wait(LONGEST)
        return len(runs)

    box = box_with(probe)
    call = Call(timeout=LATER if stopped_by == "deadline" else None)
    leader = start("call_async", box, "probe", {"n": 1}, call)
    wait_until(lambda: runs)
    callings = crowd_of(start, box, 4)
    wait_until(lambda: stopped_by == "deadline" or followers(box) == 4)
    if stopped_by == "call":
        call.cancel()
    elif stopped_by == "task":
        leader.cancel_task()
    answer = leader.answer()
    if stopped_by == "task":
        assert answer is STOPPED
    else:
        assert code_of(answer) == {"call": "cancelled", "deadline": "timeout"}[stopped_by]
    wait_until(lambda: len(runs) == 2)
    assert not any(calling.is_answered for calling in callings)
    released.set()
    assert [calling.answer().value for calling in callings] == [2] * 4
    # What the one that was given up returns in the end is nobody's answer.
    first.set()
    assert box.call("probe", {"n": 1}).value == 2
    assert runs == [1, 1]


@pytest.mark.parametrize("stopped_by", ["call", "task", "deadline"])
def test_who_follows_and_is_stopped_leaves_the_others_alone(stopped_by, start, event):
    runs = []
    released = event()

    def probe(n: int) -> int:
        runs.append(n)
        released.wait(LONGEST)
        return n

    box = box_with(probe)
    callings = crowd_of(start, box, 2)
    wait_until(lambda: followers(box) == 1)
    call = Call(timeout=SOON if stopped_by == "deadline" else None)
    one = start("call_async", box, "probe", {"n": 1}, call)
    wait_until(lambda: stopped_by == "deadline" or followers(box) == 2)
    if stopped_by == "call":
        call.cancel()
    elif stopped_by == "task":
        one.cancel_task()
    answer = one.answer()
    if stopped_by == "task":
        assert answer is STOPPED
    else:
        assert code_of(answer) == {"call": "cancelled", "deadline": "timeout"}[stopped_by]
    assert not any(calling.is_answered for calling in callings)
    released.set()
    assert [calling.answer().value for calling in callings] == [1, 1]
    assert runs == [1]


def test_a_follower_waits_for_no_turn(start, event):
    """The only turn is taken by another call; the kept answer needs none."""
    started, released = event(), event()

    def probe(n: int) -> int:
        if n == 2:
            started.set()
            released.wait(LONGEST)
        return n

    box = box_with(probe, max_concurrency=1)
    assert box.call("probe", {"n": 1}).value == 1
    other = start("call_async", box, "probe", {"n": 2})
    wait_for(started)
    assert box.call("probe", {"n": 1}).value == 1
    assert not other.is_answered
    released.set()
    assert other.answer().value == 2


# -- cache and retry


@BOTH
def test_what_succeeds_in_the_end_is_kept_and_what_failed_before_is_not(way, start):
    runs = []

    def probe(n: int) -> int:
        runs.append(n)
        if len(runs) < 3:
            raise ConnectionError("not yet")
        return n

    box = box_with(probe, retry=Retry(attempts=2, wait_initial=0.001))
    assert asked_by(start, way, box).text == "ConnectionError: not yet"
    assert note_of(asked_by(start, way, box)) == {"hit": False}
    assert note_of(asked_by(start, way, box))["hit"] is True
    assert runs == [1, 1, 1]
