"""Functions are called by name, and give whatever they give."""

import asyncio
import math
from typing import Annotated, Any

import pytest

from toolwright import ArgumentError, Inject, tool
from toolwright.client import call, call_async


class Connection:
    pass


class Conversation:
    """A class that sets its attributes as it likes."""

    def __init__(self, turns: list[dict[str, str]], limit: int = 3):
        self.turns, self.limit = turns, limit


def connection() -> Connection:
    return Connection()


def not_a_number() -> float:
    return math.nan


def large() -> dict[str, str]:
    return {"text": "x" * 500_000}


def mistyped() -> int:
    return "text"  # type: ignore[return-value]


def function():
    return connection


def module():
    return math


def itself() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@tool(timeout=30, cache=60)
def limited() -> set[type]:
    return {Connection}


async def awaited() -> Connection:
    return Connection()


def counted(n: int):
    yield from range(n)


def opened():
    rows = ["a"]
    yield rows
    rows.clear()


def injected(rows: Annotated[list[str], Inject(opened)]):
    yield from rows


BARE = [connection, not_a_number, large, mistyped, function, module, itself, limited, awaited]
BARE += [counted, injected, Conversation]


@pytest.mark.promise("callables.bare")
def test_a_call_by_name_gives_whatever_the_function_gives():
    assert isinstance(call("connection", {}, BARE), Connection)
    assert math.isnan(call("not_a_number", {}, BARE))
    assert len(call("large", {}, BARE)["text"]) == 500_000
    assert call("mistyped", {}, BARE) == "text"
    assert call("function", {}, BARE) is connection
    assert call("module", None, BARE) is math
    value = call("itself", {}, BARE)
    assert value[0] is value
    assert call("limited", {}, BARE) == {Connection}
    assert isinstance(call("awaited", {}, BARE), Connection)
    assert isinstance(asyncio.run(call_async("awaited", {}, BARE)), Connection)
    assert isinstance(asyncio.run(call_async("connection", {}, BARE)), Connection)


def test_a_class_called_by_name_gives_its_instance():
    made = call("Conversation", {"turns": [{"role": "user"}], "limit": "5"}, BARE)
    assert (type(made), made.turns, made.limit) == (Conversation, [{"role": "user"}], 5)


def test_a_generator_called_by_name_is_left_to_the_caller():
    taken = call("counted", {"n": 3}, BARE)
    assert next(taken) == 0
    assert list(taken) == [1, 2]
    # What was injected is closed when the call ends, so its rows are taken before.
    assert call("injected", {}, BARE) == ["a"]


def test_arguments_of_a_call_by_name_are_still_checked():
    with pytest.raises(ArgumentError, match="`n` must be an integer"):
        call("counted", {"n": "x"}, BARE)
    said = call("counted", {}, BARE, raise_on_error=False)
    assert said == "counted: missing argument `n` (an integer)"
