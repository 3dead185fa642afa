"""Plain requests of 2026-07-28 over HTTP, answered on the short path."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from ..._protocol import LATEST_PROTOCOL
from ...arguments.sample import is_large, parsed
from ...outcome.failure import failed
from ...run.current import asked_by
from ..access.quotas import Running, too_many
from ..short_path import PlainCall, PlainRequest, ShortPath, is_modern, plain_request
from .asgi import answer
from .body import Gone, Patience, cancelled_if_gone
from .exchanges import Exchange
from .http_call import HttpCall, TakeOver

if TYPE_CHECKING:
    from ...call import Call
    from ..offering import Live

_PLAIN_HEADERS = frozenset((b"mcp-protocol-version", b"mcp-method", b"mcp-name"))
_LATEST = LATEST_PROTOCOL.encode()
_ACCEPTED = frozenset((b"application/json", b"text/event-stream"))


class PlainRequests:
    """Answers what the short path can; anything else is for the SDK."""

    def __init__(self, box: Live, running: Running, take_over: TakeOver, *, watch: bool) -> None:
        self.box = box
        self.running = running
        self.take_over = take_over
        self.short_path = ShortPath(box, watch=watch)
        self.patience = Patience()

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
            await self._call(task, exchange)
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

    async def _call(self, task: PlainCall, exchange: Exchange) -> None:
        runner = task.runner
        run = HttpCall(task, self.box, exchange, self.take_over)
        # Hooks, and listeners to the items of a generator, need the call from the beginning.
        is_wrapped = self.box.now.is_wrapped()
        needs_call = is_wrapped or (task.token is not None and runner.may_tell)
        call = run.made() if needs_call else None
        is_quick = runner.inline and runner.needs_no_loop and not is_large(task.arguments)
        if is_quick and not is_wrapped:
            with self.box.busy(), asked_by(run):
                result = runner.call(task.arguments, call)
            await run.answer(self.short_path, result)
            return
        client, size = exchange.sender.client, len(exchange.body)
        if not self.running.begin(client, size):
            await self._refuse(task, exchange)
            return
        try:
            await self._awaited(run, call)
        except Gone:
            await run.hang_up()
        except asyncio.CancelledError:
            if not exchange.is_stopped or not await run.stopped():
                await run.hang_up()
                raise
        finally:
            self.running.end(client, size)

    async def _awaited(self, run: HttpCall, call: Call | None) -> None:
        task = run.task
        with (
            cancelled_if_gone(self.patience, run.exchange, run.stay_alive),
            asked_by(run),
            self.box.busy() as box,
        ):
            result = await box.call(task.runner.name, task.arguments, call)
        await run.answer(self.short_path, result)

    async def _refuse(self, task: PlainCall, exchange: Exchange) -> None:
        """Answer a call that may not run now: too many already do."""
        error, sender, name = too_many(), exchange.sender, task.runner.name
        self.box.now.refused("tool", error.code, name, caller=sender.name, client=sender.address)
        await answer(exchange.send, self.short_path.finished(task, failed(error)))


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
