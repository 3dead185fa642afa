"""What a server sends, on its way to the SDK."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Self

import mcp_types as t
from mcp.shared.exceptions import MCPError
from mcp_types.methods import parse_server_notification
from pydantic import ValidationError
from pydantic_core import from_json

from ..._json_values import is_object, strict_json, without_surrogates
from ..._log import logger
from ..._protocol import HANDSHAKE_VERSIONS
from ..bounds import short

_log = logger("client")
_LISTS = frozenset(("tools", "resources", "resourceTemplates", "prompts"))
_SENT = object()
"""The data of an error that a server has sent without any."""


class IncomingMessages:
    """The stream that the SDK reads; every error in it has data, every notification is valid.

    The SDK reports a lost connection with a number that any server may send for its own errors:
    -32000. But the SDK's own errors have no data, and so an error without any is not the server's.
    It also logs a trace for each notification that is not valid, and a server may send very many.
    """

    def __init__(self, stream: Any, server: str, version: Callable[[], str | None]) -> None:
        self._stream = stream
        self._server = server
        self._version = version
        self._has_warned = False

    @property
    def last_context(self) -> Any:
        """The context of whoever sent the last message, where the transport has one."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Any:
        """Return the next message. Raises what the stream raises at its end."""
        while True:
            came = await self._stream.receive()
            message = getattr(came, "message", None)
            if isinstance(message, t.JSONRPCError) and message.error.data is None:
                message.error.data = _SENT
            if not isinstance(message, t.JSONRPCNotification) or self._is_valid(message):
                return came

    def _is_valid(self, notice: t.JSONRPCNotification) -> bool:
        version = self._version() or HANDSHAKE_VERSIONS[-1]
        try:
            parse_server_notification(notice.method, version, notice.params)
        except ValidationError:
            if not self._has_warned:
                self._has_warned = True
                text = (
                    "%s sends notifications that break the protocol, such as %s: they are dropped"
                )
                _log.warning(text, self._server, short(notice.method, 100))
            return False
        except (KeyError, ValueError):  # of a method or a version that the SDK does not know
            pass
        return True

    async def aclose(self) -> None:
        """Close it."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        import anyio

        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


@asynccontextmanager
async def told_apart(
    transport: AbstractAsyncContextManager[tuple[Any, Any]],
    server: str,
    version: Callable[[], str | None],
) -> AsyncGenerator[tuple[Any, Any]]:
    """Yield the streams of a transport, in which errors of the server can be told from others."""
    async with transport as (incoming, write):
        yield IncomingMessages(incoming, server, version), write


def server_error(error: Mapping[str, Any]) -> MCPError:
    """Return the exception for an error that a server has sent."""
    data = error.get("data")
    message = str(error.get("message"))
    return MCPError(code=error["code"], message=message, data=_SENT if data is None else data)


def is_lost(error: BaseException) -> bool:
    """Return whether the connection was lost: the SDK says so, or we do; not the server."""
    if not isinstance(error, MCPError):
        return False
    return error.code == t.CONNECTION_CLOSED and error.data is None


def read_json(text: str | bytes) -> Any:
    """Read what a server has sent. Raises `ValueError` for what is not JSON.

    A lone surrogate, such as half of an emoji that was cut, is replaced, but not in the items of
    a list: a name must stay what it is, so there it is a fault of that item.
    """
    try:
        return from_json(text, allow_inf_nan=False)
    except ValueError:
        pass
    try:
        message = strict_json(text)
        result: Any = message.get("result") if is_object(message) else None
        items = (
            {key: result.pop(key) for key in _LISTS & result.keys()} if is_object(result) else {}
        )
        message = without_surrogates(message)
    except RecursionError as error:
        raise ValueError from error
    if items:
        message["result"] |= items
    return message
