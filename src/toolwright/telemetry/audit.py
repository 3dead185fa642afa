"""Audit lines in JSON, for each call and each refusal."""

from __future__ import annotations

import asyncio
import datetime as dt
import os
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
from .sink import Write, sink_of


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
