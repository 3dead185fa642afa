"""Every option with every outcome, of sync and async targets, whichever way they are called."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Annotated

import pytest

from tests.unit.run.driving import LONGEST, SOON, STOPPED, WAYS, code_of, note_of, wait_for
from toolwright import Call, CallCancelled, CallError, Inject, Retry, Timeout, Toolbox, ToolTimeout

OPTIONS = {
    "sync provider": {},
    "async provider": {},
    "call": {},
    "timeout": {"timeout": LONGEST},
    "idle": {"timeout": Timeout(idle=LONGEST)},
    "retry": {"retry": Retry(attempts=2, wait_initial=0.001)},
    "cache": {"cache": 60},
    "max_concurrency": {"max_concurrency": 1},
    "rate_limit": {"rate_limit": "1/h"},
    "inline": {"run_on": "inline"},
    "generator": {},
    "toolbox timeout": {},
}
OUTCOMES = ("success", "failure", "timeout", "cancelled call", "cancelled task")
KINDS = ("sync", "async")


def is_no_task(option, outcome, kind, way):
    return outcome == "cancelled task" and way == "call"


def is_loop_itself(option, outcome, kind, way):
    on_loop = option == "inline" and kind == "sync" and way == "call_async"
    return on_loop and outcome in ("timeout", "cancelled task")


IMPOSSIBLE = [
    (is_no_task, "a sync caller has no task that could be cancelled"),
    (is_loop_itself, "what runs on the loop itself keeps the loop from noticing anything"),
]
# Where the answer must wait for the function, since that runs where its caller waits.
UNSTOPPED = [
    ("call_async", lambda option: option == "inline"),
    (
        "call",
        lambda option: option not in ("async provider", "timeout", "idle", "toolbox timeout"),
    ),
]

EVERY = list(itertools.product(OPTIONS, OUTCOMES, KINDS, WAYS))
CASES = [case for case in EVERY if not any(fits(*case) for fits, _ in IMPOSSIBLE)]
IDS = [", ".join(case) for case in CASES]
GIVES = {
    "failure": (CallError, "call"),
    "timeout": (ToolTimeout, "timeout"),
    "cancelled call": (CallCancelled, "cancelled"),
}


class World:
    """What the tool of one case does, did, and waits for."""

    def __init__(self, option, outcome, kind, event):
        self.option = option
        self.outcome = outcome
        self.kind = kind
        self.runs = 0
        self.told = []
        """What happened to providers and generators, in order."""
        self.callers = []
        self.started = threading.Event()
        self.released = event()
        self.ended = threading.Event()
        """The function has ended, and what was made for it is closed."""

    def begin(self):
        self.runs += 1
        if self.outcome == "failure":
            raise ConnectionError("no luck")

    def act(self, n):
        self.begin()
        if self.outcome != "success":
            self.started.set()
            self.released.wait(LONGEST)
        return n * 2

    async def act_async(self, n):
        self.begin()
        if self.outcome != "success":
            self.started.set()
            await asyncio.Event().wait()
        return n * 2

    def tell(self, what):
        self.told.append(what)

    def close(self, name, seen):
        self.tell(f"close {name} after {type(seen).__name__}" if seen else f"close {name}")


def told_of(world, name):
    """What a provider, a context of its own, does around its value."""
    world.tell(f"open {name}")
    seen = None
    try:
        yield name
    except BaseException as error:
        seen = error
        raise
    finally:
        world.close(name, seen)
        if name == "outer":
            world.ended.set()


def providers_of(world):
    def outer() -> Iterator[str]:
        yield from told_of(world, "outer")

    def inner(outer: Annotated[str, Inject(outer)]) -> Iterator[str]:
        yield from told_of(world, "inner")

    async def outer_async() -> AsyncIterator[str]:
        world.tell("open outer")
        seen = None
        try:
            yield "outer"
        except BaseException as error:
            seen = error
            raise
        finally:
            world.close("outer", seen)
            world.ended.set()

    async def inner_async(outer: Annotated[str, Inject(outer_async)]) -> AsyncIterator[str]:
        world.tell("open inner")
        seen = None
        try:
            yield "inner"
        except BaseException as error:
            seen = error
            raise
        finally:
            world.close("inner", seen)

    return inner if world.option == "sync provider" else inner_async


def target_of(world):
    if "provider" in world.option:
        return injected_target(world)
    if world.option == "call":
        return target_with_call(world)
    if world.option == "generator":
        return generator_target(world)

    def plain(n: int) -> int:
        try:
            return world.act(n)
        finally:
            world.ended.set()

    async def plain_async(n: int) -> int:
        try:
            return await world.act_async(n)
        finally:
            world.ended.set()

    return plain if world.kind == "sync" else plain_async


def injected_target(world):
    provider = providers_of(world)

    def injected(n: int, inner: Annotated[str, Inject(provider)]) -> int:
        assert inner == "inner"
        return world.act(n)

    async def injected_async(n: int, inner: Annotated[str, Inject(provider)]) -> int:
        assert inner == "inner"
        return await world.act_async(n)

    return injected if world.kind == "sync" else injected_async


def target_with_call(world):
    def called(n: int, call: Call) -> int:
        world.callers.append((call.tool, call.caller))
        try:
            return world.act(n)
        finally:
            world.ended.set()

    async def called_async(n: int, call: Call) -> int:
        world.callers.append((call.tool, call.caller))
        try:
            return await world.act_async(n)
        finally:
            world.ended.set()

    return called if world.kind == "sync" else called_async


def generator_target(world):
    def generator(n: int) -> Iterator[int]:
        try:
            yield n
            yield world.act(n)
        finally:
            world.tell("closed")
            world.ended.set()

    async def generator_async(n: int) -> AsyncIterator[int]:
        try:
            yield n
            yield await world.act_async(n)
        finally:
            world.tell("closed")
            world.ended.set()

    return generator if world.kind == "sync" else generator_async


def box_of(world, seconds):
    """A box with the one tool; the deadline is the option's own if it is about deadlines."""
    options = dict(OPTIONS[world.option])
    timeout = LONGEST if world.option == "toolbox timeout" else None
    if world.outcome == "timeout":
        if world.option == "timeout":
            options["timeout"] = seconds
        elif world.option == "idle":
            options["timeout"] = Timeout(idle=seconds)
        elif world.option == "toolbox timeout":
            timeout = seconds
    box = Toolbox("limits", timeout=timeout)
    box.add(target_of(world), name="probe", **options)
    return box


