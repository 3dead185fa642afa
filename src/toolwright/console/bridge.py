"""The way from the page to another server."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from .._json_values import compact_json, is_object, strict_json
from ..client.targets import ServerAddress, StartedServer
from ..serve.http.asgi import Header, read_body, respond, say

if TYPE_CHECKING:
    from ..client import McpClient
    from ..serve.http.asgi import Receive, Scope, Send

_MOST_BODY = 16 * 1024 * 1024
_MOST_LINE = 64 * 1024 * 1024
_BODY_SECONDS = 30.0
_MOST_PROCESSES = 8
_MOST_WAITING = 1000
"""Messages of a server that wait for the page; further ones are dropped."""
_EVENTS: Header = (b"content-type", b"text/event-stream")
_SENT = (
    "content-type",
    "accept",
    "mcp-protocol-version",
    "mcp-session-id",
    "mcp-method",
    "mcp-name",
)
_RECEIVED = ("content-type", "mcp-session-id", "mcp-protocol-version", "www-authenticate")


class ServerBridge:
    """Passes the messages of the page on to one server, and back."""

    def __init__(self, server: ServerAddress | StartedServer, headers: Mapping[str, str]) -> None:
        self._to: _ToUrl | _ToProcesses
        if isinstance(server, ServerAddress):
            self._to = _ToUrl(server.url, {**server.headers, **headers})
        else:
            self._to = _ToProcesses(server)

    @classmethod
    def to_server_of(cls, client: McpClient) -> ServerBridge | None:
        """Return a bridge to the server of a client; None if it is in this process."""
        from ..client.client import connection_of

        connection = connection_of(client)
        server = getattr(connection, "target", None)
        if not isinstance(server, ServerAddress | StartedServer):
            return None
        settings = connection.settings
        token = settings.token
        sign_in = {} if token is None else {"authorization": f"Bearer {token}"}
        return cls(server, {**settings.headers, **sign_in})

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of the page."""
        if scope["method"] not in ("POST", "DELETE"):
            await say(send, 405, "the bridge takes POST and DELETE", (b"allow", b"POST, DELETE"))
            return
        body = await read_body(receive, _MOST_BODY, _BODY_SECONDS)
        if body is None:
            await say(send, 413, f"the body has more than {_MOST_BODY} bytes, or takes too long")
            return
        headers = {
            name.decode("latin-1"): each.decode("latin-1") for name, each in scope["headers"]
        }
        page = parse_qs(scope["query_string"].decode("latin-1")).get("page", [""])[-1]
        work = asyncio.ensure_future(self._to.pass_on(scope["method"], page, headers, body, send))
        gone = asyncio.ensure_future(_until_gone(receive))
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            work.cancel()  # where the page has left, this ends the request to the server as well
            with contextlib.suppress(asyncio.CancelledError):
                await work

    async def close(self) -> None:
        """End what was started."""
        await self._to.close()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class _ToUrl:
    """Sends the requests on to a URL."""

    def __init__(self, url: str, headers: Mapping[str, str]) -> None:
        import httpx2

        self._url = url
        self._client = httpx2.AsyncClient(
            headers=dict(headers), timeout=httpx2.Timeout(30, read=None)
        )
        self._errors = (httpx2.HTTPError, httpx2.InvalidURL)

    async def pass_on(
        self, method: str, page: str, headers: Mapping[str, str], body: bytes, send: Send
    ) -> None:
        """Send a request, and its answer as it comes."""
        del page
        sent = {name: headers[name] for name in _SENT if name in headers}
        if "authorization" in headers and "authorization" not in self._client.headers:
            sent["authorization"] = headers["authorization"]
        request = self._client.build_request(method, self._url, headers=sent, content=body)
        try:
            answer = await self._client.send(request, stream=True)
        except self._errors as error:
            await say(send, 502, f"the server cannot be reached: {error or type(error).__name__}")
            return
        try:
            kept = [
                (name.encode(), answer.headers[name].encode())
                for name in _RECEIVED
                if name in answer.headers
            ]
            await send(
                {"type": "http.response.start", "status": answer.status_code, "headers": kept}
            )
            with contextlib.suppress(*self._errors):  # it broke off: so does the answer to the page
                async for part in answer.aiter_bytes():
                    await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            await answer.aclose()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


