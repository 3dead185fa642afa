"""A server's standard streams, with bounds on what it may send."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import anyio
import mcp_types as t
from mcp.client.stdio import get_default_environment
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from pydantic import ValidationError
from pydantic_core import from_json

from ..._json_values import compact_json, is_object
from ..._log import logger
from ..._process import ask_to_end, kill_group
from ..._protocol import STATELESS_SINCE
from ...sources.watched_process import guard
from ..bounds import MOST_GARBAGE, short
from ..targets import StartedServer
from .interface import RequestScope
from .messages import OwnRequests, read_json, result_in

_log = logger("client")
_GRACE = 2.0
"""Seconds that a server has to end by itself, and then again after SIGTERM."""
_MOST_TAIL = 20
"""Lines of standard error that are kept, to say why a server ended."""
_ID = re.compile(rb'"id"\s{0,9}:\s{0,9}(\d{1,18}|"call-\d{1,18}")')
_CANNOT_READ = -32700
_running: set[int] = set()
"""The processes that were started, and have not ended as far as we know."""
_endings: set[asyncio.Task[None]] = set()


class StreamCalls(OwnRequests):
    """Sends `tools/call`, which is almost all traffic, and finds its answers among the lines."""

    def __init__(self, tell: Callable[[Mapping[str, Any]], Awaitable[None]]) -> None:
        super().__init__(tell)
        self._waiting: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._reports: set[asyncio.Task[None]] = set()
        self._ended = False

    async def opened(self, version: str) -> None:
        """Say the version that was agreed upon, and no longer the one that was asked for."""
        self.is_stateless = version >= STATELESS_SINCE
        self.agree(version)

    def fits(self, _name: str) -> bool:
        """Return whether a call of a tool can be sent without the SDK."""
        return self.can_send()

    async def call(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request and return its result. Raises `MCPError`."""
        if self._ended:
            raise _closed()
        request_id, request = self.written(method, params, scope)
        answer = self._waiting[request_id] = asyncio.get_running_loop().create_future()
        try:
            await self._tell(request)
            return result_in(await answer)
        except OSError:
            raise _closed() from None
        except asyncio.CancelledError:
            await self.give_up(request_id)
            raise
        finally:
            self._waiting.pop(request_id, None)
            self._listening.pop(request_id, None)

    def takes(self, message: Any) -> bool:
        """Take a message that belongs to a call; return whether it does."""
        if not is_object(message) or not self._waiting:
            return False
        if message.get("method") == "notifications/progress":
            return self._takes_report(message.get("params"))
        reply_id = message.get("id")
        if not isinstance(reply_id, str) or "method" in message:
            return False
        answer = self._waiting.pop(reply_id, None)
        if answer is not None and not answer.done():
            answer.set_result(message)
        return answer is not None

    def _takes_report(self, params: Any) -> bool:
        token = params.get("progressToken") if is_object(params) else None
        scope = self._listening.get(token) if isinstance(token, str) else None
        if scope is None:
            return False
        self._reports.add(task := asyncio.ensure_future(scope.reported(params)))
        task.add_done_callback(self._reports.discard)
        return True

    def end(self) -> None:
        """Notify all waiting calls that nothing more will come."""
        self._ended = True
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(_closed())


def _closed() -> MCPError:
    return MCPError(code=t.CONNECTION_CLOSED, message="Connection closed")


