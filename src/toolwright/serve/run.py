"""Run a server in the foreground, over either transport."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..run.forks import unshared
from .guard import LOOPBACK
from .http import MOST_BODY, App

if TYPE_CHECKING:
    from .box import Box
    from .signin import SignIn

_PATIENCE = 3
"""Seconds for calls that run when the server is told to end."""


def serve(box: Box, transport: str = "stdio", **settings: Any) -> None:
    """Serve a toolbox over `stdio` or `http`. Raises `ValueError` for settings that are not safe."""
    if transport == "stdio":
        from .stdio import serve as serve_stdio

        serve_stdio(box, **settings)
    elif transport == "http":
        serve_http(box, **settings)
    else:
        msg = f"a transport is `stdio` or `http`; got {transport!r}"
        raise ValueError(msg)


def serve_http(
    box: Box,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    path: str = "/mcp",
    tokens: Any = None,
    sign_in: SignIn | None = None,
    resource: str = "",
    tls: tuple[str, str] | None = None,
    auth: bool = True,
    hosts: Iterable[str] = (),
    origins: Iterable[str] = (),
    stateless: bool = False,
    max_body: int = MOST_BODY,
    rate_limit: str | None = None,
    metrics: bool = False,
    short: bool = True,
    listening: socket.socket | None = None,
) -> None:
    """Serve over HTTP. Without a token only this machine may ask, unless `auth=False` is said."""
    import uvicorn

    if not is_loopback(host) and not tokens and sign_in is None and auth:
        msg = (
            f"{host} can be reached by other machines: give tokens=... or sign_in=..., or say auth=False "
            "if anybody may call these tools"
        )
        raise ValueError(msg)
    app = App(
        box,
        path=path,
        tokens=tokens,
        sign_in=sign_in,
        resource=resource,
        hosts=(host, *hosts),
        origins=origins,
        stateless=stateless,
        max_body=max_body,
        rate_limit=rate_limit,
        metrics=metrics,
        short=short,
    )
    certificate, key = tls or (None, None)
    settings = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        # Streams of clients that listen never end by themselves.
        timeout_graceful_shutdown=_PATIENCE,
    )
    server = uvicorn.Server(settings)
    with listening or listen(host, port) as heard, unshared(lambda: _open_in(server, heard)):
        server.run(sockets=[heard])


def _open_in(server: Any, heard: socket.socket) -> list[int]:
    """Return the descriptors of a server: its port, and its clients' connections."""
    transports = [each.transport for each in list(server.server_state.connections)]
    found = [each.get_extra_info("socket") for each in transports if each is not None]
    return [heard.fileno(), *(each.fileno() for each in found if each is not None)]


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, asyncio sends small packets at once; else each answer waits 40 ms for the one before.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host.strip("[]"), port))
        made.listen(2048)
    except BaseException:
        made.close()
        raise
    return made


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a host."""
    if host in LOOPBACK:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
