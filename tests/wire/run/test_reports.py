"""What a tool reports: plain or awaited, under either name, wherever it runs."""

import asyncio

import pytest

from tests.unit.run.test_reports import heard, plain
from toolwright import Call, Tool


async def awaits(call: Call) -> str:
    await call.info("one")
    await call.report_progress(1, 2)
    return "done"


@pytest.mark.parametrize(
    "options", [{}, {"timeout": 60}, {"run_on": "inline"}, {"run_on": "process"}]
)
@pytest.mark.parametrize("target", [plain, awaits])
@pytest.mark.parametrize("way", ["call", "call_async"])
def test_a_tool_reports_the_same_wherever_it_runs(way, target, options):
    if target is awaits and options.get("run_on") == "inline":
        pytest.skip("async code has no run_on")
    call, said = heard()
    run = Tool(target, **options)
    result = run.call(call=call) if way == "call" else asyncio.run(run.call_async(call=call))
    assert result.value == "done"
    assert said == [("info", "one"), (1, 2, "")]
