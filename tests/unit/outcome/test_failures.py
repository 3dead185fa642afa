"""Every failure is a result, and says nothing internal."""

import asyncio
import logging
import re

import pytest

from tests.unit.returning import Item, each_way, raising, returning
from tests.unit.ways import (
    WAYS,
    assert_plain,
    box_of,
    compact,
    label,
    payload_by,
    result_of,
    text_of,
)
from toolwright import ArgumentError, ResultError, Tool, ToolError, ToolNotFound, UnexpectedError


def raising_async(error):
    async def probe() -> int:
        raise error

    return probe


def failures(make):
    """Return the payloads of a failing tool, sync and async, in every way."""
    for target in (raising(make()), raising_async(make())):
        for seen in each_way(target).values():
            assert seen["isError"]
            assert "structuredContent" not in seen
            yield seen


@pytest.mark.promise("result.tool-error")
def test_a_tool_error_says_every_field():
    for seen in failures(lambda: ToolError("closed", code="shut", retryable=True, hint="at nine")):
        assert "closed" in text_of(seen)
        assert "at nine" in text_of(seen)
        detail = seen["_meta"]["toolwright/error"]
        assert (detail["code"], detail["retryable"], detail["hint"]) == ("shut", True, "at nine")
    for seen in failures(lambda: ToolError("closed")):
        assert text_of(seen) == "closed"
        assert seen["_meta"]["toolwright/error"] == {"code": "tool_error"}
    for seen in failures(lambda: ToolError("")):
        assert text_of(seen)
    for seen in failures(lambda: ToolError("no", retryable=False)):
        assert seen["_meta"]["toolwright/error"]["retryable"] is False


def test_a_tool_error_is_the_error_of_the_result():
    error = ToolError("no")
    result = result_of(raising(error))
    assert result.error is error
    with pytest.raises(ToolError) as raised:
        _ = result.value
    assert raised.value is error


def test_an_odd_tool_error_still_makes_a_result():
    for error in (
        ToolError(5),  # pyright: ignore
        ToolError(None),  # pyright: ignore
        ToolError("\udc80", hint="\udc80", code="\udc80"),
        ToolError("a", code=5),  # pyright: ignore
        ToolError("a", retryable=object()),  # pyright: ignore
    ):
        for seen in each_way(raising(error)).values():
            assert seen["isError"]


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (KeyError("k"), "KeyError: 'k'"),
        (IndexError("i"), "IndexError: i"),
        (LookupError("l"), "LookupError: l"),
        (ZeroDivisionError("z"), "ZeroDivisionError: z"),
        (
            FileNotFoundError(2, "No such file", "/x"),
            "FileNotFoundError: [Errno 2] No such file: '/x'",
        ),
        (PermissionError("p"), "PermissionError: p"),
        (ValueError(), "ValueError"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "UnicodeDecodeError: "),
    ],
    ids=label,
)
def test_expected_exceptions_are_said_with_their_type(error, wanted):
    for seen in failures(lambda: error):
        assert text_of(seen).startswith(wanted)
    assert result_of(raising(error)).error.__cause__ is error


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("secret"),
        TypeError("secret"),
        AttributeError("secret"),
        AssertionError("secret"),
        NotImplementedError("secret"),
        Exception("secret"),
        RecursionError("secret"),
        MemoryError("secret"),
        StopIteration("secret"),
        StopAsyncIteration("secret"),
        GeneratorExit("secret"),
        SystemExit("secret"),
        SystemExit(3),
        KeyboardInterrupt("secret"),
        BaseException("secret"),
        ExceptionGroup("secret", [ValueError("secret")]),
        BaseExceptionGroup("secret", [KeyboardInterrupt()]),
    ],
    ids=label,
)
@pytest.mark.promise("result.masked")
def test_unexpected_exceptions_are_masked_and_logged(error, caplog):
    for target in (raising(error), raising_async(error)):
        for way in WAYS:
            caplog.clear()
            with caplog.at_level(logging.ERROR, "toolwright"):
                seen = payload_by(way, box_of(target), "probe", {})
            assert seen["isError"]
            assert "secret" not in compact(seen)
            reference = re.search(r"reference (\w+)", text_of(seen))
            assert reference
            records = [each for each in caplog.records if reference[1] in each.getMessage()]
            assert len(records) == 1
            assert records[0].name.startswith("toolwright")
            assert records[0].exc_info
        result = box_of(target).call("probe")
        assert isinstance(result.error, UnexpectedError)
        cause = result.error.__cause__
        assert cause is error or getattr(cause, "__cause__", None) is error


def test_the_references_of_two_failures_differ():
    target = raising(RuntimeError("x"))
    assert result_of(target).text != result_of(target).text


def test_a_validation_error_of_the_body_is_not_an_argument_error():
    def probe() -> int:
        Item(n="secret")  # pyright: ignore
        return 1

    result = result_of(probe)
    assert result.is_error
    assert not isinstance(result.error, ArgumentError)
    assert "secret" not in result.text
    assert_plain(result.text)


def test_an_argument_error_of_an_inner_call_is_told_apart():
    def probe() -> int:
        return Tool(lambda n: n, name="inner", input_schema={"type": "object"}).call({}).value

    assert result_of(probe).is_error


class Unsayable(ValueError):
    def __str__(self):
        raise RuntimeError("no words")

    __repr__ = __str__


class Endless(ValueError):
    def __str__(self):
        return "x" * 10_000_000


class NotText(ValueError):
    def __str__(self):
        return 5  # noqa: PLE0307  # pyright: ignore


@pytest.mark.parametrize("kind", [Unsayable, Endless, NotText])
def test_exceptions_that_cannot_say_themselves_still_make_a_result(kind):
    for seen in failures(kind):
        assert len(compact(seen)) < 5000
        assert len(text_of(seen).splitlines()) == 1


def test_an_unexpected_exception_that_cannot_say_itself_still_makes_a_result():
    class Broken(Exception):
        def __str__(self):
            raise RuntimeError("no words")

        __repr__ = __str__

    for seen in failures(Broken):
        assert "reference" in text_of(seen)


def test_the_logger_is_quiet_by_default():
    logger = logging.getLogger("toolwright")
    result_of(raising(RuntimeError("x")))
    assert any(isinstance(handler, logging.NullHandler) for handler in logger.handlers)
    assert logger.level == logging.NOTSET
    assert logger.propagate


@pytest.mark.promise("call.raise-on-error")
def test_raise_on_error_raises_what_the_tool_raised():
    error = RuntimeError("x")
    for make in (raising, raising_async):
        box = box_of(make(error))
        with pytest.raises(RuntimeError) as raised:
            box.call("probe", raise_on_error=True)
        assert raised.value is error
        with pytest.raises(RuntimeError) as raised:
            asyncio.run(box.call_async("probe", raise_on_error=True))
        assert raised.value is error


@pytest.mark.parametrize(
    "error", [ToolError("x"), KeyError("x"), SystemExit(3), KeyboardInterrupt()]
)
def test_raise_on_error_raises_every_kind(error):
    with pytest.raises(type(error)) as raised:
        box_of(raising(error)).call("probe", raise_on_error=True)
    assert raised.value is error


def test_raise_on_error_raises_our_own_errors():
    box = box_of(raising(ValueError("x")))
    with pytest.raises(ToolNotFound):
        box.call("nope", raise_on_error=True)
    with pytest.raises(ArgumentError):
        box.call("probe", {"z": 1}, raise_on_error=True)
    with pytest.raises(ResultError):
        box_of(returning("x", int)).call("probe", raise_on_error=True)
    assert box_of(returning(1, int)).call("probe", raise_on_error=True).value == 1
