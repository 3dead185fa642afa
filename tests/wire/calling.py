"""Call tools through a real MCP client: a small low-level server, one connection for each era."""

import json

import anyio
import mcp_types as types
from mcp import Client
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

PROTOCOLS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


def serving(box):
    """A server that lists and calls the tools of a toolbox."""

    def protocol(ctx):
        return "2026-07-28" if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else "2025-11-25"

    async def list_tools(ctx, params):
        return types.ListToolsResult.model_validate_json(box.to_mcp_json(protocol(ctx)))

    async def call_tool(ctx, params):
        result = await box.call_async(params.name, params.arguments)
        return types.CallToolResult.model_validate(result.to_mcp(protocol(ctx)))

    return Server("calling", version="1", on_list_tools=list_tools, on_call_tool=call_tool)


def call_through_client(box, name, arguments, mode):
    """Return what a client sees of one call, as a plain dict; it checks structured content."""

    async def run():
        async with Client(serving(box), mode=mode) as client:
            assert client.protocol_version == PROTOCOLS[mode]
            await client.list_tools()
            with anyio.fail_after(60):
                return await client.call_tool(name, arguments)

    seen = anyio.run(run)
    blocks = [block.model_dump_json(by_alias=True, exclude_none=True) for block in seen.content]
    payload = {"content": [json.loads(block) for block in blocks], "isError": seen.is_error}
    if seen.structured_content is not None:
        payload["structuredContent"] = seen.structured_content
    meta = {key: value for key, value in (seen.meta or {}).items() if "serverInfo" not in key}
    if meta:
        payload["_meta"] = meta
    return payload
