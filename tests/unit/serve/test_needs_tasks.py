"""A tool with `task="required"` refuses clients that do not know tasks, in every era."""

import asyncio

import pytest
from mcp import MCPError

from toolwright import Toolbox


@pytest.mark.promise("everyday.task-required")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_without_tasks_is_refused(mode, tmp_path):
    ran = []
    box = Toolbox("long", tasks=f"sqlite:///{tmp_path}/tasks.db")

    @box.tool(task="required")
    def report() -> str:
        ran.append(1)
        return "done"

    @box.tool(task=True)
    def either() -> str:
        return "waited"

    async def ask():
        async with box.client(mode) as client:
            with pytest.raises(MCPError) as raised:
                await client.call_tool("report", {})
            waited = await client.call_tool("either", {})
            return raised.value, waited.content[0].text

    error, waited = asyncio.run(ask())
    assert error.error.code == -32021
    assert error.error.message == (
        "`report` runs only as a task, and this client does not know tasks: "
        'with task=True instead of task="required" it would wait'
    )
    assert (ran, waited) == ([], "waited")
    assert box.call("report").value == "done"  # in Python there is nobody to wait
