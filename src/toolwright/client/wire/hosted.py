"""A server object of this process, spoken to in memory."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio

from ..bounds import CLOSE_SECONDS


class HostedServer:
    """Runs a server object in a thread of its own.

    Its tools may block its loop, as they would in a process of their own, and its lifespan is
    entered and left in one thread.
    """

    def __init__(self, server: Any) -> None:
        self.server = server
        self.ended = asyncio.Event()
        self.failure: Exception | None = None
        """Why it ended, if its lifespan or its loop has failed."""
        self._there: asyncio.AbstractEventLoop | None = None
        self._work: asyncio.Task[Any] | None = None
        self._ready = asyncio.Event()
        self._inbox: Any = None

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[tuple[Any, Any]]:
        """Start it; yield the streams of messages that the SDK wants.

        Raises whatever its lifespan raises, where that is entered before the first request.
        """
        own_loop = asyncio.get_running_loop()
        came, incoming = anyio.create_memory_object_stream[Any](math.inf)
        write, sent = anyio.create_memory_object_stream[Any](0)
        threading.Thread(
            target=self._run, args=(own_loop, came), name="toolwright-server", daemon=True
        ).start()
        passing: asyncio.Task[None] | None = None
        try:
            await self._ready.wait()
            if self.failure is not None:
                raise self.failure
            passing = asyncio.ensure_future(self._pass_on(sent))
            yield incoming, write
        finally:
            if passing is not None:
                passing.cancel()
            await asyncio.shield(asyncio.ensure_future(self._end()))
            for stream in (incoming, write, came, sent):
                stream.close()

    async def _end(self) -> None:
        """Have the server leave its lifespan; one that takes long is cancelled, then left alone."""
        if self._inbox is not None:
            self._tell(self._inbox.close)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS / 2):
                    await self.ended.wait()
        if not self.ended.is_set() and self._work is not None:
            self._tell(self._work.cancel)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS / 4):
                    await self.ended.wait()

    async def _pass_on(self, sent: Any) -> None:
        async for message in sent:
            self._tell(_put, self._inbox, message)

    def _tell(self, what: Callable[..., object], *sent: Any) -> None:
        """Do something on the server's loop, unless it has ended."""
        if self._there is not None:
            with contextlib.suppress(RuntimeError):
                self._there.call_soon_threadsafe(what, *sent)

    # -- in its own thread

    def _run(self, here: asyncio.AbstractEventLoop, came: Any) -> None:
        def tell(what: Callable[..., object], *sent: Any) -> None:
            with contextlib.suppress(RuntimeError):  # nobody is there any more
                here.call_soon_threadsafe(what, *sent)

        def end() -> None:
            came.close()
            self._ready.set()
            self.ended.set()

        try:
            asyncio.run(self._serve(tell, came))
        except Exception as error:  # noqa: BLE001 - an author's code, or a library of theirs
            self.failure = error
        except BaseException as error:  # noqa: BLE001 - such as SystemExit, which ends only a thread
            self.failure = RuntimeError(f"{type(error).__name__}: {error}")
        finally:
            tell(end)

    async def _serve(self, tell: Callable[..., None], came: Any) -> None:
        self._there, self._work = asyncio.get_running_loop(), asyncio.current_task()
        inbox, incoming = anyio.create_memory_object_stream[Any](math.inf)
        write, out = anyio.create_memory_object_stream[Any](math.inf)
        protocol_server = _protocol_server(self.server)
        # FastMCP's own lifespan is around its server of the protocol, as its transports do it.
        manager = getattr(self.server, "_lifespan_manager", None)
        around = contextlib.nullcontext() if manager is None else manager()
        with inbox, incoming, write, out:
            async with around:
                answers = asyncio.ensure_future(_each(out, lambda one: tell(_put, came, one)))
                self._inbox = inbox
                tell(self._ready.set)
                try:
                    await protocol_server.run(
                        incoming, write, protocol_server.create_initialization_options()
                    )
                finally:
                    write.close()
                    await answers


def _protocol_server(server: Any) -> Any:
    """Return the object of the SDK that speaks the protocol for a server."""
    for name in ("_mcp_server", "_lowlevel_server"):  # of FastMCP, of MCPServer
        protocol_server = getattr(server, name, None)
        if protocol_server is not None:
            return protocol_server
    return server


async def _each(stream: Any, take: Callable[[Any], object]) -> None:
    async for message in stream:
        take(message)


def _put(stream: Any, message: Any) -> None:
    with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
        stream.send_nowait(message)
