"""Tries what overrides uvicorn before a server starts."""

from __future__ import annotations

import inspect
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from functools import lru_cache
from typing import Any

import uvicorn
from uvicorn.server import ServerState

from ...._log import log
from ..asgi import Message, Receive, Scope, Send, respond
from .connections import Connections, Watched

_WHOLE, _IN_PARTS = (
    b"POST /a%%20b?%b HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n{}" % query
    for query in (b"whole", b"parts")
)
_SENT = ((_WHOLE,), (_IN_PARTS[:-1], _IN_PARTS[-1:] + _WHOLE + _IN_PARTS))
"""Four requests: the last three are sent before one of them is answered."""
_MOST_STEPS = 100
_OVERRIDDEN: dict[str, tuple[Any, ...]] = {
    "capture_signals": (),
    "handle_exit": (2, None),
    "on_tick": (0,),
    "startup": (None,),
    "shutdown": (None,),
}
"""The methods of `uvicorn.Server` that ours overrides, and what they are called with."""


def protocol(watching: Connections) -> type[Watched] | str:
    """Return the class of each connection: on httptools or, if that is missing, on h11.

    If what they override in uvicorn is not there, or does something else, that is logged, and the
    name by which uvicorn chooses a class of its own is returned.
    """
    parser, why = _parser()
    if parser is None:
        _say(f"its own protocol is used, without our bounds of connections ({why})")
        return "auto"
    if why:
        _say(f"requests are read by h11, which is slower ({why})")
    return type("Connection", (Watched, parser), {"watching": watching})


def has_insides() -> bool:
    """Return whether `uvicorn.Server` has what ours overrides. If not, that is logged."""
    missing = _missing_of_server()
    if missing:
        _say(f"its own server is used: a second signal does not hurry it ({missing})")
    return not missing


@lru_cache(maxsize=1)
def _parser() -> tuple[Any, str]:
    """Return the class that reads requests, and why it is not the first; None if none works."""
    why = ""
    for load in (_httptools, _h11):
        try:
            parser = load()
            _try(type("Tried", (Watched, parser), {"watching": _Unwatched(), "fail": _raised}))
        except Exception as error:  # noqa: BLE001 - what is missing shows as any exception
            why = why or f"{type(error).__name__}: {error}"
            continue
        return parser, why
    return None, why


def _raised(connection: Any, error: BaseException) -> None:
    raise error


def _httptools() -> Any:
    from .httptools_protocol import BoundedHttpTools

    return BoundedHttpTools


def _h11() -> Any:
    from uvicorn.protocols.http.h11_impl import H11Protocol

    return H11Protocol


def _missing_of_server() -> str:
    for name, arguments in _OVERRIDDEN.items():
        method = getattr(uvicorn.Server, name, None)
        if method is None:
            return f"no {name}"
        try:
            inspect.signature(method).bind(None, *arguments)
        except TypeError as error:
            return f"{name}: {error}"
    return ""


@lru_cache(maxsize=8)
def _say(what: str) -> None:
    """Log once what is missing because of the version of uvicorn."""
    log.warning("uvicorn %s is not as we know it: %s", uvicorn.__version__, what)


# -- trying a protocol


class _SilentLogger(logging.Logger):
    """What fails in a trial is said in one line, and not by uvicorn."""

    def handle(self, record: logging.LogRecord) -> None:
        pass


def _try(connection_class: Any) -> None:
    """Answer requests without a network. Raises whatever shows that it does not work."""
    loop, transport = _Loop(), _Transport()
    config = uvicorn.Config(
        _app,
        http=connection_class,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
    )
    connection = connection_class(
        config=config, server_state=ServerState(), app_state={}, _loop=loop
    )
    connection.logger = _SilentLogger(__name__)
    connection.connection_made(transport)
    for parts in _SENT:
        for data in parts:
            connection.data_received(data)
        loop.run()
    connection.pause_writing()
    connection.resume_writing()
    connection.shutdown()
    connection.connection_lost(None)
    loop.run()
    answers = [transport.written.count(part) for part in (b"HTTP/1.1 200 OK\r\n", b"/a b")]
    if answers != [4, 4]:
        msg = f"{min(answers)} of 4 requests were answered"
        raise RuntimeError(msg)


async def _app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the path: in one piece, if our connection offers that, or in parts."""
    whole_body = getattr(getattr(receive, "__self__", None), "whole_body", None)
    if whole_body is None or whole_body(10) is None:
        while (await receive()).get("more_body"):
            pass
    path = scope["path"].encode()
    if scope["query_string"] == b"whole":
        await respond(send, 200, path)
        return
    start: Message = {"type": "http.response.start", "status": 200, "headers": []}
    await send(start)
    await send({"type": "http.response.body", "body": path})


class _Unwatched:
    """Counts nothing, and has room."""

    def add(self, connection: Any, peer: Any) -> bool:
        return True

    def remove(self, connection: Any) -> None:
        pass

    at_work = waits = remove


class _Task:
    def add_done_callback(self, done: Callable[[Any], object]) -> None:
        pass

    def cancel(self) -> None:
        pass


class _Loop:
    """Runs tasks that never wait for anything but what is there already."""

    def __init__(self) -> None:
        self.ready: deque[Callable[[], object]] = deque()

    def run(self) -> None:
        for _ in range(_MOST_STEPS):
            if not self.ready:
                return
            self.ready.popleft()()

    def time(self) -> float:
        return 0.0

    def create_task(self, task: Coroutine[Any, Any, Any], **_more: Any) -> _Task:
        def run() -> None:
            try:
                task.send(None)
            except StopIteration:
                return
            finally:
                task.close()

        self.ready.append(run)
        return _Task()

    def call_soon(self, call: Callable[..., object], *arguments: Any, **_more: Any) -> _Task:
        self.ready.append(lambda: call(*arguments))
        return _Task()

    def call_later(self, delay: float, *_call: Any, **_more: Any) -> _Task:
        return _Task()


class _Transport:
    def __init__(self) -> None:
        self.written = bytearray()

    def write(self, data: bytes) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def get_write_buffer_size(self) -> int:
        return 0

    def close(self) -> None:
        pass

    abort = pause_reading = resume_reading = close
