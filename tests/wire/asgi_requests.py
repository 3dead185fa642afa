"""Single requests to an ASGI app, from any address, without a server."""

import asyncio
import json

from tests.wire.processes import MODERN

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}}
PLAIN = {
    "host": "localhost",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
}


class Answer:
    """What came back: status, headers (the last of each name), body."""

    def __init__(self):
        self.status = 0
        self.headers = {}
        self.body = b""

    async def send(self, message):
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")


async def ask(
    app, *, method="POST", path="/mcp", client="203.0.113.7", server="127.0.0.1", body=None, **more
):
    """Ask for the list of tools, or whatever is given; a header of None is left out."""
    headers = PLAIN | {name.replace("_", "-"): value for name, value in more.items()}
    sent = [(k.encode(), v.encode("latin-1")) for k, v in headers.items() if v is not None]
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": sent,
        "client": (client, 40000),
        "server": (server, 8000),
    }
    data = json.dumps(LIST).encode() if body is None else body
    parts = [{"type": "http.request", "body": data, "more_body": False}]

    async def receive():
        if parts:
            return parts.pop()
        await asyncio.Event().wait()

    answer = Answer()
    await asyncio.wait_for(app(scope, receive, answer.send), 30)
    return answer


async def statuses(app, count, **more):
    return [(await ask(app, **more)).status for _ in range(count)]
