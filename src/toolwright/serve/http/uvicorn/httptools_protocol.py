"""Uvicorn's protocol on httptools, with the bounds of h11.

httptools is a parser in C, and takes whatever comes: a head or a trailer without end, every request
that was sent ahead, and no body after a head that offers an upgrade.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from ...._log import log
from ..asgi import Header

_AT_ONCE = 4096
"""Bytes that are parsed before checking whether a request is whole: about 200 of the smallest."""
_MOST_AHEAD = 4 * 1024 * 1024
"""Bytes of later requests kept while one is answered; reading usually pauses long before."""
_MOST_FRAMING = 64 * 1024
"""Bytes between the parts of a body, and after it, beyond what small chunks need."""
_SMALLEST = 9
"""Bytes allowed for each byte of a body, in tiny chunks: more than usual clients send."""
_HOP_BY_HOP = frozenset((b"upgrade", b"http2-settings"))
_ABOUT_CONNECTION = frozenset((b"connection", b"content-length", b"transfer-encoding"))
_INVALID = "Invalid HTTP request received."
_FAILED = b"HTTP/1.1 500 Internal Server Error\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_SHORT_URL = 256
"""Bytes of a URL that is worth remembering: almost all requests have the same one."""


class BadRequestTarget(Exception):
    """A client asks for what is no address: raised to the parser, and answered with 400."""


class BoundedHttpTools(HttpToolsProtocol):
    """Reads one request at a time; trailers and offers to upgrade are ignored."""

    app: Any
    cycle: Any
    is_head = True
    """Whether headers are being read, not trailers."""
    framing = 0
    """Bytes since the head that are not part of the body, less what small chunks need."""
    _upgrade = False
    _was_upgrade = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ahead = bytearray()
        self._context = contextvars.copy_context()

    @property
    def _is_busy(self) -> bool:
        """Whether the next request has to wait: one is whole, and not yet answered."""
        cycle = self.cycle
        if self.pipeline:
            return True
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Parse what belongs to the current request, and keep the rest."""
        if len(data) <= _AT_ONCE and not self._ahead and not self._is_busy:
            self._parse(data)
            return
        if self._ahead:
            self._ahead += data
            data = bytes(self._ahead)
            self._ahead.clear()
        for start in range(0, len(data), _AT_ONCE):
            if self._is_busy:
                self._keep(data[start:])
                return
            self._parse(data[start : start + _AT_ONCE])
            if self.transport.is_closing():
                return

    def _keep(self, data: bytes) -> None:
        self._ahead += data
        if len(self._ahead) > _MOST_AHEAD:
            self.transport.abort()
        self.flow.pause_reading()

    def _parse(self, data: bytes) -> None:
        if not self.is_head:
            self.framing += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as stopped:
            self._without_upgrade(data[stopped.args[0] :])
        except httptools.HttpParserCallbackError as stopped:
            # Raised by one of the methods below, which is a fault of ours unless it says otherwise.
            cause = stopped.__context__
            if isinstance(cause, BadRequestTarget):
                self.send_400_response(_INVALID)
            else:
                self.fail(cause or stopped)
        except httptools.HttpParserError:
            self.send_400_response(_INVALID)
        if self.framing > _MOST_FRAMING:
            self.transport.abort()

    def fail(self, error: BaseException) -> None:
        """Log an exception of ours, and answer 500 unless an answer has begun."""
        log.error("a request could not be read, through no fault of its client", exc_info=error)
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()  # its answer may have begun
            return
        self.transport.write(_FAILED)
        self.transport.close()

    def _without_upgrade(self, rest: bytes) -> None:
        """Read a request again without its offer to upgrade, which a server may ignore.

        (RFC 9110, 7.8.) httptools leaves everything after such a head to the new protocol, but
        clients that offer HTTP/2 this way still send a body.
        """
        if self._was_upgrade or self.parser.get_method() == b"CONNECT":
            self.send_400_response(_INVALID)
            return
        head = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, self._version())]
        for name, value in self.headers:
            if name == b"connection":
                options = [option for option in value.split(b",") if not _is_hop(option)]
                head.append(b"connection: " + b",".join(options))
            elif name not in _HOP_BY_HOP:
                head.append(b"%b: %b" % (name, value))
        self._upgrade, self._was_upgrade = False, True
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._parse(b"\r\n".join((*head, b"", b"")))
        self._was_upgrade = False
        if rest:
            self.data_received(rest)

    def _version(self) -> bytes:
        return self.parser.get_http_version().encode()

    # -- called by the parser

    def on_message_begin(self) -> None:
        """Begin to read a head."""
        self.is_head = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header. Trailers do not count as headers: a proxy does not look at them."""
        if self.is_head:
            name = name.lower()
            value = value.strip(b" \t")  # not part of it (RFC 9110, 5.5); SEP-2243 sends some
            self.headers.append((name, value))
            if name == b"expect" and value.lower() == b"100-continue":
                self.expect_100_continue = True

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the head has to be read again."""
        self.is_head = False
        self.framing = 0
        parser = self.parser
        self._upgrade = parser.should_upgrade()
        if self._upgrade:
            return
        version, scope, before = parser.get_http_version(), self.scope, self.cycle
        scope["method"] = parser.get_method().decode("ascii")
        scope["http_version"] = version
        scope["path"], scope["raw_path"], scope["query_string"] = _target(self.url)
        if not self.url.startswith(b"/"):
            self._take_authority()
        self.cycle = cycle = Cycle(
            scope=scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=version != "1.0" and parser.should_keep_alive(),
            on_response=self.on_response_complete,
        )
        if before is None or before.response_complete:
            self._start_asgi_task(cycle, self.app)
        else:
            self.flow.pause_reading()
            self.pipeline.appendleft((cycle, self.app))

    def _take_authority(self) -> None:
        """Let the host of an absolute target replace the header, as RFC 9112 (3.2.2) demands.

        Otherwise a request for another host would pass the check of ours.
        """
        url: Any = httptools.parse_url(self.url)  # its types say that nothing is None
        if url.host is None:
            return
        host = b"[%b]" % url.host if b":" in url.host else url.host
        authority = host if url.port is None else b"%b:%d" % (host, url.port)
        self.headers[:] = [header for header in self.headers if header[0] != b"host"]
        self.headers.append((b"host", authority))

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self.framing -= _SMALLEST * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the body."""
        if not self._upgrade:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request, if it has come already.

        Idle connections are closed by `Watched.look`: a timer for each request costs more than
        one for all connections.
        """
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        if self._ahead and not self._is_busy:
            # Not in the context of the request that was answered.
            self.loop.call_soon(self._go_on, context=self._context)

    def _go_on(self) -> None:
        data = bytes(self._ahead)
        self._ahead.clear()
        if data and not self.transport.is_closing():
            self.data_received(data)


