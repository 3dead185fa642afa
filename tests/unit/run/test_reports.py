"""What a tool reports: plain or awaited, under either name, wherever it runs."""

import asyncio
import gc
import logging
import warnings
from typing import Annotated

import pytest

from toolwright import Call, Inject, Toolbox, ToolError

LEVELS = ["debug", "info", "warning", "error"]


def heard():
    """A call and what its listeners hear."""
    said = []
    call = Call(
        on_log=lambda level, message: said.append((level, message)),
        on_progress=lambda *step: said.append(step),
    )
    return call, said


@pytest.mark.promise("call.levels")
@pytest.mark.parametrize("level", LEVELS)
def test_a_method_for_each_level_logs_what_log_does(level, caplog):
    call, said = heard()
    getattr(call, level)({"at": 1})
    getattr(call, level)(message="lone \ud800")
    call.log({"at": 1}, level)
    assert said == [
        (level, {"at": 1}),
        (level, "lone \N{REPLACEMENT CHARACTER}"),
        (level, {"at": 1}),
    ]
    with caplog.at_level(logging.DEBUG, "toolwright"):
        getattr(Call("add"), level)("to the log")
    assert [(each.levelname.lower(), each.getMessage()) for each in caplog.records] == [
        (level, "add: to the log")
    ]


@pytest.mark.promise("call.levels")
def test_report_progress_is_progress_with_the_names_of_other_servers():
    call, said = heard()
    call.report_progress(1)
    call.report_progress(progress=2, total=4, message="half")
    call.report_progress(3, 4, None)
    assert said == [(1, None, ""), (2, 4, "half"), (3, 4, "")]


@pytest.mark.promise("call.awaitable")
def test_what_reports_may_be_awaited_or_not_and_nothing_warns():
    call, said = heard()

    async def both():
        call.info("plain")
        assert await call.info("awaited") is None
        await call.progress(1)
        await call.report_progress(2)
        await call.log("log", "notice")
        await asyncio.gather(call.debug("gathered"), call.error("too"))
        await asyncio.create_task(call.warning("task"))
        await asyncio.wait_for(call.info("in time"), 60)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(both())
        call.info("outside")
        gc.collect()
    assert [each[1] if isinstance(each[0], str) else each[0] for each in said] == [
        *("plain", "awaited", 1, 2, "log", "gathered", "too", "task", "in time", "outside"),
    ]


def plain(call: Call) -> str:
    call.info("one")
    call.report_progress(1, 2)
    return "done"


@pytest.mark.parametrize("way", ["call", "call_async"])
def test_a_tool_may_return_what_a_report_returns(way):
    box = Toolbox("box")

    @box.tool
    def says(call: Call) -> None:
        return call.info("said")

    for name in box:
        call, said = heard()
        run = (
            box.call(name, call=call)
            if way == "call"
            else asyncio.run(box.call_async(name, call=call))
        )
        assert run.value is None
        assert said == [("info", "said")]


def test_providers_and_nested_calls_report_to_the_same_listener():
    box = Toolbox("box")

    def maker(call: Call) -> str:
        call.warning("made")
        return "it"

    @box.tool
    def inner(call: Call) -> None:
        call.error("inside")

    @box.tool
    async def outer(call: Call, made: Annotated[str, Inject(maker)]) -> None:
        await box.call_async("inner", call=call)
        await call.info(made)

    call, said = heard()
    assert not box.call("outer", call=call).is_error
    assert said == [("warning", "made"), ("error", "inside"), ("info", "it")]


def test_an_error_that_is_logged_is_not_a_failure_and_a_closed_call_says_nothing():
    box = Toolbox("box")
    held = []

    @box.tool
    def fails(call: Call) -> None:
        held.append(call)
        call.error("logged")
        raise ToolError("raised")

    call, said = heard()
    assert box.call("fails", call=call).text == "raised"
    held[0].info("late")
    held[0].report_progress(9)
    assert said == [("error", "logged")]
