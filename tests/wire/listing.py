"""List tools through a real MCP client: a small low-level server, one connection for each era."""

import json

import anyio
import mcp_types as types
from mcp import Client
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS


def serving(listed):
    """A server that lists tools; `listed` gives their JSON for a protocol version."""

    async def list_tools(ctx, params):
        modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
        return types.ListToolsResult.model_validate_json(
            listed("2026-07-28" if modern else "2025-11-25")
        )

    return Server("listing", version="1", on_list_tools=list_tools)


def list_through_client(listed, mode):
    """Return what a client sees, as plain dicts."""

    async def run():
        async with Client(serving(listed), mode=mode) as client:
            return (await client.list_tools()).tools

    return [
        json.loads(tool.model_dump_json(by_alias=True, exclude_none=True))
        for tool in anyio.run(run)
    ]
