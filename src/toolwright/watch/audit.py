"""One structured line for each call: who, what, how long, and how it ended."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, TextIO

from pydantic_core import to_json

from ..call import Call
from ..results import Result
from ..run.failure import log
from ..run.redact import likely

Around = Callable[[Any, Any, Callable[[Any], Awaitable[Result]]], Awaitable[Result]]
Write = Callable[[str], object]


def audit(where: str | os.PathLike[str] | TextIO | Write, *, arguments: bool = False) -> Around:
    """Write a line of JSON for each call: into a file, a stream, or to whoever takes it.

    Values of arguments are never written, unless asked for; then secrets among them are hidden.

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
    write = _writer(where)

    async def hook(call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]) -> Result:
        began, at = dt.datetime.now(dt.UTC), time.perf_counter()
        entry: dict[str, Any] = {
            "time": began.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "tool": call.tool,
            "call": call.id,
            "caller": call.caller,
        }
        if call.roles:
            entry["roles"] = list(call.roles)
        if arguments:
            entry["arguments"] = _hidden(sent)
        try:
            result = await go_on(sent)
        except asyncio.CancelledError:
            write(_line(entry, at, "cancelled"))
            raise
        if result.error is not None:
            entry["code"] = result.error.code
        write(_line(entry, at, "ok" if result.error is None else "error"))
        return result

    return hook


def _line(entry: dict[str, Any], began: float, outcome: str) -> str:
    seconds = round(time.perf_counter() - began, 6)
    return to_json({**entry, "seconds": seconds, "outcome": outcome}).decode()


def _hidden(sent: Any) -> Any:
    """Return arguments as text, without secrets."""
    try:
        text = sent if isinstance(sent, str) else to_json(sent, fallback=repr).decode()
    except Exception:  # noqa: BLE001 - whatever was sent
        text = repr(sent)
    return likely(text[:10_000])


def _writer(where: Any) -> Write:
    write = where if callable(where) else _to_stream(where) if hasattr(where, "write") else None
    write = write or _to_file(where)
    failing = False

    def guarded(line: str) -> None:
        """Write; what cannot be written takes no call down, and is said once."""
        nonlocal failing
        try:
            write(line)
            failing = False
        except OSError as error:
            if not failing:
                log.error("calls cannot be written down: %s", error)
            failing = True

    return guarded


def _to_stream(stream: TextIO) -> Write:
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock:
            stream.write(line + "\n")
            stream.flush()

    return write


def _to_file(path: Any) -> Write:
    # Opened once, and never waited for: a pipe that nobody reads must not stop the server.
    how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0)
    number = os.open(path, how, 0o600)
    lock = threading.Lock()

    def write(line: str) -> None:
        with lock:
            os.write(number, line.encode() + b"\n")

    return write
