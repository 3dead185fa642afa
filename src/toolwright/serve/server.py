"""Run a server in the foreground, over either transport."""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .access.guard import LOOPBACK
from .access.quotas import SessionLimits
from .drain import HTTP_SECONDS
from .http import BODY_TIMEOUT, FAILED_SIGN_INS, MOST_BODY, App

if TYPE_CHECKING:
    from .access.oauth import SignIn
    from .access.state_key import Keys
    from .servable import Box

_SESSION_LIMITS = frozenset(field.name for field in fields(SessionLimits))


def serve(box: Box, transport: str = "stdio", **settings: Any) -> None:
    """Serve a toolbox over `stdio` or `http`. Raises `ValueError` for settings that are not safe."""
    if transport == "stdio":
        from .stdio.conversation import serve as serve_stdio

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
    body_timeout: float = BODY_TIMEOUT,
    trusted_proxies: Iterable[str] = (),
    failed_sign_ins: str = FAILED_SIGN_INS,
    rate_limit: str | None = None,
    metrics: bool = False,
    drain: float = HTTP_SECONDS,
    state_key: Keys = None,
    short: bool = True,
    listening: socket.socket | None = None,
    **limits: Any,
) -> None:
    """Serve over HTTP. Without a token only this machine may ask, unless `auth=False` is said.

    `limits` are the fields of `ConnectionLimits` and `SessionLimits`.
    """
    from .http.uvicorn.connections import ConnectionLimits
    from .http.uvicorn.server import Server

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
        body_timeout=body_timeout,
        trusted_proxies=trusted_proxies,
        failed_sign_ins=failed_sign_ins,
        rate_limit=rate_limit,
        metrics=metrics,
        drain=drain,
        state_key=state_key,
        short=short,
        **{name: limits.pop(name) for name in list(limits) if name in _SESSION_LIMITS},
    )
    bounds = ConnectionLimits(body_timeout=body_timeout, **limits).checked()
    Server(app, bounds, tls=tls).run_on(listening or listen(host, port))


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
