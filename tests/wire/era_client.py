"""A client of an ASGI app without a server, in either era, for tests of who may do what."""

import asyncio
import json

MODERN = "2026-07-28"
LEGACY = "2025-11-25"
ADDRESS = "192.0.2.7"
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HELLO = {
    "protocolVersion": LEGACY,
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


async def sent(app, body, headers, *, method="POST", path="/mcp", on_part=None):
    """Send a request; return the status, the headers and the body."""
    waiting = [{"type": "http.request", "body": body, "more_body": False}]
    seen = {"status": 0, "headers": {}}
    parts = []

    async def receive():
        return waiting.pop() if waiting else await asyncio.Event().wait()

    async def send(message):
        if message["type"] == "http.response.start":
            seen["status"] = message["status"]
            seen["headers"] = {k.decode(): v.decode() for k, v in message["headers"]}
        elif message.get("body"):
            parts.append(message["body"])
            if on_part is not None:
                on_part(message["body"])

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "query_string": b"",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
        "client": (ADDRESS, 1234),
        "server": ("localhost", 80),
    }
    await app(scope, receive, send)
    return seen["status"], seen["headers"], b"".join(parts)


def messages(body):
    """The messages in a body, be it JSON or a stream of events."""
    if body.lstrip().startswith(b"{"):
        return [json.loads(body)]
    lines = [line[5:].strip() for line in body.splitlines() if line.startswith(b"data:")]
    return [json.loads(line) for line in lines if line]


class Client:
    """Asks an app, in the modern era or in a session with a handshake."""

    def __init__(self, app, token="", *, modern=True):
        self.app = app
        self.modern = modern
        self.headers = {
            "host": "localhost",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
        }
        if token:
            self.headers["authorization"] = f"Bearer {token}"
        self.number = 0

    def request(self, method, params, headers):
        self.number += 1
        said = dict(self.headers)
        if self.modern:
            params = {**params, "_meta": _META}
            said |= {"mcp-protocol-version": MODERN, "mcp-method": method}
            if named := params.get("name") or params.get("uri"):
                said["mcp-name"] = named
        body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        return json.dumps(body).encode(), said | headers

    async def ask(self, method, headers=None, **params):
        """The answer to a request: its result, or its error."""
        if not self.modern and "mcp-session-id" not in self.headers and method != "initialize":
            await self._begin()
        status, _, body = await sent(self.app, *self.request(method, params, headers or {}))
        found = [each for each in messages(body) if each.get("id") == self.number]
        assert found, (status, body)
        return found[0]["result"] if "result" in found[0] else found[0]["error"]

    async def _begin(self):
        body, said = self.request("initialize", _HELLO, {})
        _, headers, _ = await sent(self.app, body, said)
        self.headers["mcp-session-id"] = headers["mcp-session-id"]
        self.headers["mcp-protocol-version"] = LEGACY
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await sent(self.app, json.dumps(note).encode(), self.headers)


async def ask(app, tool):
    """Call a tool without arguments; return the status and the body."""
    body, headers = Client(app).request("tools/call", {"name": tool, "arguments": {}}, {})
    status, _, answer = await sent(app, body, headers)
    return status, answer