def has_own_deadline(option):
    return option in ("timeout", "idle", "toolbox timeout")


def is_unstopped(option, outcome, kind, way):
    fits = any(way == where and holds(option) for where, holds in UNSTOPPED)
    return outcome == "cancelled call" and kind == "sync" and fits


@pytest.mark.promise("limit.cleanup")
@pytest.mark.parametrize(("option", "outcome", "kind", "way"), CASES, ids=IDS)
def test_an_option_keeps_its_word_whatever_becomes_of_the_call(
    option, outcome, kind, way, start, event
):
    # A deadline that passed before a busy machine began proves nothing: then it gets more time.
    for seconds in (SOON, SOON * 10, SOON * 100):
        world = World(option, outcome, kind, event)
        box = box_of(world, seconds)
        told = []
        call = Call(
            caller="ada",
            timeout=seconds if outcome == "timeout" and not has_own_deadline(option) else None,
            on_progress=lambda *step: told.append(step),
        )
        calling = start(way, box, "probe", {"n": 21}, call)
        if outcome.startswith("cancelled"):
            wait_for(world.started)
            call.cancel() if outcome == "cancelled call" else calling.cancel_task()
        if is_unstopped(option, outcome, kind, way):
            assert not calling.is_answered
            world.released.set()
        answer = calling.answer()
        if outcome in ("success", "failure") or world.started.is_set():
            break
    assert_answer(world, answer)
    if outcome not in ("success", "failure"):
        assert call.cancelled
        if kind == "sync" and not world.released.is_set():
            assert not world.ended.is_set()
            if option == "max_concurrency":
                assert_turn_is_held(box)
            assert not any(said.startswith("close") for said in world.told)
            world.released.set()
    wait_for(world.ended)
    assert_traces(world, told)
    world.outcome = "success"
    AFTER.get(option, after_any)(world, box, way, start, outcome)


def assert_answer(world, answer):
    if world.outcome == "cancelled task":
        assert answer is STOPPED
    elif world.outcome == "success":
        assert answer.value == ([21, 42] if world.option == "generator" else 42)
    else:
        kind, code = GIVES[world.outcome]
        assert type(answer.error) is kind
        assert code_of(answer) == answer.to_mcp()["_meta"]["toolwright/error"]["code"] == code
        if world.outcome == "failure":
            assert type(answer.error.__cause__) is ConnectionError
            assert answer.text == "ConnectionError: no luck"


def assert_traces(world, told):
    tries = 2 if (world.option, world.outcome) == ("retry", "failure") else 1
    assert world.runs == tries
    if "provider" in world.option:
        after = {"success": "", "failure": " after ConnectionError"}.get(world.outcome)
        if after is None:
            is_thread = world.kind == "sync" and world.option == "sync provider"
            after = " after CallCancelled" if is_thread else " after CancelledError"
        closed = [f"close inner{after}", f"close outer{after}"]
        assert world.told == ["open outer", "open inner", *closed]
    if world.option == "generator":
        assert world.told == ["closed"]
        items = [(1, None, "21"), (2, None, "42")]
        assert told == (items if world.outcome == "success" else items[:1])
    if world.option == "call":
        assert world.callers == [("probe", "ada")]


# -- the next call


def assert_turn_is_held(box):
    """The function still runs: nobody else may, before that really ends."""
    assert code_of(box.call("probe", {"n": 1}, call=Call(timeout=SOON))) == "overloaded"


def after_any(world, box, way, start, outcome):
    """Whatever became of one call, the next one succeeds and leaves nothing behind either."""
    world.told.clear()
    world.ended.clear()
    answer = start(way, box, "probe", {"n": 5}, Call(caller="bob", timeout=LONGEST)).answer()
    assert answer.value == ([5, 10] if world.option == "generator" else 10)
    wait_for(world.ended)
    if "provider" in world.option:
        assert world.told == ["open outer", "open inner", "close inner", "close outer"]


def after_cache(world, box, way, start, outcome):
    runs = world.runs
    answer = start(way, box, "probe", {"n": 21}, Call(caller="bob")).answer()
    assert answer.value == 42
    assert note_of(answer)["hit"] is (outcome == "success")
    assert world.runs == (runs if outcome == "success" else runs + 1)


def after_rate_limit(world, box, way, start, outcome):
    runs = world.runs
    answer = start(way, box, "probe", {"n": 5}, Call(caller="ada")).answer()
    assert code_of(answer) == "overloaded"
    assert answer.error.retry_after > 60
    assert world.runs == runs
    after_any(world, box, way, start, outcome)


AFTER = {"cache": after_cache, "rate_limit": after_rate_limit}


def test_only_what_the_table_names_is_left_out():
    left_out = [case for case in EVERY if case not in CASES]
    assert len(left_out) == 24 + 2
    assert {case[3] for case in left_out if case[1] == "cancelled task"} == set(WAYS)
