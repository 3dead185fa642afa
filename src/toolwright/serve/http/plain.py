"""Plain requests of 2026-07-28 over HTTP, answered on the short path."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from ..._protocol import LATEST_PROTOCOL
from ...arguments.sample import parsed
from ...run.current import asked_by
from ..short_path import PlainRequest, is_modern, plain_request
from .asgi import answer
from .body import Gone, cancelled_if_gone
from .exchanges import Exchange
from .http_call import HttpCall, ShortRequests

if TYPE_CHECKING:
    from ...call import Call

_PLAIN_HEADERS = frozenset((b"mcp-protocol-version", b"mcp-method", b"mcp-name"))
_LATEST = LATEST_PROTOCOL.encode()
_ACCEPTED = frozenset((b"application/json", b"text/event-stream"))


class PlainRequests(ShortRequests[HttpCall]):
    """Answers what the short path can; anything else is for the SDK."""

    async def answered(self, exchange: Exchange) -> bool:
        """Answer a plain request; return whether it was one."""
        headers, send = exchange.headers, exchange.send
        if not _is_plain(headers):
            return False
        try:
            request = plain_request(parsed(exchange.body))
        except ValueError:
            return False
        if request is None or not is_modern(request) or not _fits(headers, request):
            return False
        viewer = exchange.sender.viewer(self.box.now, request.id)
        if request.method == "tools/call":
            task = self.short_path.task(request, LATEST_PROTOCOL, viewer)
            if task is None:
                return False
            await self.start(HttpCall(task, self.box, exchange, self.take_over))
            return True
        if request.params.keys() != {"_meta"} or "progressToken" in request.meta:
            return False
        if request.method == "tools/list" and self.box.now.about.page_size is None:
            await answer(send, self.short_path.listed(request, LATEST_PROTOCOL, viewer))
            return True
        if request.method == "server/discover":
            await answer(send, self.short_path.discover(request))
            return True
        return False

    async def run(self, run: HttpCall, call: Call | None) -> None:
        """Run a call that ends if its client hangs up."""
        task = run.task
        try:
            with (
                cancelled_if_gone(self.patience, run.exchange, run.stay_alive),
                asked_by(run),
                self.box.busy() as box,
            ):
                result = await box.call(task.runner.name, task.arguments, call)
            await run.answer(self.short_path, result)
        except Gone:
            await run.hang_up()
        except asyncio.CancelledError:
            if not run.exchange.is_stopped or not await run.stopped():
                await run.hang_up()
                raise


def _is_plain(headers: Mapping[bytes, bytes]) -> bool:
    """Return whether the headers are those of a plain request: nothing in them needs the SDK."""
    return (
        headers.get(b"mcp-protocol-version") == _LATEST
        and headers.get(b"content-type") == b"application/json"
        and _names_both(headers.get(b"accept", b""))
        and _are_plain(tuple(headers))
    )


@lru_cache(maxsize=64)
def _names_both(sent: bytes) -> bool:
    return {kind.strip() for kind in sent.split(b",")} >= _ACCEPTED


@lru_cache(maxsize=64)
def _are_plain(names: tuple[bytes, ...]) -> bool:
    """Return whether header names are plain; cached, as a client sends the same ones each time."""
    return all(name in _PLAIN_HEADERS or not name.startswith(b"mcp-") for name in names)


def _fits(headers: Mapping[bytes, bytes], asked: PlainRequest) -> bool:
    """Return whether the headers repeat what the body says, as they must.

    The SDK answers those that do not with the error for this: -32020, HeaderMismatch (2026-07-28,
    basic/transports/streamable-http).
    """
    if headers.get(b"mcp-method") != asked.method.encode():
        return False
    name = asked.params.get("name")
    header = headers.get(b"mcp-name")
    return header == (name.encode() if isinstance(name, str) else None)