class _ToProcesses:
    """Starts a program for each session, and one for each page that has none."""

    def __init__(self, server: StartedServer) -> None:
        self._server = server
        self._processes: OrderedDict[str, _Process] = OrderedDict()

    async def pass_on(
        self, method: str, page: str, headers: Mapping[str, str], body: bytes, send: Send
    ) -> None:
        """Write a message to the right process, and send what it says until it has answered."""
        key = headers.get("mcp-session-id", f"page {page}")
        if method == "DELETE":
            process = self._processes.pop(key, None)
            if process is not None:
                process.stop()
            await respond(send, 200 if process else 404, b"")
            return
        message: Any = None
        with contextlib.suppress(ValueError, RecursionError):
            message = strict_json(body)
        if not is_object(message):
            await say(send, 400, "the body is not a message of JSON-RPC")
            return
        try:
            key, process = await self._process_for(key, message)
        except (OSError, ValueError) as error:
            await say(send, 502, f"the server cannot be started: {error}")
            return
        if process is None:
            await say(send, 404, "there is no such session")
        elif "id" not in message or "method" not in message:
            await process.write(message)
            await respond(send, 202, b"")
        else:
            session = [(b"mcp-session-id", key.encode())] * (not key.startswith("page "))
            start = {"type": "http.response.start", "status": 200, "headers": [_EVENTS, *session]}
            await send(start)
            async for said in process.answered(message):
                event = b"event: message\ndata: " + compact_json(said) + b"\n\n"
                await send({"type": "http.response.body", "body": event, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

    async def _process_for(
        self, key: str, message: Mapping[str, Any]
    ) -> tuple[str, _Process | None]:
        if message.get("method") == "initialize":
            key = secrets.token_hex(16)
        elif key in self._processes and not self._processes[key].has_ended:
            self._processes.move_to_end(key)
            return key, self._processes[key]
        elif not key.startswith("page "):
            return key, None
        while len(self._processes) >= _MOST_PROCESSES:
            self._processes.popitem(last=False)[1].stop()
        process = await _Process.start(self._server)
        self._processes[key] = process
        return key, process

    async def close(self) -> None:
        """End every process."""
        endings = [process.stop() for process in self._processes.values()]
        self._processes.clear()
        await asyncio.gather(*endings)


class _Process:
    """One running server."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._waiting: OrderedDict[Any, asyncio.Queue[Mapping[str, Any]]] = OrderedDict()
        """What is said while a request waits, by the id of the request; the latest is last."""
        self.has_ended = False
        self._last_words = b""
        self._tasks = [asyncio.ensure_future(self._read()), asyncio.ensure_future(self._listen())]

    @classmethod
    async def start(cls, server: StartedServer) -> _Process:
        """Start a server. Raises `OSError` or `ValueError`."""
        from ..client.wire.stdio import started

        return cls(await started(server, _MOST_LINE))

    def stop(self) -> asyncio.Task[None]:
        """End it, in a task."""
        from ..client.wire.stdio import stopped

        self.has_ended = True
        return stopped(self._process, self._tasks)

    async def write(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        stdin = self._process.stdin
        if stdin is not None:
            with contextlib.suppress(OSError):  # it has ended, which reading finds
                stdin.write(compact_json(message) + b"\n")
                await stdin.drain()

    async def answered(self, request: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any]]:
        """Send a request, and yield what is said until it is answered."""
        number = request["id"]
        queue: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue(_MOST_WAITING)
        self._waiting[number] = queue
        is_answered = False
        try:
            await self.write(request)
            while not is_answered:
                if self.has_ended and queue.empty():
                    yield self._gone(number)
                    is_answered = True
                    continue
                message = await queue.get()
                is_answered = "method" not in message and message.get("id") == number
                if message:
                    yield message
        finally:
            self._waiting.pop(number, None)
            if not is_answered:  # the page has left
                params = {"requestId": number, "reason": "the page has left"}
                notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
                await self.write(notice)

    def _gone(self, number: Any) -> Mapping[str, Any]:
        words = self._last_words.decode(errors="replace").strip().rpartition("\n")[2]
        message = f"the server has ended{f'; it said: {words[:500]}' if words else ''}"
        return {"jsonrpc": "2.0", "id": number, "error": {"code": -32000, "message": message}}

    async def _read(self) -> None:
        output = self._process.stdout
        try:
            while output is not None and (line := await output.readline()):
                with contextlib.suppress(ValueError, RecursionError):
                    message: Any = strict_json(line)
                    if is_object(message):
                        self._told(message)
        except (OSError, ValueError):  # a line over the bound: nothing after it can be read
            pass
        finally:
            self.has_ended = True
            for queue in self._waiting.values():
                with contextlib.suppress(asyncio.QueueFull):
                    queue.put_nowait({})

    def _told(self, message: Mapping[str, Any]) -> None:
        """Hand a message to the request that it belongs to, or to the latest one."""
        params = message.get("params")
        number = message.get("id") if "method" not in message else None
        if is_object(params) and "progressToken" in params:
            number = params["progressToken"]
        latest = next(reversed(self._waiting), None)
        queue = self._waiting.get(number) if isinstance(number, str | int) else None
        queue = queue or (None if latest is None else self._waiting[latest])
        if queue is not None:
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait(message)

    async def _listen(self) -> None:
        errors = self._process.stderr
        with contextlib.suppress(OSError):
            while errors is not None and (part := await errors.read(65536)):
                self._last_words = (self._last_words + part)[-4000:]