class Cycle(RequestResponseCycle):
    """A request and its answer, with a shortcut for a whole answer."""

    transport: Any

    def whole_body(self, most: int) -> bytes | None:
        """Return the body if all of it has come and none of it was read; None if not."""
        if self.more_body or self.disconnected or self.waiting_for_100_continue:
            return None
        if self.response_started or len(self.body) > most:
            return None
        body, self.body = bytes(self.body), bytearray()
        self.message_event.clear()
        return body

    def respond_at_once(self, status: int, headers: Sequence[Header], body: bytes) -> bool:
        """Write a whole answer at once; return False if that is not possible."""
        lines = [_line(*header) for header in (*self.default_headers, *headers)]
        if (
            self.response_started
            or self.disconnected
            or self.flow.write_paused
            or self.access_log
            or not self.keep_alive
            or None in lines
            or self.scope["method"] == "HEAD"
        ):
            return False
        self.response_started = self.response_complete = True
        self.waiting_for_100_continue = False
        length = b"content-length: %d\r\n\r\n" % len(body)
        self.transport.write_whole(b"".join((STATUS_LINE[status], *lines, length, body)))  # pyright: ignore[reportArgumentType]
        self.message_event.set()
        self.on_response()
        return True


@lru_cache(maxsize=256)
def _line(name: bytes, value: bytes) -> bytes | None:
    """Return a header's line; None if it is invalid, or says something about the connection."""
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value) or name in _ABOUT_CONNECTION:
        return None
    return b"%b: %b\r\n" % (name, value)


def _target(url: bytes) -> tuple[str, bytes, bytes]:
    """Return path, raw path and query. Raises `BadRequestTarget`."""
    return _known_target(url) if len(url) <= _SHORT_URL else _known_target.__wrapped__(url)


@lru_cache(maxsize=64)
def _known_target(url: bytes) -> tuple[str, bytes, bytes]:
    try:
        parsed = httptools.parse_url(url)
        raw_path = parsed.path
        path = raw_path.decode("ascii")
    # An address without a path, as CONNECT has, gives None.
    except (httptools.HttpParserInvalidURLError, UnicodeError, AttributeError) as error:
        raise BadRequestTarget from error
    return (unquote(path) if "%" in path else path), raw_path, parsed.query or b""


def _is_hop(option: bytes) -> bool:
    return option.strip().lower() in _HOP_BY_HOP
