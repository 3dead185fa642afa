"""Calls that random tests found, kept by hand: each ends in a true result."""

import asyncio
import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.unit.properties.call_checks import check_result, within
from tests.unit.properties.specs import Colour
from toolwright import File, Image, Result, Tool, Toolbox, ToolError
from toolwright.results import build_result
from toolwright.run import loop, runner

NESTED = "[" * 300 + "]" * 300


@pytest.fixture(autouse=True)
def _own_loop(monkeypatch):
    """A call that kills the background loop must not make other tests fail."""
    fresh = loop.Background()
    for module in (loop, runner):
        monkeypatch.setattr(module, "background", fresh)


def say(text: str, times: int = 1) -> str:
    return text


def ways(tool, sent=None):
    """The result of a call by each way there is."""
    yield within(lambda: tool.call(sent))
    yield within(lambda: asyncio.run(tool.call_async(sent)))


def giving(value, hint=None, **options):
    def give():
        return value

    give.__annotations__ = {} if hint is None else {"return": hint}
    return Tool(give, **options)


@pytest.mark.parametrize(
    "sent",
    [
        '{"text": "\\ud800"}',
        '{"text": "\ud800"}',
        {"text": "\ud800", "times": "2"},
        f'{{"text": "x", "times": {NESTED}}}',
        {"text": "x", "times": json.loads(NESTED)},
        f'{{"text": "x", "toolCallId": {NESTED}}}',
        '{"text": "x", "times": ' + "1" * 5000 + "}",
        b"\xff",
        [],
        False,
    ],
    ids=lambda sent: repr(sent)[:40],
)
def test_odd_arguments_end_in_a_result(sent):
    tool = Tool(say)
    for result in ways(tool, sent):
        check_result(tool, result)


def cycle(first):
    held = [first]
    held.append(held)
    return held


@pytest.mark.parametrize(
    "value",
    [
        {"type": ["text"], "text": "x"},
        {"type": "text", "text": "\ud800"},
        {"type": "text", "text": None},
        [{"type": "text", "text": None}],
        {"type": "image", "data": b"\xff", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "x"}},
        {"type": "resource_link", "uri": None, "name": "x"},
        {"type": "text", "text": "x", "annotations": {"priority": float("nan")}},
        {"type": "text", "text": "x", "annotations": object()},
        {**build_result("x"), "structuredContent": 5},
        File("/nowhere/at/all.png"),
        Image("/nowhere/at/all.png"),
        cycle("\ud800"),
        cycle(None),
        Result("x", blocks=[]),
        Result("x", blocks=[{"type": "text", "text": "\ud800"}]),
    ],
    ids=lambda value: f"{type(value).__name__}",
)
@pytest.mark.parametrize("hint", [None, Any, list[Any], dict[str, Any], int], ids=str)
def test_odd_values_end_in_a_result(value, hint):
    tool = giving(value, hint)
    for result in ways(tool):
        check_result(tool, result)


@pytest.mark.parametrize("value", [build_result("x"), Result(5)], ids=["canonical", "result"])
@pytest.mark.parametrize("hint", [int, dict[str, int], list[int]], ids=str)
def test_a_finished_result_keeps_the_schema_that_was_published(value, hint):
    tool = giving(value, hint)
    for result in ways(tool):
        check_result(tool, result)


@pytest.mark.parametrize("emit", ["auto", "both", "structured", "text"])
@pytest.mark.parametrize("value", [b"", b"\x89PNG\r\n\x1a\n"])
def test_bytes_keep_the_schema_that_was_published(value, emit):
    tool = giving(value, bytes, emit=emit)
    for result in ways(tool):
        check_result(tool, result)
        assert not result.is_error


@pytest.mark.parametrize("hint", [None, str, list[str]], ids=str)
def test_a_long_text_of_digits_is_no_number(hint):
    value = ["1" * 5000] if hint == list[str] else "1" * 5000
    for result in ways(giving(value, hint)):
        assert not result.is_error
        assert "1" * 5000 in result.text


class Mute(Exception):
    def __str__(self):
        raise RuntimeError("no")


ERRORS = [
    Mute,
    lambda: ToolError(ValueError("x")),
    SystemExit,
    KeyboardInterrupt,
    GeneratorExit,
    StopIteration,
    asyncio.CancelledError,
]


@pytest.mark.parametrize(
    "make", ERRORS, ids=["mute", "told", "exit", "ctrl-c", "gen", "stop", "cancel"]
)
@pytest.mark.parametrize("kind", ["sync", "async", "promise", "generator", "async generator"])
def test_whatever_is_raised_wherever_ends_in_a_result(kind, make):
    def fail():
        raise make()

    async def fail_later():
        raise make()

    def promise():
        return fail_later()

    def generate() -> Iterator[int]:
        yield 1
        raise make()

    async def generate_later():
        yield 1
        raise make()

    target = {
        "sync": fail,
        "async": fail_later,
        "promise": promise,
        "generator": generate,
        "async generator": generate_later,
    }[kind]
    tool = Tool(target)
    for result in ways(tool):
        check_result(tool, result)
        assert result.is_error


def test_a_call_after_one_that_exits_still_runs():
    async def leave():
        raise SystemExit(3)

    def promise():
        return leave()

    async def fine() -> int:
        return 1

    box = Toolbox("two", [promise, fine])
    assert within(lambda: box.call("promise")).is_error
    assert within(lambda: box.call("fine")).value == 1


@dataclasses.dataclass
class Paint:
    colour: Colour
    note: str | None = None


@pytest.mark.parametrize("hint", [Paint, list[Paint], dict[str, Any]], ids=str)
def test_an_enum_beside_a_null_is_sent(hint):
    value = Paint(Colour.RED)
    if hint is not Paint:
        value = [value] if hint == list[Paint] else {"a": Colour.RED, "b": None}
    tool = giving(value, hint)
    for result in ways(tool):
        check_result(tool, result)
        assert not result.is_error
