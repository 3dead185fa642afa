"""Streams between a session and the SDK that keep no message."""

from __future__ import annotations

import contextlib
import secrets
from typing import Any, Self

import anyio
import mcp_types as t
from mcp.shared.message import SessionMessage

NOTHING = t.JSONRPCResponse(jsonrpc="2.0", id=secrets.token_hex(16), result={})
"""A message without a receiver. No client can guess its id, so it belongs to no stream."""


class Incoming:
    """The stream that the SDK reads from. Its loop holds the last message until the next one comes.

    In an idle session that may take half an hour, and the message may have megabytes. So the item
    that the loop holds is emptied as soon as the loop waits again.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self._last: SessionMessage | None = None
        self.last_context: Any = None

    def __aiter__(self) -> Incoming:
        return self

    async def __anext__(self) -> Any:
        self._let_go()
        item = await self._inner.__anext__()
        self.last_context = self._inner.last_context
        if isinstance(item, SessionMessage):
            self._last = item
        return item

    def _let_go(self) -> None:
        self.last_context = self._inner.last_context = None
        if self._last is not None:
            self._last.message = NOTHING
            self._last.metadata = None
            self._last = None

    async def receive(self) -> Any:
        """Return the next message."""
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise anyio.EndOfStream from None

    async def aclose(self) -> None:
        """Read no more."""
        self._let_go()
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class Outgoing:
    """The stream that the SDK writes to. Its reader holds the last message, too.

    That message cannot be emptied, since it is on its way to the client. So `NOTHING` follows it,
    to be held instead.
    """

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def send(self, item: Any) -> None:
        """Send a message."""
        await self._inner.send(item)
        # A session that has ended meanwhile no longer holds anything.
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            await self._inner.send(SessionMessage(NOTHING))

    async def aclose(self) -> None:
        """Write no more."""
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
