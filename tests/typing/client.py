"""What a type checker sees of clients."""

from pathlib import Path
from typing import Any, assert_type

from toolwright import Result, Toolbox
from toolwright.client import McpClient, RemoteTool, ServerInfo, connect

box = Toolbox("shop")
assert_type(connect("https://host/mcp", token="x", timeout=5), McpClient)
assert_type(connect(["npx", "server"], env={"A": "1"}), McpClient)
assert_type(connect(Path("mcp.json"), "shop"), McpClient)
shop = connect(box)
assert_type(shop.search, RemoteTool)
assert_type(shop["close"], RemoteTool)
assert_type(shop.tools, dict[str, RemoteTool])
assert_type(shop.server, ServerInfo)
assert_type(shop.call("search", {"query": "x"}), Result)
assert_type(shop.read("shop://x"), Any)
assert_type(shop.prompt("greet", name="x"), list[dict[str, Any]])
connect("https://host/mcp", nope=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]

with connect(box) as client:
    assert_type(client, McpClient)


async def main() -> None:
    async with connect(box) as client:
        assert_type(client, McpClient)
        assert_type(await client.call_async("search"), Result)
    box.include(connect(box), prefix="x_")
