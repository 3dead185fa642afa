"""Count which path answers what real clients send: one ordinary session of each, on the server.

    python benchmarks/shares.py

A session connects, lists, makes 20 calls (one of them bad) and leaves. Needs the test group
and the npm clients (`make test` and `make soak` install them).
"""

import asyncio
import collections
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests" / "wire"), str(ROOT / "examples")]
CALLS = [("search", {"query": "bike"})] * 19 + [("search", {"querry": 1})]


def serve(counts, port):
    """Serve the shop, and write down which path each message took."""
    from shop import shop

    from toolwright.serve.http.plain import PlainRequests
    from toolwright.serve.http.sessions.requests import SessionRequests
    from toolwright.serve.stdio import conversation as stdio

    taken = collections.Counter()

    def note(body, short, method=""):
        method = method or json.loads(body).get("method", "an answer")
        taken[method + (": short" if short else ": sdk")] += 1
        Path(counts).write_text(json.dumps(taken))

    answered, short = stdio.Conversation._answered, PlainRequests.answered
    in_session = SessionRequests.answered

    def line(self, body):
        done = answered(self, body)
        note(body, done)
        return done

    async def post(self, exchange):
        done = await short(self, exchange)
        if done:
            note(exchange.body, done)
        return done

    async def ask(self, exchange):  # requests not of 2026-07-28, or not plain
        done = await in_session(self, exchange)
        note(exchange.body, done, "" if exchange.method == "POST" else exchange.method)
        return done

    stdio.Conversation._answered, PlainRequests.answered = line, post
    SessionRequests.answered = ask
    if port:
        shop.serve("http", port=int(port))
    else:
        shop.serve()


def sessions(target):
    """Run one session of each client; yield its name, then wait until it has left."""
    import clients
    import fastmcp
    import mcp
    from fastmcp.client.transports import StdioTransport

    async def by_mcp(mode):
        at = target
        if not isinstance(at, str):
            at = mcp.StdioServerParameters(command=target[0], args=target[1:])
        async with mcp.Client(at, mode=mode) as client:
            await client.list_tools()
            for name, arguments in CALLS:
                await client.call_tool(name, arguments)

    async def by_fastmcp():
        at = target
        if not isinstance(at, str):
            at = StdioTransport(target[0], target[1:], keep_alive=False)
        async with fastmcp.Client(at) as client:
            await client.list_tools()
            for name, arguments in CALLS:
                await client.call_tool_mcp(name, arguments)

    yield "TypeScript 1.x", lambda: clients.typescript(1, target, CALLS)
    yield "TypeScript 2.x", lambda: clients.typescript(2, target, CALLS, era="auto")
    yield "mcp.Client", lambda: asyncio.run(by_mcp("auto"))
    yield "mcp.Client, handshake", lambda: asyncio.run(by_mcp("legacy"))
    yield "FastMCP", lambda: asyncio.run(by_fastmcp())


def main():
    import clients

    print("| client | transport | short | SDK | what went to the SDK |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for transport in ("stdio", "http"):
            for at in range(5):
                counts = Path(folder) / f"{transport}{at}.json"
                command = [sys.executable, __file__, "serve", str(counts)]
                if transport == "stdio":
                    name, run = list(sessions(command))[at]
                    run()
                else:
                    with clients.served([*command, "{port}"]) as url:
                        name, run = list(sessions(url))[at]
                        run()
                taken = json.loads(counts.read_text())
                short = sum(n for key, n in taken.items() if key.endswith(": short"))
                rest = {key[:-5]: n for key, n in taken.items() if key.endswith(": sdk")}
                said = ", ".join(f"{key} ({n})" for key, n in rest.items())
                print(f"| {name} | {transport} | {short} | {sum(rest.values())} | {said} |")


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        serve(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    else:
        main()
