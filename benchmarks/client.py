"""Calls through `connect` and through a proxy, beside the SDK's own client: `python benchmarks/client.py`.

One call of `add(a, b)` at a time, over standard streams, over HTTP and in one process. The
contestants take turns in short rounds; shown is the best round of each, in microseconds of wall time,
and of processor time of the client's process.
"""

import asyncio
import contextlib
import subprocess
import sys
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from toolwright import Toolbox
from toolwright.client import connect

CALLS, ROUNDS = 50, 20
SERVER = """
from toolwright import Toolbox
box = Toolbox("sums")
@box.tool
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b
if __name__ == "__main__":
    import sys
    box.serve("http", port=int(sys.argv[1])) if len(sys.argv) > 1 else box.serve()
"""
GIVEN = {"a": 2, "b": 3}


async def rounds(contestants):
    """Let each contestant call in turns; return wall and processor times of a call."""
    taken = {name: ([], []) for name in contestants}
    for number in range(ROUNDS + 1):
        for name, call in contestants.items():
            wall, own = time.perf_counter(), time.process_time()
            for _ in range(CALLS):
                await call()
            if number:  # the first round warms up
                taken[name][0].append((time.perf_counter() - wall) / CALLS * 1e6)
                taken[name][1].append((time.process_time() - own) / CALLS * 1e6)
    return {name: [min(each) for each in both] for name, both in taken.items()}


async def compare(title, sdk_target, own_target):
    async with contextlib.AsyncExitStack() as stack:
        sdk = await stack.enter_async_context(Client(sdk_target))
        shop = await stack.enter_async_context(connect(own_target))
        hub = Toolbox("hub")
        front = await asyncio.to_thread(hub.include, shop)
        assert front
        await sdk.list_tools()
        via = await stack.enter_async_context(connect(hub))

        async def plain():
            assert (await sdk.call_tool("add", GIVEN)).structured_content == 5

        async def awaited():
            assert await shop.add.call_async(2, 3) == 5

        async def waited():
            assert shop.add(2, 3) == 5

        async def proxied():
            assert (await hub.call_async("add", GIVEN)).value is not None

        async def proxied_client():
            assert await via.add.call_async(2, 3) == 5

        contestants = {
            "SDK `Client.call_tool`": plain,
            "`await shop.add.call_async(2, 3)`": awaited,
            "`shop.add(2, 3)`": waited,
            "proxied: `await hub.call_async(...)`": proxied,
            "proxied, and called through `connect(hub)`": proxied_client,
        }
        for name, (wall, own) in (await rounds(contestants)).items():
            print(f"| {title} | {name} | {wall:.0f} | {own:.0f} |", flush=True)


async def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp")
    script = folder / "toolwright_client_bench.py"
    script.write_text(SERVER)
    print("| where | call | wall us | CPU us of the client |\n|---|---|---|---|")
    box = Toolbox("sums")

    @box.tool
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    from toolwright.serve.sdk.server import SdkServer

    await compare("in process", SdkServer(box.__servable__()).server, box)
    argv = [sys.executable, str(script)]
    started = StdioServerParameters(command=argv[0], args=argv[1:])
    await compare("stdio", started, argv)
    command = [*argv, "8899"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as server:  # noqa: ASYNC220
        await asyncio.sleep(3)
        try:
            await compare("HTTP", "http://127.0.0.1:8899/mcp", "http://127.0.0.1:8899/mcp")
        finally:
            server.terminate()


asyncio.run(main())
