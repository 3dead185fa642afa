"""Uvicorn's protocol on httptools, with the bounds that h11 has by itself.

httptools is a parser in C, and takes whatever comes: a head or a trailer without end, every request
that was sent ahead, and no body behind a head that offers an upgrade.
"""

from __future__ import annotations

import contextvars
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_AT_ONCE = 4096
"""Bytes that are parsed before looking whether a request is whole: about 200 of the smallest."""
_MOST_AHEAD = 4 * 1024 * 1024
"""Bytes of later requests that are kept while one is answered; usually reading pauses long before."""
_MOST_FRAMING = 64 * 1024
"""Bytes between the parts of a body, and behind it, beyond what small chunks need."""
_SMALLEST = 9
"""Bytes that come for one of a body, in chunks of one byte: more than usual clients send."""
_HOP_BY_HOP = frozenset((b"upgrade", b"http2-settings"))


class BoundedHttpTools(HttpToolsProtocol):
    """Reads one request at a time; trailers and offers to upgrade are passed over."""

    is_head = True
    """Whether headers come, and not trailers."""
    framing = 0
    """Bytes that came since the head and are not of the body, less what small chunks need."""
    _upgrade = False
    _was_upgrade = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._ahead = bytearray()
        self._context = contextvars.copy_context()

    @property
    def _is_busy(self) -> bool:
        """Whether the next request has to wait: one is whole, and not answered."""
        cycle: Any = self.cycle
        if self.pipeline:
            return True
        return cycle is not None and not cycle.more_body and not cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Parse what belongs to the present request, and keep the rest."""
        if len(data) <= _AT_ONCE and not self._ahead and not self._is_busy:
            self._parse(data)
            return
        if self._ahead:
            self._ahead += data
            data = bytes(self._ahead)
            self._ahead.clear()
        for at in range(0, len(data), _AT_ONCE):
            if self._is_busy:
                self._keep(data[at:])
                return
            self._parse(data[at : at + _AT_ONCE])
            if self.transport.is_closing():
                return

    def _keep(self, data: bytes) -> None:
        self._ahead += data
        if len(self._ahead) > _MOST_AHEAD:
            self.transport.abort()
        self.flow.pause_reading()

    def _parse(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        if not self.is_head:
            self.framing += len(data)
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as stopped:
            self._without_upgrade(data[stopped.args[0] :])
        except httptools.HttpParserError:
            self.send_400_response("Invalid HTTP request received.")
        if self.framing > _MOST_FRAMING:
            self.transport.abort()

    def _without_upgrade(self, rest: bytes) -> None:
        """Read a request again without its offer to upgrade, which a server may ignore.

        (RFC 9110, 7.8.) httptools leaves everything behind such a head to the new protocol, but
        clients that offer HTTP/2 so send a body all the same.
        """
        if self._was_upgrade or self.parser.get_method() == b"CONNECT":
            self.send_400_response("Invalid HTTP request received.")
            return
        head = [b"%b %b HTTP/%b" % (self.parser.get_method(), self.url, self._version())]
        for name, value in self.headers:
            if name == b"connection":
                options = [each for each in value.split(b",") if not _is_hop(each)]
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
        """Take a header. A trailer is not one: a proxy does not look at it."""
        if self.is_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Begin to answer, unless the head has to be read again."""
        self.is_head = False
        self.framing = 0
        self._upgrade = self.parser.should_upgrade()
        if not self._upgrade:
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self.framing -= _SMALLEST * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the body."""
        if not self._upgrade:
            super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on with the next request, if it has come already."""
        super().on_response_complete()
        if self._ahead and not self._is_busy:
            # Not in the context of the request that was answered.
            self.loop.call_soon(self._go_on, context=self._context)

    def _go_on(self) -> None:
        data = bytes(self._ahead)
        self._ahead.clear()
        if data and not self.transport.is_closing():
            self.data_received(data)


def _is_hop(option: bytes) -> bool:
    return option.strip().lower() in _HOP_BY_HOP
