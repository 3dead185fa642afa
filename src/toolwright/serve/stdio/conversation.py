"""A conversation with one client over standard input and output.

A thread reads lines, an event loop runs what must be awaited, and answers are plain writes: the
SDK's own transport takes a thread hop for each read, write and flush. The descriptors are moved
first, since nothing but messages may be written to standard output (2026-07-28,
basic/transports/stdio): what a tool prints, or reads, never touches them.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import contextvars
import json
import os
import signal
import threading
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from ..._json_values import compact_json, is_object, strict_json, without_surrogates
from ..._log import log
from ..._protocol import LATEST_PROTOCOL
from ...arguments.sample import parsed
from ...run.pipe import take_over, unshared
from ..lifecycle import (
    STOPPING,
    Drain,
    closed,
    ended,
    ending_signals,
    is_still_answered,
    open_stores,
    opened,
    refusal,
)
from ..sender import USER
from ..short_path import (
    ClientProfile,
    PlainRequest,
    ShortPath,
    claims_modern,
    is_modern,
    level_asked,
    level_request,
    opening,
    plain_request,
    reply,
)
from .calls import StdioCall, StdioCalls
from .lines import Writer, has_hung_up, id_in, is_clean_call, read_lines

if TYPE_CHECKING:
    from ..offering import Live
    from ..settings import ServerConfig


@contextlib.contextmanager
def ended_by_signals(
    loop: asyncio.AbstractEventLoop, over: asyncio.Event, drain: Drain
) -> Generator[None]:
    """Set `over` at SIGTERM, SIGINT or SIGHUP; at the second one, stop waiting for calls.

    These are handlers of `signal`, not of the event loop: the second signal must work while a tool
    blocks the loop.
    """
    was_told = False

    def end(_number: int, _frame: object) -> None:
        nonlocal was_told
        if was_told:
            drain.hurry()
        was_told = True
        loop.call_soon_threadsafe(over.set)

    before: dict[int, Any] = {}
    with contextlib.suppress(ValueError, RuntimeError):  # only the main thread can set handlers
        for number in ending_signals():
            before[number] = signal.getsignal(number) or signal.SIG_DFL
            # A signal may reach another thread. Then only the loop's own file descriptor wakes the
            # loop, in which our handler runs.
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, over.set)
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            with contextlib.suppress(NotImplementedError, RuntimeError):
                loop.remove_signal_handler(number)
            with contextlib.suppress(ValueError):
                signal.signal(number, handler)


MOST_LINE = 64 * 1024 * 1024
_TOO_LONG = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is too long"}}'
)


def converse(
    box: Live, wire: tuple[int, int], config: ServerConfig, announce: Callable[[Live], None]
) -> None:
    """Serve over descriptors that were taken over before; at a terminal, announce that."""
    open_stores(box.now)
    conversation = Conversation(_searched(box, config), *wire, config)
    if os.isatty(wire[0]):
        conversation.announce = announce
    with unshared(lambda: wire):
        asyncio.run(conversation.run())


async def converse_async(box: Live, config: ServerConfig) -> None:
    """Serve on the running loop until standard input ends, or it is cancelled."""
    open_stores(box.now)
    wire = take_over()
    with unshared(lambda: wire):
        await Conversation(_searched(box, config), *wire, config).run(is_guest=True)


def _searched(box: Live, config: ServerConfig) -> Live:
    """Return what the client is served: the toolbox, or a search of it.

    Over HTTP, the app puts the search before it, since not every caller there may use everything.
    """
    if not config.search:
        return box
    from ..search import with_search

    return with_search(box, trusted=True)


class Conversation:
    """One client: its version, its running calls, and the SDK for what is not plain.

    Lines are answered in the thread that reads them. A sync tool runs in a thread that writes its
    answer itself; only what must be awaited, and the SDK, need the event loop.
    """

    def __init__(self, box: Live, wire_in: int, wire_out: int, config: ServerConfig) -> None:
        self.box = box
        self.wire_in = wire_in
        self.writer = Writer(wire_out)
        self.short_path = ShortPath(box, watch=True)
        self.short = config.short
        self.protocol = ""
        """The version that was agreed upon; empty before, the latest if each request carries it."""
        self.recorded: list[bytes] = []
        """The handshake, for the SDK if it is needed later."""
        self.profile: ClientProfile | None = None
        """What the handshake, and `logging/setLevel`, say about the client."""
        self.sdk: Any = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.context = contextvars.Context()
        self.calls = StdioCalls(box, self.writer, self.short_path, self._take_over)
        self.announce: Callable[[Live], None] | None = None
        self.drain = Drain(config.drain)
        self.drain.sources.append(lambda: bool(self.calls.unwritten))

    async def run(self, *, is_guest: bool = False) -> None:
        """Read and answer until the input ends; a guest leaves the signals alone."""
        self.loop = asyncio.get_running_loop()
        self.context = contextvars.copy_context()
        over = asyncio.Event()
        unsubscribe = self.box.on_change(self._changed)
        signals = ended_by_signals(self.loop, over, self.drain)
        try:
            with contextlib.nullcontext() if is_guest else signals:
                try:
                    if await opened(self.box, over.is_set):
                        if self.announce is not None:
                            self.announce(self.box)
                        reading = threading.Thread(
                            target=self._read, args=(self.loop, over), daemon=True
                        )
                        reading.start()
                        await over.wait()
                finally:
                    await ended(self._end(), self.drain.skip)
        finally:
            unsubscribe()

    async def _end(self) -> None:
        """Answer what runs, and close what is open."""
        await self._finish()
        if self.sdk is not None:
            await self.sdk.close()
        try:
            await closed(self.box)
        finally:
            self.writer.close()

    async def _finish(self) -> None:
        """Let calls that are about to end do so, and answer the others with an error."""
        self.drain.begin()
        if self.sdk is not None:
            self.sdk.end_listeners()
        await self.drain.wait()
        self.calls.stop()
        await self.drain.stop()
        await self.drain.until(lambda: not self.drain.is_busy, 0.5)

    def _read(self, loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
        """Answer lines until the input ends; then the server ends (basic/transports/stdio)."""
        with contextlib.suppress(OSError):
            for line in read_lines(self.wire_in, MOST_LINE):
                if self.writer.is_full and not self.writer.wait(self._has_left):
                    break
                if line is None:
                    self.writer.write(_TOO_LONG)
                else:
                    self._line(line)
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(over.set)

    def _has_left(self) -> bool:
        return has_hung_up(self.wire_in)

    def _line(self, line: bytes) -> None:
        """Read and answer a line."""
        if not line.strip():
            return
        try:
            try:
                message: Any = parsed(line)
            except ValueError:
                self._unreadable(line)
            else:
                self._message(message, line)
        except Exception:  # noqa: BLE001 - nothing a client sends may end the conversation
            log.exception("a line could not be answered")

    def _message(self, message: Any, line: bytes) -> None:
        """Answer a message here, or hand it to the SDK."""
        try:
            if self.drain.is_draining and self._refused(message):
                return
            if self.short and self._answered(message, line):
                return
        except Exception:  # noqa: BLE001 - the SDK may know what to answer
            log.exception("a line could not be answered")
        if not self.protocol:
            self.short = False  # the SDK saw the first request, so it answers all others as well
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._to_sdk, line)

    def _unreadable(self, line: bytes) -> None:
        """Answer a line that is not JSON, or would be but for a lone surrogate, by its id."""
        try:
            message: Any = strict_json(line)
        except (ValueError, RecursionError):
            self.writer.write(_not_json(id_in(line)))
            return
        if without_surrogates(message) == message:
            # Python reads more than JSON: a mark of the byte order, for one.
            self.writer.write(_not_json(id_in(line.removeprefix(codecs.BOM_UTF8))))
            return
        if not is_object(message) or not message.keys() >= {"id", "method"}:
            # A notice, or the answer to a question: what it says is worth more than an error.
            try:
                line = compact_json(without_surrogates(message))
                self._message(parsed(line), line)
            except (ValueError, RecursionError):
                self.writer.write(_not_json(None))
            return
        runs = self.short and not self.drain.is_draining and is_clean_call(message)
        if not (runs and self._answered(message, line)):
            number = message["id"]
            request_id = number if number.__class__ in (int, str) else None
            self.writer.write(_not_json(request_id, ": UTF-8 cannot hold its lone surrogate"))

    def _refused(self, message: Any) -> bool:
        """Refuse new requests while the server stops."""
        if not is_object(message) or is_still_answered(message):
            return False
        self.writer.write(refusal(message["id"], STOPPING))
        return True

    def _answered(self, message: Any, line: bytes) -> bool:
        request = plain_request(message)
        if request is None:
            return self._noticed(message, line)
        if request.id in self.calls.running:
            return False
        if not self.protocol:
            return self._begun(request, line)
        if self.protocol == LATEST_PROTOCOL:
            return is_modern(request) and self._plain(request, LATEST_PROTOCOL)
        if claims_modern(request):
            return False
        if request.method == "ping" and not request.params:
            self.writer.write(reply(request.id, b"{}"))
            return True
        return self._plain(request, self.protocol)

    def _begun(self, asked: PlainRequest, line: bytes) -> bool:
        """Answer the first request, which decides the era (2026-07-28, versioning)."""
        if asked.method == "initialize" and not claims_modern(asked):
            answer = self.short_path.handshake(asked)
            if answer is None:
                return False
            self.protocol = answer[1]
            self.profile = ClientProfile(asked.params["capabilities"], "debug")
            self.recorded = [line]
            self.writer.write(answer[0])
            return True
        if is_modern(asked) and asked.method != "initialize":
            self.protocol = LATEST_PROTOCOL
            # The SDK takes the era from the first request that it sees: this one changes nothing.
            self.recorded = [opening(asked.meta)]
            return self._plain(asked, LATEST_PROTOCOL)
        return False

    def _plain(self, asked: PlainRequest, protocol: str) -> bool:
        method = asked.method
        viewer = USER.viewer(self.box.now, asked.id)
        if method == "tools/call":
            task = self.short_path.task(asked, protocol, viewer)
            if task is None or self.loop is None:
                return False
            self.calls.start(task, self.profile, self.loop)
            return True
        if method == "logging/setLevel" and self.profile is not None:
            return self._level_set(asked, self.profile)
        if not asked.params.keys() <= {"_meta"} or "progressToken" in asked.meta:
            return False
        if method == "tools/list" and self.box.now.about.page_size is None:
            self.writer.write(self.short_path.listed(asked, protocol, viewer))
            return True
        if method == "server/discover" and protocol == LATEST_PROTOCOL:
            self.writer.write(self.short_path.discover(asked))
            return True
        return False

    def _level_set(self, asked: PlainRequest, profile: ClientProfile) -> bool:
        """Answer `logging/setLevel`, unless the SDK is there, which must hear of it as well."""
        level = level_asked(asked)
        if level is None or not (self.box.is_live or self.box.now.sees_calls):
            return False
        profile.level = level
        if self.sdk is None:
            self.writer.write(reply(asked.id, b"{}"))
        return self.sdk is None

    # -- notices

    def _noticed(self, message: Any, line: bytes) -> bool:
        """Take a notification about a request that was answered here."""
        if not is_object(message) or message.get("jsonrpc") != "2.0":
            return False
        if not message.keys() <= {"jsonrpc", "method", "params"}:
            return False
        method, params = message.get("method"), message.get("params", {})
        if method == "notifications/initialized" and self._has_handshake and params == {}:
            if len(self.recorded) == 1:
                self.recorded.append(line)
            return self.sdk is None
        if method == "notifications/cancelled" and is_object(params):
            return self.calls.cancel(params.get("requestId"))
        return False

    @property
    def _has_handshake(self) -> bool:
        return self.protocol not in ("", LATEST_PROTOCOL)

    def _changed(self, what: str, _: str) -> None:
        """Notify a client whose handshake was answered here that a list has changed.

        The SDK notifies other clients, and all clients about changed resources.
        """
        if self._has_handshake and what != "resource":
            method = f"notifications/{what}/list_changed".encode()
            self.writer.write(b'{"jsonrpc":"2.0","method":"%s"}' % method)

    def _to_sdk(self, line: bytes) -> None:
        self._bridge().receive(line)

    def _take_over(self, run: StdioCall) -> None:
        # Not in the context of the tool that asks: the SDK's tasks would keep it.
        self.context.copy().run(lambda: self._bridge().take_over(run))

    def _bridge(self) -> Any:
        if self.sdk is None:
            from ..sdk.bridge import Bridge

            recorded = list(self.recorded)
            if self.profile is not None and self.profile.level not in (None, "debug"):
                recorded.append(level_request(self.profile.level))
            self.sdk = Bridge(self.box, self.writer.write, recorded, self.drain)
        return self.sdk


def _not_json(number: int | str | None, why: str = "") -> bytes:
    # Not UTF-8: the id may hold a lone surrogate, and is repeated as it came.
    error = {"code": -32700, "message": f"not JSON{why}"}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode()
