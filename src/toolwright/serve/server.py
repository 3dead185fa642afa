"""Run a server over either transport, blocking or on a loop."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import socket
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from .._elsewhere import instead
from .._log import log
from .._log.printable import say
from .._words import count_of
from .lifecycle import LifespanFailed
from .offering import Live
from .settings import CONSOLE_PATH, HttpSettings, ServerConfig, StdioSettings, server_config

if TYPE_CHECKING:
    from .http.uvicorn.server import PlainServer


_ON_STDIO = 'box.serve("http") serves at an address instead.'


def announce_http(box: Live, config: ServerConfig, port: int) -> None:
    """Say at which address a server answers."""
    if config.console:
        say(f"The console is at {console_address(config, port)}")
    say(f"{_counted(box)} at {address(config, port)} (Ctrl-C ends it)")


def console_address(config: ServerConfig, port: int) -> str:
    """Return the URL of the console of a server that listens at a port."""
    return f"{address(config, port).removesuffix(config.path)}{CONSOLE_PATH}/"


def address(config: ServerConfig, port: int) -> str:
    """Return the URL of a server that listens at a port."""
    host = f"[{config.host.strip('[]')}]" if ":" in config.host else config.host
    scheme = "http" if config.tls is None else "https"
    return f"{scheme}://{host}:{port}{config.path}"


def announce_stdio(box: Live, hint: str = _ON_STDIO) -> None:
    """Show a person at a terminal that this server waits for a client, and what they may want."""
    # Short lines: a terminal would break long ones inside words.
    waiting = f"{_counted(box)} over stdio, waiting for a client that starts this program."
    say(f"{waiting}\n{hint} Ctrl-C ends it.")


def _counted(box: Live) -> str:
    tools = box.now.tools
    count = sum(tools.usable(tool.published_name, None) is not None for tool in tools.values())
    return f"{box.now.about.name}: {count_of(count, 'tool')}"


def why_not(error: OSError, host: str, port: int, port_flag: str, host_flag: str) -> str:
    """Return why a server cannot listen, and what to give instead."""
    if error.errno in (errno.EADDRINUSE, errno.EACCES):
        fix = f"`{port_flag}` picks a free port"
    else:
        fix = f"`{host_flag}` listens on this machine only"
    return f"cannot listen at {host}:{port}: {error.strerror}; {fix}"


_SPARE_FILES = 100
"""Open files that are left for everything but connections."""


@overload
def serve(
    box: Live, transport: Literal["stdio"] = "stdio", **settings: Unpack[StdioSettings]
) -> None: ...
@overload
def serve(box: Live, transport: Literal["http"], **settings: Unpack[HttpSettings]) -> None: ...
def serve(box: Live, transport: str = "stdio", **settings: Any) -> None:
    """Serve a toolbox over `stdio` or `http`.

    Raises `TypeError` for an unknown setting, and `ValueError` for one that is wrong or not safe.
    """
    with _raising_cause():
        if transport == "stdio":
            _serve_stdio(box, settings)
        elif transport == "http":
            serve_http(box, server_config("http", settings))
        else:
            raise _unknown(transport)


@overload
async def serve_async(
    box: Live, transport: Literal["stdio"] = "stdio", **settings: Unpack[StdioSettings]
) -> None: ...
@overload
async def serve_async(
    box: Live, transport: Literal["http"], **settings: Unpack[HttpSettings]
) -> None: ...
async def serve_async(box: Live, transport: str = "stdio", **settings: Any) -> None:
    """Serve a toolbox on the running loop, until it is cancelled or the client ends it.

    Raises what `serve` raises.
    """
    with _raising_cause():
        if transport == "stdio":
            from .stdio.conversation import converse_async

            await converse_async(box, _stdio_config(settings))
        elif transport == "http":
            config = server_config("http", settings)
            server = _http_server(box, config)
            heard = _listening(config)

            where = address(config, heard.getsockname()[1])
            server.announce = lambda: log.info("%s: serving at %s", box.now.about.name, where)
            await server.serve_on(heard)
        else:
            raise _unknown(transport)


@contextlib.contextmanager
def _raising_cause() -> Generator[None]:
    """Raise what a lifespan has raised, as `with box` does."""
    try:
        yield
    except LifespanFailed as failed:
        raise (failed.__cause__ or failed) from None


@contextlib.contextmanager
def ended_by_ctrl_c(outermost: CodeType) -> Generator[None]:
    """End quietly at Ctrl-C if a coroutine with this code is all that `asyncio.run` runs.

    At Ctrl-C, `asyncio.run` cancels its main task, and raises `KeyboardInterrupt` if that ends
    as cancelled (Python's documentation, asyncio: Handling Keyboard Interruption). Inside another
    coroutine a cancellation must propagate: it may come from a time limit or a task group.
    """
    task = asyncio.current_task()
    try:
        yield
    except asyncio.CancelledError:
        handler = signal.getsignal(signal.SIGINT)
        if task is None or getattr(handler, "keywords", {}).get("main_task") is not task:
            raise
        if getattr(task.get_coro(), "cr_code", None) is not outermost:
            raise


def _unknown(transport: str) -> ValueError:
    hint = instead("transport", transport)
    more = f": {hint}" if hint else ""
    return ValueError(f"a transport is `stdio` or `http`; got {transport!r}{more}")


def _serve_stdio(box: Live, settings: Mapping[str, Any]) -> None:
    from ..run.pipe import take_over
    from .stdio.conversation import converse

    config = _stdio_config(settings)
    converse(box, take_over(), config, announce_stdio)


def _stdio_config(settings: Mapping[str, Any]) -> ServerConfig:
    config = server_config("stdio", settings)
    _show_logs(config.log_level)
    return config


def _show_logs(level: str | int | None) -> None:
    if level is not None:
        from .._log.printable import level_from, show_logs

        show_logs(level_from(level))


def _announce(box: Live, config: ServerConfig, port: int) -> None:

    announce_http(box, config, port)


def serve_http(
    box: Live,
    config: ServerConfig,
    *,
    listening: socket.socket | None = None,
    announce: Callable[[Live, ServerConfig, int], None] | None = _announce,
) -> None:
    """Serve over HTTP, on a listening socket if one is given, and announce the address.

    `announce` is called with the port once requests are answered. Of several workers none
    announces the address; whoever started them does. Without a token only this machine may ask,
    unless `auth=False` is given.
    """
    server = _http_server(box, config)
    heard = listening or _listening(config)
    if announce is not None:
        port: int = heard.getsockname()[1]  # now: the server takes over the socket
        server.announce = lambda: announce(box, config, port)
    server.run_on(heard)


def _listening(config: ServerConfig) -> socket.socket:
    """Return a socket that listens. Raises `OSError`, which says what to do."""
    try:
        return listen(config.host, config.port)
    except OSError as error:
        reason = why_not(error, config.host, config.port, "port=0", 'host="127.0.0.1"')
        raise type(error)(error.errno, reason) from None


def _http_server(box: Live, config: ServerConfig) -> PlainServer:
    """Return a server. Raises `ValueError` if anyone on other machines could call."""
    from .access.guard import is_local
    from .http.app import App
    from .http.uvicorn.server import http_server

    _show_logs(config.log_level)
    is_closed = bool(config.tokens) or config.sign_in is not None
    if not is_local(config.host) and not is_closed and config.auth:
        msg = (
            f"{config.host} can be reached by other machines: give tokens=... or sign_in=..., "
            "or say auth=False if anyone may call these tools"
        )
        raise ValueError(msg)
    most = min(config.max_connections, _possible_connections())
    # The server answers to the name that it listens under.
    config = replace(config, hosts=(config.host, *config.hosts), max_connections=most)
    return http_server(App(box, config), config)


def _possible_connections() -> int:
    """Return how many connections this process may open."""
    try:
        import resource
    except ImportError:  # Windows has no such bound
        return 1 << 30
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft == resource.RLIM_INFINITY else max(soft - _SPARE_FILES, 8)


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises `OSError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sets TCP_NODELAY; else each answer waits 40 ms for an ACK.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host.strip("[]"), port))
        listener.listen(2048)
    except BaseException:
        listener.close()
        raise
    return listener