class ProcessStreams:
    """One started server: its process, and why it ended."""

    def __init__(self, server: StartedServer, most: int) -> None:
        self.server = server
        self.most = most
        self.ended = asyncio.Event()
        """Set once nothing more can come from it."""
        self.reason = ""
        self.calls = StreamCalls(self._tell)
        """Calls that need nothing of the SDK."""
        self._tail: deque[str] = deque(maxlen=_MOST_TAIL)
        self._process: asyncio.subprocess.Process | None = None

    def why(self) -> str:
        """Return why it ended, with its last line on standard error."""
        process = self._process
        code = None if process is None else process.returncode
        what = self.reason or "the server closed its standard output"
        if code is not None:
            what += f" (exit code {code})" if code >= 0 else f" (signal {-code})"
        last_line = next((line for line in reversed(self._tail) if line.strip()), "")
        return f"{what}; it said: {short(last_line.strip(), 500)}" if last_line else what

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Start the server; yield the streams of messages that the SDK wants.

        Raises `OSError` or `ValueError` if it cannot be started.
        """
        process = self._process = await started(self.server, self.most)
        # No await until the tasks run: a cancellation in between would leave the process behind.
        came, incoming = anyio.create_memory_object_stream[Any](0)
        write, sent = anyio.create_memory_object_stream[Any](0)
        tasks = [
            asyncio.ensure_future(self._read(process, came)),
            asyncio.ensure_future(self._write(process, sent)),
            asyncio.ensure_future(self._listen(process)),
        ]
        try:
            yield incoming, write
        finally:
            for stream in (incoming, write, came, sent):
                stream.close()
            # A task of its own: whoever is cancelled here, the server is ended.
            await asyncio.shield(stopped(process, tasks))

    async def _read(self, process: asyncio.subprocess.Process, came: Any) -> None:
        output = _stream(process.stdout)
        garbage = 0
        try:
            while line := await output.readline():
                parsed: Any = None
                with contextlib.suppress(ValueError):
                    parsed = read_json(line)
                if self.calls.takes(parsed):
                    continue
                message = _message(parsed, line)
                if isinstance(message, t.JSONRPCError) and self.calls.takes(message.model_dump()):
                    continue
                if message is None:
                    garbage += bool(line.strip())
                    if garbage > MOST_GARBAGE:
                        self.reason = "its standard output has lines that are not messages"
                        break
                    continue
                await came.send(SessionMessage(message))
        except ValueError:
            self.reason = f"the server sent a message of more than {self.most:,} bytes"
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return
        except OSError as error:
            self.reason = f"its standard output cannot be read: {error}"
        finally:
            came.close()
            self.calls.end()
            await _settle(process)
            self.ended.set()

    async def _write(self, process: asyncio.subprocess.Process, sent: Any) -> None:
        with contextlib.suppress(OSError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for outgoing in sent:
                self.calls.learn(getattr(outgoing.message, "params", None))
                text = outgoing.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._send(text.encode())

    async def _tell(self, message: Mapping[str, Any]) -> None:
        await self._send(compact_json(message))

    async def _send(self, message: bytes) -> None:
        stdin = _stream(self._process).stdin
        stdin.write(message + b"\n")
        await stdin.drain()

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        errors = _stream(process.stderr)
        partial = b""
        with contextlib.suppress(OSError):
            while part := await errors.read(65536):
                *lines, partial = (partial + part).split(b"\n")
                partial = partial[-2000:]
                for line in lines:
                    self._heard(line)
            self._heard(partial)

    def _heard(self, line: bytes) -> None:
        text = line[:2000].decode(errors="replace").rstrip()
        if text:
            self._tail.append(text)
            _log.debug("%s: %s", self.server, short(text, 2000))


async def started(server: StartedServer, most: int) -> asyncio.subprocess.Process:
    """Start a server whose lines have at most so many bytes; `stopped` ends it.

    Raises `OSError` or `ValueError` if it cannot be started.
    """
    guard.ready()
    process = await asyncio.create_subprocess_exec(
        *server.argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(server.env),
        cwd=server.folder,
        limit=most,
        start_new_session=True,
    )
    _running.add(process.pid)
    guard.note(process.pid)
    return process


def stopped(
    process: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]]
) -> asyncio.Task[None]:
    """End a server, and the tasks that read and write its streams, in a task that goes on."""
    ending = asyncio.ensure_future(_ended_with(process, tasks))
    _endings.add(ending)
    ending.add_done_callback(_endings.discard)
    return ending


def _stream(stream: Any) -> Any:
    """Return a stream of a process that was started with pipes."""
    return stream


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    """Return the server's environment: what programs need, and what was given."""
    return {**get_default_environment(), **more}


def _message(told: Any, line: bytes) -> Any:
    """Return a message for the SDK; None if the line is not a message.

    An answer that cannot be read is an error for whoever waits for it.
    """
    try:
        return t.jsonrpc_message_adapter.validate_python(told, by_name=False)
    except (ValidationError, ValueError):
        match = _ID.search(line[:200]) or _ID.search(line[-200:])
        if match is None or b'"jsonrpc"' not in line[:1000] + line[-1000:]:
            return None
        fault = t.ErrorData(code=_CANNOT_READ, message="the answer is not valid JSON-RPC")
        return t.JSONRPCError(jsonrpc="2.0", id=from_json(match[1]), error=fault)


async def _settle(process: asyncio.subprocess.Process) -> None:
    """Wait a moment for the exit code, which says more than the end of a stream."""
    with contextlib.suppress(asyncio.CancelledError):
        await _ended(process, 0.2)


async def _ended(process: asyncio.subprocess.Process, seconds: float) -> bool:
    # Not `process.wait()`: that also waits for descendants which hold the pipes.
    loop = asyncio.get_running_loop()
    due = loop.time() + seconds
    pause = 0.002
    while process.returncode is None:
        if loop.time() >= due:
            return False
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True


async def _ended_with(process: asyncio.subprocess.Process, tasks: list[asyncio.Task[None]]) -> None:
    """End a server, and the tasks that read and write its streams."""
    await _stopped(process)
    _running.discard(process.pid)
    guard.forget(process.pid)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    # Otherwise it stays open while a descendant holds the other end of a pipe.
    cast("Any", process)._transport.close()  # noqa: SLF001


async def servers_ended() -> None:
    """Wait until every server that is being ended has ended."""
    while _endings:
        await asyncio.wait(list(_endings))


def kill_servers() -> None:
    """Kill the servers that still run when this process ends: its loop no longer can."""
    for pid in list(_running):
        with contextlib.suppress(OSError):
            kill_group(pid)


def _of_the_parent() -> None:
    _running.clear()
    _endings.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_of_the_parent)


async def _stopped(process: asyncio.subprocess.Process) -> None:
    """Let a server end: its input is closed, then it and its descendants are ended by signals."""
    if process.stdin is not None:
        with contextlib.suppress(OSError, RuntimeError):
            process.stdin.close()
    for send in (ask_to_end, kill_group):
        if await _ended(process, _GRACE):
            return
        send(process.pid)
    await _ended(process, _GRACE)
