"""Serve one function with each library: `servers.py WHO stdio|PORT [TOOLS]`."""

import sys


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def extra(count):
    """Make more functions, so that lists are long."""
    made = []
    for at in range(count):
        scope = {}
        exec(
            f"def tool{at}(a: int, b: str = 'x') -> str:\n    'Do number {at}.'\n    return b",
            scope,
        )
        made.append(scope[f"tool{at}"])
    return made


def toolwright(where, more, **options):
    from toolwright import Toolbox

    box = Toolbox("bench", version="1")
    box.add(add, **options)
    for each in more:
        box.add(each)
    if where == "stdio":
        box.serve()
    else:
        box.serve("http", port=int(where))


def toolwright_inline(where, more):
    toolwright(where, more, run_on="inline")


def mcp(where, more, *, stateless=True, json=True):
    from mcp.server import MCPServer

    server = MCPServer("bench")
    for each in (add, *more):
        server.add_tool(each)
    if where == "stdio":
        server.run("stdio")
    else:
        import uvicorn

        app = server.streamable_http_app(json_response=json, stateless_http=stateless)
        uvicorn.run(app, host="127.0.0.1", port=int(where), log_level="error", access_log=False)


def mcp_sessions(where, more):
    """With its defaults: answers are streams."""
    mcp(where, more, stateless=False, json=False)


def mcp_sessions_json(where, more):
    mcp(where, more, stateless=False)


def fastmcp(where, more, *, stateless=True):
    from fastmcp import FastMCP

    server = FastMCP("bench")
    for each in (add, *more):
        server.tool(each)
    if where == "stdio":
        server.run(show_banner=False)
    else:
        import uvicorn

        app = server.http_app(json_response=stateless, stateless_http=stateless)
        uvicorn.run(app, host="127.0.0.1", port=int(where), log_level="error", access_log=False)


def fastmcp_sessions(where, more):
    """With its defaults: answers are streams."""
    fastmcp(where, more, stateless=False)


def bare(where, more):
    """uvicorn alone, with the bytes of an answer."""
    import uvicorn

    body = (
        b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"3"}],'
        b'"structuredContent":3,"isError":false,"_meta":{"io.modelcontextprotocol/serverInfo":'
        b'{"name":"bench","version":"1"}},"resultType":"complete"}}'
    )
    head = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]

    async def app(scope, receive, send):
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})

    uvicorn.run(app, host="127.0.0.1", port=int(where), log_level="error", access_log=False)


if __name__ == "__main__":
    who, where, *rest = sys.argv[1:]
    globals()[who](where, extra(int(rest[0]) if rest else 0))
