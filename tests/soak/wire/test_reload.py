"""`serve --reload`: files change behind live clients, in every way that files change."""

import asyncio

import mcp
import mcp_types
import pytest

from tests.wire.command_files import here
from tests.wire.processes import Http, Stdio
from tests.wire.test_reload import GOOD, Edited, target

BAD = [
    "def broken(:\n",
    "import nowhere_at_all\n",
    "raise RuntimeError('at import')\n",
    "import sys; sys.exit(3)\n",
    "",
    "from helper import MISSING\n",
    "box = 5\n",
    "\0",
]


def run_edits(edited, check):
    """Twenty edits, bad ones among them; after each, `check` sees the last good one."""
    good = 0
    for at in range(1, 21):
        if at % 3 == 0:
            edited.edit(BAD[at // 3 % len(BAD)], good=False)
        else:
            good = at
            edited.edit(GOOD.format(at=at))
        check(good)


@pytest.mark.promise("serve.last-good")
@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_twenty_edits_behind_a_client_on_stdio(target, more):
    with Stdio(target, "--reload", *more) as server:
        server.ask("tools/list")

        def check(at):
            tools = server.ask("tools/list")["result"]["tools"]
            assert [tool["name"] for tool in tools] == [f"say{at}", "same"]
            assert server.call(f"say{at}")["content"][0]["text"] == f"word {at}"
            assert server.call("same")["structuredContent"] == {"result": at}

        run_edits(Edited(server, target.parent), check)
        told = [each for each in server.others if each.get("method") == TOLD]
        assert len(told) == 14
        assert server.end() == 0
        assert "Traceback" not in server.said()


TOLD = "notifications/tools/list_changed"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_twenty_edits_behind_a_client_over_http(target, mode):
    told, all_told = [], asyncio.Event()

    async def hear(message):
        if isinstance(message, mcp_types.ToolListChangedNotification):
            told.append(message)
            if len(told) == 14:
                all_told.set()

    async def talk(server):
        url = f"http://127.0.0.1:{server.port}/mcp"
        async with mcp.Client(url, mode=mode, message_handler=hear, cache=None) as client:
            await client.list_tools()
            good = 0
            edited = Edited(server, target.parent)
            for at in range(1, 21):
                good = good if at % 3 == 0 else at
                text = BAD[at // 3 % len(BAD)] if at % 3 == 0 else GOOD.format(at=at)
                await asyncio.to_thread(edited.edit, text, good=at % 3 != 0)
                names = [tool.name for tool in (await client.list_tools()).tools]
                assert names == [f"say{good}", "same"]
                said = await client.call_tool(f"say{good}", {})
                assert said.content[0].text == f"word {good}"
            if mode == "legacy":
                await asyncio.wait_for(all_told.wait(), 60)

    with Http(target, "--reload") as server:
        asyncio.run(asyncio.wait_for(talk(server), 120))
        assert "Traceback" not in server.said()
    assert len(told) == (14 if mode == "legacy" else 0)


APART = """\
from toolwright import Toolbox

box = Toolbox("apart")

@box.tool(run_on="process")
def version() -> int:
    return {at}
"""


def test_processes_run_the_new_code(target):
    target.write_text(APART.format(at=1))
    with Stdio(target, "--reload") as server:
        edited = Edited(server, target.parent)
        for at in (1, 2, 3):
            assert server.call("version")["structuredContent"] == {"result": at}
            edited.edit(APART.format(at=at + 1))
