"""Print the memory that one compiled tool holds: contestant, kind of workload, count.

The growth of the process over many tools, all compiled, with nothing kept that a server does not
keep. "Bare" keeps one adapter for the arguments and one for the value.
"""

import gc
import json
import sys
from pathlib import Path

from workload import functions


def resident():
    gc.collect()
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * 4096


def toolwright(given):
    from toolwright import Toolbox

    box = Toolbox("bench")
    for function in given:
        box.add(function)
    box.to_mcp_json()
    return box


def bare(given):
    from pydantic import TypeAdapter

    kept = []
    for function in given:
        adapters = TypeAdapter(function), TypeAdapter(function.__annotations__["return"])
        adapters[0].json_schema()
        kept.append(adapters)
    return kept


def fastmcp(given):
    from fastmcp import FastMCP

    server = FastMCP("bench")
    for function in given:
        server.tool(function)
    return server


def mcp(given):
    from mcp.server import MCPServer

    server = MCPServer("bench")
    for function in given:
        server.add_tool(function)
    return server


keeper, kind, count = globals()[sys.argv[1]], sys.argv[2], int(sys.argv[3])
first = keeper(functions(kind, 50))
given = functions(kind, count)
before = resident()
kept = keeper(given)
print(json.dumps({"bytes": (resident() - before) / count}))
