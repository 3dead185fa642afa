"""Calls of an ASGI app, without a server."""

import asyncio
import json

from processes import MODERN


async def ask(app, tool):
    """Call a tool; return the status and the body."""
    params = {"name": tool, "arguments": {}, "_meta": MODERN}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "host": "localhost",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": tool,
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "root_path": "",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
    }
    sent = [{"type": "http.request", "body": json.dumps(message).encode()}]
    came = []

    async def receive():
        return sent.pop() if sent else await asyncio.Event().wait()

    async def send(message):
        came.append(message)

    await app(scope, receive, send)
    return came[0]["status"], b"".join(each.get("body", b"") for each in came)
