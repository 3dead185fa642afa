"""Uvicorn, extended to finish calls before it closes their connections."""

from __future__ import annotations

import asyncio
import atexit
import gc
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from types import FrameType
from typing import Any

import uvicorn

from ....run.pipe import unshared
from ...lifecycle import ended, ending_signals, opened
from ...settings import ServerConfig
from ..app import App
from .connections import Connections, counted
from .trial import has_insides, protocol

_LARGER_THAN_A_READ = 1 << 20
_FLUSH = 1
"""Seconds for answers that are already written to reach their clients."""


def http_server(app: App, config: ServerConfig) -> PlainServer:
    """Return a server for one app: ours, if uvicorn has the insides that it overrides."""
    return Server(app, config) if has_insides() else PlainServer(app, config)


class PlainServer(uvicorn.Server):
    """Uvicorn as it is documented: it tells the app when it begins and ends."""

    def __init__(self, app: App, config: ServerConfig, **more: Any) -> None:
        certificate, key = config.tls or (None, None)
        super().__init__(
            uvicorn.Config(
                app,
                ws="none",
                # We read proxy headers ourselves: uvicorn believes any client on this machine.
                proxy_headers=False,
                # Warnings are about malformed requests: a line for each would itself be a flood.
                log_level="error",
                access_log=False,
                ssl_certfile=certificate,
                ssl_keyfile=key,
                timeout_graceful_shutdown=_FLUSH,
                **more,
            )
        )
        self.announce: Callable[[], None] = lambda: None
        """Called once connections are accepted; by then a signal ends it as it should."""

    def run_on(self, listening: socket.socket) -> None:
        """Serve connections to a socket until a signal comes, and close it."""
        with listening:
            self.announce()  # the socket listens: whoever connects now waits
            self.run(sockets=[listening])

    async def serve_on(self, listening: socket.socket) -> None:
        """Serve connections to a socket on the running loop, until cancelled; then close it."""
        with listening:
            self.announce()
            await self._until_cancelled(listening)

    async def _until_cancelled(self, listening: socket.socket) -> None:
        # It must be able to end by itself, and so is never cancelled.
        serving = asyncio.ensure_future(self.serve(sockets=[listening]))
        try:
            await asyncio.wait((serving,))
        except asyncio.CancelledError:
            await self._end(serving)
            raise
        serving.result()

    async def _end(self, serving: asyncio.Future[None]) -> None:
        self.should_exit = True
        await serving


class Server(PlainServer):
    """Serves one app until a signal comes, and drains it while connections are still taken.

    The signals are not raised again at the end: a server that was told to end has not failed.
    """

    stops_its_app = True

    def __init__(self, app: App, config: ServerConfig) -> None:
        self.connections = Connections(config, app.proxies)
        # We enter and leave the lifespan ourselves, so that what it raises reaches the caller.
        super().__init__(app, config, http=protocol(self.connections), lifespan="off")
        self.app = app
        self.is_told = False
        self.is_guest = False
        """Whether it runs in a loop that is not its own, and so leaves the signals alone."""

    def run_on(self, listening: socket.socket) -> None:
        """Serve connections to a socket until a signal comes, and close it."""
        # asyncio reads into 256 kB. Until a larger block has been freed once, Linux's allocator
        # asks the system for each of them, and gives it back: three system calls per request.
        bytearray(_LARGER_THAN_A_READ)
        with counted(listening, self.connections) as heard, unshared(lambda: self._open(heard)):
            self.run(sockets=[heard])
        # What thousands of sessions leave behind need not be collected when the process ends:
        # that would take half as long as ending them.
        atexit.register(gc.freeze)

    async def serve_on(self, listening: socket.socket) -> None:
        """Serve connections to a socket on the running loop, until cancelled; then close it."""
        self.is_guest = True
        with counted(listening, self.connections) as heard, unshared(lambda: self._open(heard)):
            await self._until_cancelled(heard)

    async def _end(self, serving: asyncio.Future[None]) -> None:
        self.is_told = True
        await ended(serving, self.app.drain.skip)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take the signals of the process, if it is ours."""
        with nullcontext() if self.is_guest else super().capture_signals():
            signals = [] if self.is_guest else self._capture_others()
            try:
                yield
            finally:
                for number in signals:
                    signal.signal(number, signal.SIG_DFL)

    def _capture_others(self) -> list[int]:
        """Take the signals that uvicorn leaves alone: a closed terminal ends us as well."""
        if threading.current_thread() is not threading.main_thread():
            return []
        handler = self.handle_exit
        signals = [number for number in ending_signals() if signal.getsignal(number) != handler]
        for number in signals:
            signal.signal(number, self.handle_exit)
        return signals

    def _open(self, heard: socket.socket) -> list[int]:
        """Return the descriptors of the server: its port, and its clients' connections."""
        transports = [
            getattr(connection, "transport", None) for connection in self.server_state.connections
        ]
        sockets = [
            transport.get_extra_info("socket") for transport in transports if transport is not None
        ]
        return [
            heard.fileno(),
            *(connected.fileno() for connected in sockets if connected is not None),
        ]

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Start to shut down; at the second signal, stop waiting for calls."""
        if self.is_told:
            self.app.drain.hurry()
        self.is_told = True

    async def on_tick(self, counter: int) -> bool:
        """Return whether the main loop ends."""
        return await super().on_tick(counter) or self.is_told

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Enter the lifespan, then accept connections. Raises `LifespanFailed`."""
        if await opened(self.app.box, lambda: self.is_told):
            await super().startup(sockets)
            self.announce()
        else:  # told to end before it has begun
            self.should_exit = True
            await self.app.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain, then close; libraries that watch `should_exit` cut streams when it is set."""
        await self.app.stop()
        self.should_exit = True
        await super().shutdown(sockets)
        await self.app.close()
