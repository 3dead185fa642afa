"""A conversation with one client over standard input and output.

A thread reads lines, an event loop runs what must be awaited, and answers are plain writes: the
SDK's own transport takes a thread hop for each read, write and flush. The descriptors are moved
first, since nothing but messages may be written to standard output (2026-07-28,
basic/transports/stdio): what a tool prints, or reads, never touches them.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..._json_values import is_object
from ..._log import log
from ..._protocol import LATEST_PROTOCOL
from ...arguments.sample import is_large, parsed
from ...call import Call
from ...errors import CallError
from ...outcome.failure import failed
from ...run.process.descriptors import take_over
from ...run.process.forks import unshared
from ...run.threads import threads
from ..access.quotas import MOST_RUNNING, too_many
from ..drain import (
    STDIO_SECONDS,
    STOPPED,
    STOPPING,
    Drain,
    check_drain,
    ended,
    is_still_answered,
    refusal,
)
from ..lifespan import closed, opened
from ..short_path import (
    PlainCall,
    PlainRequest,
    ShortPath,
    claims_modern,
    is_modern,
    opening,
    plain_request,
    progress,
    reply,
)
from ..tasks.records import open_stores
from .call import StdioCall
from .lines import read_lines
from .signals import ended_by_signals
from .writer import Writer

if TYPE_CHECKING:
    from ..servable import Servable

MOST_LINE = 64 * 1024 * 1024
_TOO_LONG = (
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is too long"}}'
)


def serve(box: Servable, *, short: bool = True, drain: float = STDIO_SECONDS) -> None:
    """Serve until standard input ends."""
    check_drain(drain)
    converse(box, take_over(), short=short, drain=drain)


def converse(
    box: Servable, wire: tuple[int, int], *, short: bool = True, drain: float = STDIO_SECONDS
) -> None:
    """Serve over descriptors that were taken over before."""
    open_stores(box)
    with unshared(lambda: wire):
        asyncio.run(Conversation(box, *wire, short=short, drain=drain).run())


async def serve_async(box: Servable, *, short: bool = True, drain: float = STDIO_SECONDS) -> None:
    """Serve on the running loop until standard input ends, or it is cancelled."""
    check_drain(drain)
    open_stores(box)
    wire = take_over()
    with unshared(lambda: wire):
        await Conversation(box, *wire, short=short, drain=drain).run(is_guest=True)


class Conversation:
    """One client: its version, its running calls, and the SDK for what is not plain.

    Lines are answered in the thread that reads them. A sync tool runs in a thread that writes its
    answer itself; only what must be awaited, and the SDK, need the event loop.
    """

    def __init__(
        self,
        box: Servable,
        wire_in: int,
        wire_out: int,
        *,
        short: bool,
        drain: float = STDIO_SECONDS,
    ) -> None:
        self.box = box
        self.wire_in = wire_in
        self.writer = Writer(wire_out)
        self.short_path = ShortPath(box, watch=True)
        self.short = short
        self.protocol = ""
        """The version that was agreed upon; empty before, the latest if each request carries it."""
        self.recorded: list[bytes] = []
        """The handshake, for the SDK if it is needed later."""
        self.running: dict[Any, StdioCall] = {}
        self.unwritten: set[StdioCall] = set()
        """Calls whose answer is not written yet, though they may have ended."""
        self.sdk: Any = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.drain = Drain(drain)
        self.drain.sources.append(lambda: bool(self.unwritten))

    async def run(self, *, is_guest: bool = False) -> None:
        """Read and answer until the input ends; a guest leaves the signals alone."""
        self.loop = asyncio.get_running_loop()
        over = asyncio.Event()
        unsubscribe = self.box.on_change(self._changed)
        signals = ended_by_signals(self.loop, over, self.drain)
        try:
            with contextlib.nullcontext() if is_guest else signals:
                try:
                    if await opened(self.box, over.is_set):
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
        for number in list(self.running):
            run = self.running.pop(number, None)
            if run is not None and not run.cancelled:
                run.cancel()
                self.writer.write(refusal(number, STOPPED))
        await self.drain.stop()
        await self.drain.until(lambda: not self.drain.is_busy, 0.5)

    def _read(self, loop: asyncio.AbstractEventLoop, over: asyncio.Event) -> None:
        """Answer lines until the input ends; then the server ends (basic/transports/stdio)."""
        with contextlib.suppress(OSError):
            for line in read_lines(self.wire_in, MOST_LINE):
                if line is None:
                    self.writer.write(_TOO_LONG)
                else:
                    self._line(line)
        with contextlib.suppress(RuntimeError):  # the loop has ended already
            loop.call_soon_threadsafe(over.set)

    def _line(self, line: bytes) -> None:
        """Answer a line here, or hand it to the SDK."""
        if not line.strip():
            return
        try:
            if self.drain.is_draining and self._refused(line):
                return
            if self.short and self._answered(line):
                return
        except Exception:  # noqa: BLE001 - nothing a client sends may end the conversation
            log.exception("a line could not be answered")
        if not self.protocol:
            self.short = False  # the SDK saw the first request, so it answers all others, too
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._to_sdk, line)

    def _refused(self, line: bytes) -> bool:
        """Refuse what is new while the server stops."""
        try:
            message: Any = parsed(line)
        except ValueError:
            return False
        if not is_object(message) or is_still_answered(message):
            return False
        self.writer.write(refusal(message["id"], STOPPING))
        return True

    def _answered(self, line: bytes) -> bool:
        try:
            message: Any = parsed(line)
        except ValueError:
            return False
        asked = plain_request(message)
        if asked is None:
            return self._noticed(message, line)
        if asked.id in self.running:
            return False
        if not self.protocol:
            return self._begun(asked, line)
        if self.protocol == LATEST_PROTOCOL:
            return is_modern(asked) and self._plain(asked, LATEST_PROTOCOL)
        if claims_modern(asked):
            return False
        if asked.method == "ping" and not asked.params:
            self.writer.write(reply(asked.id, b"{}"))
            return True
        return self._plain(asked, self.protocol)

    def _begun(self, asked: PlainRequest, line: bytes) -> bool:
        """Answer the first request, which decides the era (2026-07-28, versioning)."""
        if asked.method == "initialize" and not claims_modern(asked):
            answer = self.short_path.handshake(asked)
            if answer is None:
                return False
            self.protocol = answer[1]
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
        if method == "tools/call":
            task = self.short_path.task(asked, protocol, None)
            if task is not None:
                self._start(task)
            return task is not None
        if not asked.params.keys() <= {"_meta"} or "progressToken" in asked.meta:
            return False
        if method == "tools/list" and self.box.page_size is None:
            self.writer.write(self.short_path.listed(asked, protocol, None))
            return True
        if method == "server/discover" and protocol == LATEST_PROTOCOL:
            self.writer.write(self.short_path.discover(asked))
            return True
        return False

    # -- calls

    def _start(self, task: PlainCall) -> None:
        if len(self.running) >= MOST_RUNNING:
            busy = too_many()
            self.box.refused("tool", busy.code, task.runner.name)
            self.writer.write(self.short_path.finished(task, failed(busy)))
            return
        run = self.running[task.id] = StdioCall()
        self.unwritten.add(run)
        run.held = self.box.busy()
        run.held.__enter__()
        runner = task.runner
        call = None
        if task.token is not None:
            call = Call(request_id=str(task.id), on_progress=self._teller(task, run))
        elif self.box.is_wrapped:
            call = Call(request_id=str(task.id))
        if runner.is_async or not runner.is_plain or self.box.is_wrapped:
            if self.loop is not None:
                self.loop.call_soon_threadsafe(self._await, task, run, call)
        elif runner.inline and not is_large(task.arguments):
            self._done(task, run, runner.call(task.arguments, call))
        else:
            try:
                threads.start(
                    lambda: runner.call(task.arguments, call),
                    lambda result, failure: self._done(task, run, result, failure),
                )
            except CallError as error:
                self._done(task, run, failed(error))

    def _await(self, task: PlainCall, run: StdioCall, call: Call | None) -> None:
        async def go() -> None:
            try:
                name, sent = task.runner.name, task.arguments
                self._done(task, run, await self.box.call_async(name, sent, call=call))
            finally:
                self._over(task, run)
                self.unwritten.discard(run)

        if self.loop is not None and not run.cancelled:
            run.task = self.loop.create_task(go())
        else:  # cancelled before it was started
            self._over(task, run)
            self.unwritten.discard(run)

    def _done(
        self, task: PlainCall, run: StdioCall, result: Any, failure: BaseException | None = None
    ) -> None:
        """Answer a call, in whatever thread it ended; a cancelled one is never answered.

        (2026-07-28, basic/transports/stdio, Cancellation.)
        """
        is_owed = self._over(task, run)
        if failure is not None:
            result = task.runner.failure_of(failure, ())
        line = self.short_path.finished(task, result) if is_owed and not run.cancelled else None
        with run.telling:
            run.answered = True
            if line is not None:
                self.writer.write(line)
        self.unwritten.discard(run)

    def _over(self, task: PlainCall, run: StdioCall) -> bool:
        """Forget a call, whose id another one may have by now; return whether it was known."""
        is_known = self.running.get(task.id) is run
        if is_known:
            del self.running[task.id]
        run.let_go()
        return is_known

    def _teller(
        self, task: PlainCall, run: StdioCall
    ) -> Callable[[float, float | None, str], None]:
        def tell(done: float, total: float | None, said: str) -> None:
            line = progress(task.token, done, total, said)
            # Progress must stop with the answer (2026-07-28, basic/patterns/progress): its token
            # may belong to another call by then.
            with run.telling:
                if not run.cancelled and not run.answered:
                    self.writer.write(line)

        run.telling = threading.Lock()
        return tell

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
            run = self._run_of(params.get("requestId"))
            if run is not None and self.loop is not None:
                run.cancelled = True
                self.loop.call_soon_threadsafe(run.cancel)
            return run is not None
        return False

    def _run_of(self, number: Any) -> StdioCall | None:
        """Return a running call; like the SDK, take an id for a number that is written as text."""
        if isinstance(number, bool) or not isinstance(number, int | str):
            return None
        run = self.running.get(number)
        if run is None and isinstance(number, str) and number.isdecimal():
            run = self.running.get(int(number))
        return run

    @property
    def _has_handshake(self) -> bool:
        return self.protocol not in ("", LATEST_PROTOCOL)

    def _changed(self, what: str, _: str) -> None:
        """Notify a client whose handshake was answered here that a list has changed.

        The SDK notifies others, and all clients of changed resources.
        """
        if self._has_handshake and what != "resource":
            method = f"notifications/{what}/list_changed".encode()
            self.writer.write(b'{"jsonrpc":"2.0","method":"%s"}' % method)

    def _to_sdk(self, line: bytes) -> None:
        if self.sdk is None:
            from ..sdk.bridge import Bridge

            self.sdk = Bridge(self.box, self.writer.write, list(self.recorded), self.drain)
        self.sdk.receive(line)
