"""The smallest server of the official SDK, with one tool: `adding.py stdio` or `adding.py PORT`."""

import sys

from mcp.server import MCPServer

server = MCPServer("adding", version="1")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def main(how):
    if how == "stdio":
        server.run("stdio")
    else:
        server.run("streamable-http", port=int(how), host="127.0.0.1")


if __name__ == "__main__":
    main(sys.argv[1])
