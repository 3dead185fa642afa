"""Sessions with a handshake, inside the process: answers can be watched, left and resumed."""

import asyncio
import contextlib
import json

from toolwright import Call, Toolbox

INFO = {"name": "c", "version": "1"}
PATIENCE = 30
ERAS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


class Pending:
    """A request that is being answered."""

    def __init__(self, app, method, headers, body=b""):
        self.status = 0
        self.headers = {}
        self.data = b""
        self.is_whole = False
        self.gone = asyncio.Event()
        self.news = asyncio.Event()
        self.parts = [{"type": "http.request", "body": body, "more_body": False}]
        scope = {
            "type": "http",
            "method": method,
            "path": "/mcp",
            "query_string": b"",
            "headers": headers,
            "client": ("127.0.0.1", 40000),
            "server": ("127.0.0.1", 8000),
        }
        self.task = asyncio.create_task(app(scope, self._receive, self._send))
        self.task.add_done_callback(lambda _: self.news.set())

    async def _receive(self):
        if self.parts:
            return self.parts.pop()
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message):
        if self.gone.is_set():
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.data += message.get("body", b"")
            self.is_whole = not message.get("more_body", False)
        self.news.set()

    def leave(self):
        """Hang up."""
        self.gone.set()

    def events(self):
        """The ids and messages of the events that came; a message may be None."""
        if self.headers.get("content-type") == "application/json":
            return [(None, json.loads(self.data))] if self.data else []
        found = []
        for block in self.data.decode().replace("\r\n", "\n").split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
            if "data" in fields:
                data = fields["data"].strip()
                found.append((fields.get("id"), json.loads(data) if data else None))
        return found

    def messages(self):
        return [message for _, message in self.events() if message is not None]

    async def until(self, ready):
        """Wait until something has come."""
        async with asyncio.timeout(PATIENCE):
            while not ready(self):
                assert not (self.task.done() and not ready(self)), (self.status, self.data)
                self.news.clear()
                await self.news.wait()
        return self

    async def whole(self):
        """Wait for all of the answer."""
        await asyncio.wait_for(asyncio.shield(self.task), PATIENCE)
        return self

    async def answer(self):
        """The last message."""
        return (await self.whole()).messages()[-1]


class Client:
    """A session of one caller."""

    def __init__(self, app, token=None, *, era="2025-11-25"):
        self.app = app
        self.era = era
        self.token = token
        self.id = None
        self.number = 0

    async def open(self, *, initialized=True, **more):
        params = {"protocolVersion": self.era, "capabilities": {}, "clientInfo": INFO, **more}
        opening = await self.begin("initialize", params).whole()
        assert opening.status == 200, opening.data
        self.id = opening.headers["mcp-session-id"]
        if initialized:
            assert (await self.notify("notifications/initialized")).status == 202
        return self

    def headers(self, **more):
        made = {
            "host": "localhost",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": self.era,
            "mcp-session-id": self.id,
            "authorization": self.token and f"Bearer {self.token}",
            **{name.replace("_", "-"): value for name, value in more.items()},
        }
        return [(k.encode(), v.encode()) for k, v in made.items() if v is not None]

    def post(self, message, **headers):
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        return Pending(self.app, "POST", self.headers(**headers), body)

    def begin(self, method, params=None, number=None, **headers):
        self.number += 1
        made = {"jsonrpc": "2.0", "id": self.number if number is None else number}
        made["method"] = method
        return self.post(made if params is None else {**made, "params": params}, **headers)

    async def ask(self, method, params=None, **more):
        return await self.begin(method, params, **more).answer()

    def start(self, name, arguments=None, *, token=None, **more):
        params = {"name": name, "arguments": arguments or {}}
        if token is not None:
            params["_meta"] = {"progressToken": token}
        return self.begin("tools/call", params, **more)

    async def said(self, name, arguments=None, **more):
        came = await self.start(name, arguments, **more).answer()
        return came["result"]["content"][0]["text"]

    async def notify(self, method, params=None):
        made = {"jsonrpc": "2.0", "method": method}
        return await self.post(made if params is None else {**made, "params": params}).whole()

    async def cancel(self, number):
        return await self.notify("notifications/cancelled", {"requestId": number})

    def get(self, last=None, **more):
        return Pending(self.app, "GET", self.headers(last_event_id=last, **more))

    async def delete(self, **more):
        return await Pending(self.app, "DELETE", self.headers(**more)).whole()


@contextlib.asynccontextmanager
async def serving(box, **settings):
    """An app, closed at the end."""
    app = box.asgi(**settings)
    try:
        yield app
    finally:
        await app.close()


def on_short_path(app):
    """Whether nothing has needed the SDK so far."""
    return app.sdk._sessions is None


def has_message(pending):
    """Whether a message has come."""
    return bool(pending.messages())


def run(course):
    """Run a test that must end."""
    asyncio.run(asyncio.wait_for(course, 60))


class Gated:
    """A toolbox whose calls wait for a gate."""

    def __init__(self, name="box", word="old"):
        self.box = box = Toolbox(name, version="1")
        self.began = asyncio.Event()
        self.gate = asyncio.Event()
        self.ended = []

        @box.tool
        def add(a: int, b: int = 1) -> int:
            return a + b

        @box.tool(run_on="inline")
        def which() -> str:
            return word

        @box.tool
        async def wait() -> str:
            self.began.set()
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                self.ended.append("cancelled")
                raise
            self.ended.append("done")
            return word

        @box.tool
        def count(n: int = 3):
            yield from range(n)

        @box.tool
        async def sees(call: Call) -> str:
            return str(call.caller)

        @box.tool(roles=["admin"])
        def secret() -> str:
            return "the secret"

        @box.resource("note://one")
        def note() -> str:
            return "a note"
