"""Audit lines in JSON, which delay no call."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import queue
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, TextIO

from pydantic_core import to_json

from .._json_values import without_surrogates
from .._log import log
from .._log.redact import without_likely_secrets
from ..call import Call
from ..refusals import Refused, shown
from ..results import Result
from ..run.hooks import Hook

Write = Callable[[str], object]
_PATIENCE = 0.1
"""Seconds that a call waits for its line; once a line takes longer, calls do not wait."""
_MOST_WAITING = 1000
"""How many lines may wait for a sink that is slow; further ones are counted and lost."""


def sink_of(where: Any) -> Write:
    """Return a function that writes a line; it logs repeated failures once, and raises nothing."""
    if callable(where):
        return _Patient(where)
    if hasattr(where, "write"):
        return _Patient(_to_stream(where))
    return _guarded(_to_file(where))


class _Patient:
    """Writes in a thread of its own, because a stream or a function may block."""

    def __init__(self, write: Write) -> None:
        self.write = _guarded(write)
        self.waiting: queue.Queue[tuple[str, threading.Event]] = queue.Queue(_MOST_WAITING)
        self.slow = False
        self.lost = 0
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def __call__(self, line: str) -> None:
        """Write a line, and wait a moment, so that it is there before its call is answered."""
        is_written = threading.Event()
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(target=self._work, name="audit", daemon=True)
                self.thread.start()
        try:
            self.waiting.put_nowait((line, is_written))
        except queue.Full:
            if not self.lost:
                log.error("calls cannot be recorded as fast as they come: some are left out")
            self.lost += 1
            return
        if not self.slow and not is_written.wait(_PATIENCE):
            self.slow = True  # no other call waits until it has caught up

    def _work(self) -> None:
        while True:
            line, is_written = self.waiting.get()
            self.write(line)
            is_written.set()
            if self.waiting.empty():
                self.slow = False
                lost, self.lost = self.lost, 0
                if lost:
                    log.error("%d calls were not recorded", lost)


def _guarded(write: Write) -> Write:
    failing = False

    def guarded(line: str) -> None:
        nonlocal failing
        try:
            write(line)
            failing = False
        except Exception as error:  # noqa: BLE001 - what cannot be written fails no call
            if not failing:
                log.error("calls cannot be recorded: %s", error)
            failing = True

    return guarded


def _to_stream(stream: TextIO) -> Write:
    def write(line: str) -> None:
        stream.write(line + "\n")
        stream.flush()

    return write


def _to_file(path: Any) -> Write:
    # Opened once, and never waited for: a pipe that has no reader must not stop the server.
    how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
    number = os.open(path, how, 0o600)
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock:
            os.write(number, line.encode() + b"\n")

    return write


def audit(where: str | os.PathLike[str] | TextIO | Write, *, arguments: bool = False) -> Hook:
    """Write a line of JSON for each call: to a file, a stream, or a function.

    Resource reads, prompts, and requests that a server refuses have lines as well; `kind` says
    which. Values of arguments are never written, unless asked for; then secrets among them are
    hidden.

    >>> from toolwright import Toolbox
    >>> import json
    >>> box, lines = Toolbox("sums"), []
    >>> @box.tool
    ... def add(a: int, b: int) -> int:
    ...     return a + b
    >>> _ = box.around(audit(lines.append))
    >>> box.call("add", {"a": 2, "b": 40}).value
    42
    >>> entry = json.loads(lines[0])
    >>> entry["tool"], entry["outcome"], "arguments" in entry
    ('add', 'ok', False)
    """
    return Audit(sink_of(where), arguments=arguments)


class Audit:
    """An `around` hook that writes a line for each call, and for each refusal."""

    def __init__(self, write: Write, *, arguments: bool) -> None:
        self.write = write
        self.arguments = arguments

    async def __call__(
        self, call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]
    ) -> Result:
        """Run a call, and write its line when it has ended."""
        started = time.perf_counter()
        entry: dict[str, Any] = {
            "time": _now(),
            "kind": call.kind,
            call.kind: shown(call.tool),
            "call": shown(call.id),
            "caller": None if call.caller is None else shown(call.caller),
        }
        if call.roles:
            entry["roles"] = [shown(role) for role in call.roles]
        if self.arguments:
            entry["arguments"] = _hidden(sent)
        try:
            result = await go_on(sent)
        except asyncio.CancelledError:
            self._line(entry, started, "cancelled")
            raise
        if result.error is not None:
            entry["code"] = shown(result.error.code)
        self._line(entry, started, "ok" if result.error is None else "error")
        return result

    def refused(self, event: Refused) -> None:
        """Write the line of a request that was refused."""
        entry: dict[str, Any] = {"time": _now(), "kind": event.kind}
        if event.name:
            entry[event.kind] = shown(without_likely_secrets(event.name[:1000]))
        entry["caller"] = None if event.caller is None else shown(event.caller)
        if event.client:
            entry["client"] = shown(event.client)
        entry["code"] = shown(event.code)
        if event.reason:
            entry["reason"] = shown(event.reason)
        self._write({**entry, "outcome": "refused"})

    def _line(self, entry: dict[str, Any], began: float, outcome: str) -> None:
        seconds = round(time.perf_counter() - began, 6)
        self._write({**entry, "seconds": seconds, "outcome": outcome})

    def _write(self, entry: dict[str, Any]) -> None:
        try:
            self.write(to_json(entry).decode())
        except Exception:  # noqa: BLE001 - what cannot be written fails no call
            log.exception("a call could not be recorded")


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _hidden(sent: Any) -> Any:
    """Return arguments as text, without secrets."""
    try:
        text = sent if isinstance(sent, str) else to_json(sent, fallback=repr).decode()
    except Exception:  # noqa: BLE001 - whatever was sent
        text = repr(sent)
    return without_surrogates(without_likely_secrets(text[:10_000]))
