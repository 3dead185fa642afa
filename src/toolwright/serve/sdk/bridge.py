"""The SDK's server behind a stream of lines."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import mcp_types as t
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json, to_json

from ..._json_values import is_object
from ..._log import log
from ..sender import USER
from .calls import HANDED, Handed
from .server import SdkServer

if TYPE_CHECKING:
    from ..lifecycle import Drain
    from ..offering import Live
    from ..plain_run import PlainRun

_MESSAGES: TypeAdapter[Any] = TypeAdapter(t.JSONRPCMessage)


class TakenOver(NamedTuple):
    """Takes the place of the HTTP request for a call that the short path has begun."""

    scope: dict[str, Any]


class Bridge:
    """Feeds lines to the SDK and writes its answers.

    It is made when a line first needs the SDK. What the short path answered before is replayed, so
    that the SDK knows the era of the conversation (2026-07-28, basic/versioning); its answer to a
    replayed handshake is dropped, since the client already has one.
    """

    def __init__(
        self, box: Live, write: Callable[[bytes], None], recorded: list[bytes], drain: Drain
    ) -> None:
        self.write = write
        self.served = SdkServer(box)
        # If the short path answered the handshake, the conversation reports list changes itself.
        self.served.changes.tells_of_lists = not recorded
        self.served.server.middleware.append(drain.count)
        self.silent: set[Any] = set()
        self.unanswered: set[Any] = set()
        self.taken: dict[Any, PlainRun] = {}
        """Calls that the short path has begun, by the ids of their requests."""
        drain.sources.append(lambda: bool(self.unanswered or self.served.tasks.running))
        self.send, incoming = anyio.create_memory_object_stream[Any](float("inf"))
        outgoing, self.receive_stream = anyio.create_memory_object_stream[Any](float("inf"))
        self._streams = (incoming, outgoing, self.receive_stream)
        for line in recorded:
            message: Any = from_json(line)
            if "id" in message:
                self.silent.add(message["id"])
            self.receive(line)
        self.tasks = [
            asyncio.ensure_future(self._run(incoming, outgoing)),
            asyncio.ensure_future(self._write()),
        ]

    async def _run(self, incoming: Any, outgoing: Any) -> None:
        await self.served.server.run(incoming, outgoing, self.served.options)

    async def _write(self) -> None:
        async for item in self.receive_stream:
            message = item.message
            answers = isinstance(message, t.JSONRPCResponse | t.JSONRPCError)
            if answers and message.id in self.silent:
                self.silent.discard(message.id)
                self._settled(message.id)
                continue
            try:
                line = message.model_dump_json(by_alias=True, exclude_unset=True).encode()
            except Exception:  # noqa: BLE001 - whatever a message holds
                # One message that cannot be written must not end the others.
                log.exception("a message could not be written")
            else:
                self.write(line)
            if answers:
                self._settled(message.id)

    def _settled(self, number: Any) -> None:
        """Forget a request that is answered, or given up."""
        self.unanswered.discard(number)
        run = self.taken.pop(number, None)
        if run is not None:
            run.abandon()

    def take_over(self, run: PlainRun) -> None:
        """Go on with a call that the short path has begun."""
        request = run.task.asked
        message = t.JSONRPCRequest(
            jsonrpc="2.0", id=request.id, method=request.method, params=request.params
        )
        self.unanswered.add(request.id)
        self.taken[request.id] = run
        context = ServerMessageMetadata(request_context=TakenOver({HANDED: Handed(USER, run=run)}))
        self.send.send_nowait(SessionMessage(message, context))

    def receive(self, line: bytes) -> None:
        """Take a line from the client."""
        try:
            item: Any = SessionMessage(_MESSAGES.validate_json(line))
        except ValidationError:
            self.write(_refused(line))
            return
        if isinstance(item.message, t.JSONRPCRequest):
            self.unanswered.add(item.message.id)
        elif isinstance(item.message, t.JSONRPCNotification):
            self._given_up(item.message)
        self.send.send_nowait(item)

    def _given_up(self, notice: t.JSONRPCNotification) -> None:
        """Stop expecting an answer to a request that the client has cancelled."""
        if notice.method == "notifications/cancelled" and notice.params:
            number = notice.params.get("requestId")
            if isinstance(number, int | str):
                self._settled(number)

    def end_listeners(self) -> None:
        """End the streams of `subscriptions/listen`, each with its result."""
        self.served.changes.close()

    async def close(self) -> None:
        """End the server; its requests were answered, or given up."""
        await self.served.tasks.close()
        self.send.close()
        _, late = await asyncio.wait(self.tasks, timeout=1)
        for task in late:
            task.cancel()
        for stream in self._streams:
            stream.close()


def _refused(line: bytes) -> bytes:
    """Return the error for JSON that is not a JSON-RPC message."""
    message: Any = from_json(line)
    number = message.get("id") if is_object(message) else None
    if isinstance(number, bool) or not isinstance(number, int | str):
        number = None
    error = t.ErrorData(code=t.INVALID_REQUEST, message="not a JSON-RPC message")
    body = {"jsonrpc": "2.0", "id": number, "error": error.model_dump(exclude_none=True)}
    return to_json(body)
