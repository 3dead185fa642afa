"""Large and hostile arguments: read off the event loop, and explained in bounded time."""

import asyncio
import gc
import pickle
import threading
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator, BaseModel

from toolwright import Toolbox
from toolwright.arguments.sample import is_large, no_collection

"""Processor time: building all faults in Python took minutes of it for some of these."""


class Point(BaseModel):
    x: int
    y: int


box = Toolbox("attacked")


@box.tool
def add(
    a: int = 0,
    items: list[int] = (),
    points: list[Point] = (),
    named: dict[str, int] | None = None,
    tree: Any = None,
) -> int:
    return a


# Made where they are sent: whoever collects the tests makes none of them.
ATTACKS = {
    "unknown": lambda: {f"k{at}": 1 for at in range(280_000)},
    "faults": lambda: {"items": [True] * 600_000},
    "texts": lambda: {"items": ["1"] * 300_000},
    "models": lambda: {"points": [{"x": "a", "z": 1}] * 50_000},
    "values": lambda: {"named": {f"k{at}": "x" for at in range(100_000)}},
    "one": lambda: {"items": [*[1] * 1_000_000, True]},
    "far": lambda: {"items": [*[1] * 1000, *[True] * 5000]},
    "objects": lambda: {"tree": [{}] * 300_000, "a": []},
    "fences": lambda: {"items": ["```" + "\n" * 1000] * 3000},
}


@pytest.mark.promise("errors.faults-counted")
def test_of_very_many_faults_the_first_are_explained_and_the_rest_are_counted():
    result = box.call("add", {"items": [True] * 600_000})
    lines = result.text.split("\n")
    assert lines[0] == "add: `items[0]` must be an integer; got true"
    assert lines[-1] == "... and 599995 more"
    assert result.error.count == 600_000
    assert pickle.loads(pickle.dumps(result.error)).count == 600_000


def test_faults_far_behind_the_beginning_are_counted():
    result = box.call("add", ATTACKS["far"]())
    assert result.text == "add: 5000 values are not of the declared types"


def test_a_part_of_the_arguments_shows_only_their_own_faults():
    """What is only missing because the rest was left out is no fault."""
    limited = Toolbox("limited")

    @limited.tool
    def pick(ids: Annotated[list[int], AfterValidator(_at_least_a_hundred)], last: str) -> int:
        return len(ids)

    sent = {**{f"k{at}": 1 for at in range(1000)}, "ids": list(range(500)), "last": 1}
    error = limited.call("pick", sent).error
    assert error.count == 1001
    assert {fault.path[0] for fault in error.faults} <= {"last", *(f"k{at}" for at in range(1000))}
    assert "`last` must be a string; got 1" in [fault.text for fault in error.faults]


def _at_least_a_hundred(ids):
    if len(ids) < 100:
        msg = "a hundred at least"
        raise ValueError(msg)
    return ids


# -- off the loop

SEEN = []


def _seen(text):
    SEEN.append(threading.current_thread())
    return text


def _watched(**options):
    watched = Toolbox("watched")

    @watched.tool(**options)
    def keep(text: Annotated[str, AfterValidator(_seen)]) -> int:
        return len(text)

    return watched


@pytest.mark.promise("limits.large-arguments")
@pytest.mark.parametrize(
    "options",
    [{}, {"run_on": "inline"}, {"timeout": 60}, {"cache": 60}, {"max_concurrency": 2}],
    ids=repr,
)
def test_large_arguments_are_read_off_the_event_loop(options):
    watched = _watched(**options)

    async def run():
        for size, off in ((10, False), (70_000, True)):
            SEEN.clear()
            result = await watched.call_async("keep", {"text": "x" * size})
            assert result.value == size
            assert (SEEN[0] is not threading.current_thread()) is off

    asyncio.run(run())


def test_large_arguments_that_are_refused_are_refused_as_ever():
    async def run():
        result = await box.call_async("add", {"items": ["x"] * 20_000})
        assert result.error.code == "arguments"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("arguments", "large"),
    [
        (None, False),
        ({}, False),
        ({"a": 1, "b": ["x"] * 100}, False),
        (b"x" * 70_000, True),
        ("x" * 70_000, True),
        ({"a": "x" * 70_000}, True),
        ({"a": [1] * 10_000}, True),
        ({"a": {"b": [{"c": [f"{at}" * 250 for at in range(10, 30)]} for _ in range(10)]}}, True),
        ({str(at): 1 for at in range(5000)}, True),
        ({"a": [10**200_000]}, True),
    ],
    ids=lambda value: repr(type(value)),
)
def test_the_size_of_arguments_is_estimated(arguments, large):
    assert is_large(arguments) is large


def test_the_collector_runs_again_after_large_arguments():
    with no_collection(), no_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with no_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
