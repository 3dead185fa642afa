"""Ask an MCP server: list its tools, or call one.

python client.py http://127.0.0.1:8000/mcp
python client.py http://127.0.0.1:8000/mcp search query=bike limit=3
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from mcp import Client


async def ask(url: str, name: str = "", *pairs: str) -> int:
    """List the tools of a server, or call one; return the exit code.

    Args:
        url: The address of the server.
        name: The tool to call; without one, all are listed.
        pairs: Arguments of the tool, as `key=value`.
    """
    async with Client(url) as client:
        if not name:
            for tool in (await client.list_tools()).tools:
                print(f"{tool.name}: {(tool.description or '').partition(chr(10))[0]}")
            return 0
        arguments = dict(argument(pair) for pair in pairs)
        result = await client.call_tool(name, arguments)
        print(*(getattr(block, "text", block.type) for block in result.content), sep="\n")
        return 1 if result.is_error else 0


def argument(pair: str) -> tuple[str, Any]:
    """Return the name and the value of an argument: JSON where it is JSON, else text.

    Args:
        pair: One argument, as `key=value`.
    """
    name, _, value = pair.partition("=")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit((__doc__ or "").strip())
    sys.exit(asyncio.run(ask(*sys.argv[1:])))
