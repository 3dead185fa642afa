"""Serve over standard input and output: a reader thread, an event loop, and plain writes.

The descriptors are moved first: what a tool prints, or reads, never touches the messages.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from ..call import Call
from ..options import LATEST_PROTOCOL
from ..schema.walk import is_node
from .desk import Asked, Desk, Task, asked_of, claims_modern, is_modern, progress, reply

if TYPE_CHECKING:
    from .box import Box

MOST_LINE = 64 * 1024 * 1024
_AT_ONCE = 4096
"""A pipe that can be written to at all takes so many bytes without blocking."""


def serve(box: Box, *, short: bool = True) -> None:
    """Serve until standard input ends."""
    converse(box, take_over(), short=short)


def converse(box: Box, wire: tuple[int, int], *, short: bool = True) -> None:
    """Serve over descriptors that were taken over before."""
    asyncio.run(Conversation(box, *wire, short=short).run())


def take_over() -> tuple[int, int]:
    """Take standard input and output for ourselves; others find them empty, and standard error."""
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        for each in (wire_in, wire_out):
            msvcrt.setmode(each, os.O_BINARY)
    return wire_in, wire_out


class Writer:
    """Writes whole lines in order; small ones at once, others in a thread that may block."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self.lock = threading.Lock()
        self.waiting = 0
        self.queue: SimpleQueue[bytes | None] = SimpleQueue()
        self.thread: threading.Thread | None = None
        self.selects = sys.platform != "win32"

    def write(self, line: bytes) -> None:
        """Write a line; never blocks."""
        data = line + b"\n"
        with self.lock:
            if not self.waiting and len(data) <= _AT_ONCE and self._ready():
                with contextlib.suppress(OSError):  # nobody reads any more: the input ends, too
                    os.write(self.descriptor, data)
                return
            self.waiting += 1
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, daemon=True)
                self.thread.start()
        self.queue.put(data)

    def _ready(self) -> bool:
        return self.selects and bool(select.select([], [self.descriptor], [], 0)[1])

    def _work(self) -> None:
        while (data := self.queue.get()) is not None:
            with contextlib.suppress(OSError):
                view = memoryview(data)
                while view:
                    view = view[os.write(self.descriptor, view) :]
            with self.lock:
                self.waiting -= 1

    def close(self) -> None:
        """Write what waits, and end."""
        if self.thread is not None:
            self.queue.put(None)
            self.thread.join(5)


class Conversation:
    """One client: its version, its running calls, and the SDK for what is not plain."""

    def __init__(self, box: Box, wire_in: int, wire_out: int, *, short: bool) -> None:
        self.box = box
        self.wire_in = wire_in
        self.writer = Writer(wire_out)
        self.desk = Desk(box, watch=True)
        self.short = short
        self.protocol = ""
        """What was agreed; empty before, the newest if every request says it itself."""
        self.recorded: list[bytes] = []
        """The handshake, for the SDK if it is needed later."""
        self.running: dict[Any, asyncio.Task[None]] = {}
        self.sdk: Any = None
        self.ended: asyncio.Event | None = None

    async def run(self) -> None:
        """Read and answer until the input ends."""
        loop = asyncio.get_running_loop()
        self.ended = asyncio.Event()
        self.box.on_change(self._changed(loop))
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()
        await self.ended.wait()
        for task in list(self.running.values()):
            task.cancel()
        if self.running:
            await asyncio.wait(list(self.running.values()), timeout=1)
        if self.sdk is not None:
            await self.sdk.close()
        await self.box.aclose()
        self.writer.close()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        rest = b""
        with contextlib.suppress(OSError, RuntimeError):
            while chunk := os.read(self.wire_in, 1 << 16):
                *lines, rest = (rest + chunk).split(b"\n")
                if lines:
                    loop.call_soon_threadsafe(self._lines, lines)
                if len(rest) > MOST_LINE:
                    break
            if rest:
                loop.call_soon_threadsafe(self._lines, [rest])
            loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if self.ended is not None:
            self.ended.set()

    def _lines(self, lines: list[bytes]) -> None:
        for line in lines:
            if line.strip():
                self._line(line)

    def _line(self, line: bytes) -> None:
        """Answer a line here, or hand it to the SDK."""
        if not self.short or not self._answered(line):
            self._to_sdk(line)

    def _answered(self, line: bytes) -> bool:
        try:
            message: Any = from_json(line)
        except ValueError:
            return False
        asked = asked_of(message)
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

    def _begun(self, asked: Asked, line: bytes) -> bool:
        """The first request decides the era."""
        if asked.method == "initialize" and not claims_modern(asked):
            answer = self.desk.handshake(asked)
            if answer is None:
                return False
            self.writer.write(answer[0])
            self.protocol = answer[1]
            self.recorded = [line]
            return True
        if is_modern(asked) and asked.method != "initialize":
            self.protocol = LATEST_PROTOCOL
            return self._plain(asked, LATEST_PROTOCOL)
        return False

    def _plain(self, asked: Asked, protocol: str) -> bool:
        method = asked.method
        if (
            method == "tools/list"
            and asked.params.keys() <= {"_meta"}
            and not asked.meta.get("progressToken")
        ):
            self.writer.write(self.desk.listed(asked, protocol, None))
            return True
        if method == "server/discover" and protocol == LATEST_PROTOCOL:
            if not asked.params.keys() <= {"_meta"}:
                return False
            self.writer.write(self.desk.discover(asked))
            return True
        task = self.desk.task(asked, protocol, None) if method == "tools/call" else None
        if task is None:
            return False
        made = asyncio.get_running_loop().create_task(self._call(task))
        self.running[asked.id] = made
        made.add_done_callback(lambda _: self.running.pop(asked.id, None))
        return True

    async def _call(self, task: Task) -> None:
        call = None
        if task.token is not None:
            tell = self._teller(task.token)
            call = Call(on_progress=tell)
        result = await self.box.call_async(task.runner.name, task.arguments, call=call)
        self.writer.write(self.desk.finished(task, result))

    def _teller(self, token: Any) -> Callable[[float, float | None, str], None]:
        return lambda done, total, said: self.writer.write(progress(token, done, total, said))

    def _noticed(self, message: Any, line: bytes) -> bool:
        """Take a notification that is about what was answered here."""
        if not is_node(message) or "id" in message:
            return False
        method = message.get("method")
        if method == "notifications/initialized" and self.recorded and self.sdk is None:
            self.recorded.append(line)
            return True
        params = message.get("params")
        if method == "notifications/cancelled" and is_node(params):
            number = params.get("requestId")
            task = self.running.get(number) if isinstance(number, int | str) else None
            if task is not None:
                task.cancel()
                return True
        return False

    def _changed(self, loop: asyncio.AbstractEventLoop) -> Callable[[str, str], None]:
        """Tell a client with a handshake that a list has changed; the SDK does if it is there."""

        def tell(what: str, _: str) -> None:
            def send() -> None:
                if self.sdk is None and self.recorded and what != "resource":
                    method = f"notifications/{what}/list_changed"
                    self.writer.write(b'{"jsonrpc":"2.0","method":"%s"}' % method.encode())

            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(send)

        return tell

    def _to_sdk(self, line: bytes) -> None:
        if self.sdk is None:
            from .bridge import Bridge

            self.sdk = Bridge(self.box, self.writer.write, self.recorded)
        self.sdk.receive(line)
