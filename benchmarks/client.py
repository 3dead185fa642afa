"""Calls through `connect` and through a proxy, beside the SDK's own client: `python benchmarks/client.py`.

One call of `add(a, b)` at a time: in one process, over standard streams and over HTTP, in both eras of the
protocol, to servers made with Toolwright, the SDK and FastMCP. The contestants take turns in short rounds;
the best and the median round of each are shown, in microseconds of processor time of the client's process,
and the best in wall time. Words on the command line choose the places: `http handshake` is all that have
both in their names.
"""

import asyncio
import contextlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

from toolwright import Toolbox
from toolwright.client import connect

CALLS, ROUNDS = 50, 20
SERVERS = {
    "Toolwright": """
import sys
from toolwright import Toolbox
box = Toolbox("sums")
@box.tool
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b
box.serve("http", port=int(sys.argv[1])) if len(sys.argv) > 1 else box.serve()
""",
    "SDK": """
import sys
from mcp.server.mcpserver import MCPServer
server = MCPServer("sums", log_level="ERROR")
@server.tool()
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b
server.run("streamable-http", port=int(sys.argv[1])) if len(sys.argv) > 1 else server.run()
""",
    "FastMCP": """
import sys
from fastmcp import FastMCP
server = FastMCP("sums")
@server.tool
def add(a: int, b: int) -> int:
    "Add two numbers."
    return a + b
if len(sys.argv) > 1:
    server.run("http", port=int(sys.argv[1]), show_banner=False)
else:
    server.run(show_banner=False)
""",
}
ERAS = {"stateless": "auto", "handshake": "legacy"}
"""Eras as `connect` calls them, and as the SDK's client does."""
GIVEN = {"a": 2, "b": 3}


async def rounds(contestants):
    """Let the contestants call in turn; return wall and processor times of a call."""
    taken = {name: ([], []) for name in contestants}
    for number in range(ROUNDS + 1):
        for name, call in contestants.items():
            wall, own = time.perf_counter(), time.process_time()
            for _ in range(CALLS):
                await call()
            if number:  # the first round warms up
                taken[name][0].append((time.perf_counter() - wall) / CALLS * 1e6)
                taken[name][1].append((time.process_time() - own) / CALLS * 1e6)
    return taken


async def compare(title, era, sdk_target, own_target):
    if not all(word.lower() in title.lower() for word in sys.argv[1:]):
        return
    async with contextlib.AsyncExitStack() as stack:
        sdk = await stack.enter_async_context(Client(sdk_target, mode=ERAS[era]))
        shop = await stack.enter_async_context(connect(own_target, era=era))
        hub = Toolbox("hub")
        front = await asyncio.to_thread(hub.include, shop)
        assert front
        await sdk.list_tools()
        via = await stack.enter_async_context(connect(hub))

        async def plain():
            assert (await sdk.call_tool("add", GIVEN)).content[0].text == "5"

        async def awaited():
            assert await shop.add.call_async(2, 3) is not None

        async def waited():
            assert shop.add(2, 3) is not None

        async def proxied():
            assert (await hub.call_async("add", GIVEN)).value is not None

        async def proxied_client():
            assert await via.add.call_async(2, 3) is not None

        contestants = {
            "SDK `Client.call_tool`": plain,
            "`await shop.add.call_async(2, 3)`": awaited,
            "`shop.add(2, 3)`": waited,
            "proxied: `await hub.call_async(...)`": proxied,
            "proxied, and called through `connect(hub)`": proxied_client,
        }
        for name, (wall, own) in (await rounds(contestants)).items():
            least, middle = min(own), statistics.median(own)
            print(
                f"| {title} | {name} | {least:.0f} | {middle:.0f} | {min(wall):.0f} |", flush=True
            )


@contextlib.asynccontextmanager
async def started(argv):
    """Start a server over HTTP; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(
        *argv, str(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        await process.wait()


async def main():
    print("| where | call | CPU us, best | CPU us, median | wall us, best |")
    print("|---|---|---|---|---|")
    box = Toolbox("sums")

    @box.tool
    def add(a: int, b: int) -> int:
        "Add two numbers."
        return a + b

    from toolwright.serve.sdk.server import SdkServer

    await compare("in process", "stateless", SdkServer(box.__servable__()).server, box)
    with tempfile.TemporaryDirectory() as folder:
        for maker, source in SERVERS.items():
            script = Path(folder) / f"{maker}_server.py"
            script.write_text(source)
            argv = [sys.executable, str(script)]
            eras = ERAS if maker == "Toolwright" else ["handshake"]
            command = StdioServerParameters(command=argv[0], args=argv[1:])
            for era in eras:
                await compare(f"stdio, {era}, {maker}", era, command, argv)
            async with started(argv) as url:
                for era in eras:
                    await compare(f"HTTP, {era}, {maker}", era, url, url)


if __name__ == "__main__":
    asyncio.run(main())
