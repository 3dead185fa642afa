"""How each contestant gets from functions to the bytes of `tools/list`, everything compiled."""

import asyncio


def toolwright(functions):
    from toolwright import Toolbox

    box = Toolbox("bench")
    for function in functions:
        box.add(function)
    return box.to_mcp_json()


def bare(functions):
    """The floor: both schemas by pydantic alone, one by one; no documentation and no bytes."""
    from pydantic import TypeAdapter

    for function in functions:
        TypeAdapter(function).json_schema()
        TypeAdapter(function.__annotations__["return"]).json_schema(mode="serialization")
    return b""


def fastmcp(functions):
    from fastmcp import FastMCP

    server = FastMCP("bench")
    for function in functions:
        server.tool(function)
    listed = asyncio.run(server.list_tools())
    return _serialised([tool.to_mcp_tool(name=tool.name) for tool in listed])


def mcp(functions):
    from mcp.server import MCPServer

    server = MCPServer("bench")
    for function in functions:
        server.add_tool(function)
    return _serialised(asyncio.run(server.list_tools()))


def _serialised(tools):
    """Write the SDK's tools as its servers do, without the rest of the result."""
    from mcp_types import ListToolsResult

    result = ListToolsResult(tools=tools)
    return result.model_dump_json(by_alias=True, exclude_none=True, include={"tools"}).encode()


CONTESTANTS = {each.__name__: each for each in (toolwright, bare, fastmcp, mcp)}
