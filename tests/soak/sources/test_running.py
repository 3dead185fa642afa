"""Programs as real processes: what they get, what comes back, and why they could not start."""

import asyncio
import resource

from tests.wire.sources.test_running import shell
from toolwright import Toolbox
from toolwright.sources.command_run import CommandOutput, tool_value
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings


def test_a_flood_takes_no_memory():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    shell("yes 0123456789 | head -c 1000000000")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


# -- through a toolbox


def test_a_hundred_calls_at_once():
    box = Toolbox("b")

    @box.tool
    async def echo(text: str) -> CommandOutput:
        return tool_value(
            "echo", await run(["sh", "-c", 'sleep 0.1; echo "$1"', "sh", text], RunSettings())
        )

    async def main():
        return await asyncio.gather(*(box.call_async("echo", {"text": f"{n}"}) for n in range(100)))

    assert [each.value["stdout"] for each in asyncio.run(main())] == [f"{n}\n" for n in range(100)]
    assert box.call("echo", {"text": "sync"}).value["stdout"] == "sync\n"
