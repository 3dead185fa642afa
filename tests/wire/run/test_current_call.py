"""`current_call`: the call of the tool that runs here, found by code that no one hands it to."""

import asyncio

import pytest

from tests.unit.run.test_current_call import OPTIONS, asks, deep, run
from toolwright import Call, Tool, current_call


async def asks_async() -> str:
    await asyncio.sleep(0)
    return deep()


async def asks_in_task() -> str:
    return await asyncio.create_task(asks_async())


@pytest.mark.promise("call.current")
@pytest.mark.parametrize("way", ["call", "call_async"])
@pytest.mark.parametrize("given", [None, "ada"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("target", [asks, asks_async, asks_in_task])
def test_it_is_the_call_of_the_tool_wherever_that_runs(way, given, options, target):
    if target is not asks and options.get("run_on") == "inline":
        pytest.skip("async code has no run_on")
    tool = Tool(target, name="ask", **options)
    call = None if given is None else Call(caller=given)
    assert run(way, tool, call).value == f"ask for {given}"
    assert current_call() is None
