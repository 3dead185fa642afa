"""Hooks that record calls: audit lines, spans, metrics.

Use them as in `box.around(audit("calls.jsonl"))`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import os
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TextIO
from weakref import WeakKeyDictionary

from pydantic_core import to_json

from ._json_values import without_surrogates
from ._log import log
from ._log.redact import without_likely_secrets
from .call import Call, unread_headers
from .errors import ToolNotFound
from .refusals import Kind, Refused, shown
from .results import Result
from .run.hooks import Hook
from .tools.catalog import may_use
from .tools.definition import Tool
from .tools.prompt import Prompt
from .tools.resource import Resource

__all__ = ["audit", "metrics", "spans"]

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


UNKNOWN = "(unknown)"
"""The label for names that do not exist: callers could make up any number of them."""


class Families(NamedTuple):
    """The metric families of one registry."""

    total: Any
    seconds: Any
    running: Any
    reads: Any
    prompts: Any
    refusals: Any


_known: WeakKeyDictionary[Any, Families] = WeakKeyDictionary()


def metrics(registry: Any = None) -> Hook:
    """Count calls in `toolwright_calls_total` and `toolwright_call_seconds` by tool, and those that
    run in `toolwright_calls_running`; resources in `toolwright_resource_reads_total`, prompts in
    `toolwright_prompt_gets_total`, and requests that were refused in `toolwright_refusals_total` by
    kind and code. Needs `prometheus-client`.
    """
    import prometheus_client as prometheus

    where = registry if registry is not None else prometheus.REGISTRY
    if where not in _known:  # a registry takes each name once, but several toolboxes may use it
        _known[where] = _families(prometheus, where)
    return Metrics(_known[where])


def _families(prometheus: Any, where: Any) -> Families:
    def counter(name: str, text: str, *labels: str) -> Any:
        return prometheus.Counter(f"toolwright_{name}", text, labels, registry=where)

    return Families(
        counter("calls", "Calls by tool and outcome.", "tool", "outcome"),
        prometheus.Histogram(
            "toolwright_call_seconds", "How long calls take.", ["tool"], registry=where
        ),
        prometheus.Gauge("toolwright_calls_running", "Calls that run now.", registry=where),
        counter("resource_reads", "Resources that were read.", "resource", "outcome"),
        counter("prompt_gets", "Prompts that were asked for.", "prompt", "outcome"),
        counter("refusals", "Requests that were refused.", "kind", "code"),
    )


class Metrics:
    """An `around` hook that counts calls and refusals."""

    def __init__(self, families: Families) -> None:
        self.families = families

    async def __call__(
        self, call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]
    ) -> Result:
        """Run a call, and count it when it has ended."""
        began = time.perf_counter()
        running = self.families.running
        running.inc()
        outcome, kind, name = "error", call.kind, call.tool
        try:
            result = await go_on(sent)
            outcome = "ok" if result.error is None else "error"
            if isinstance(result.error, ToolNotFound):
                name = UNKNOWN
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            running.dec()
            self._count(kind, name, outcome, time.perf_counter() - began)
        return result

    def _count(self, kind: str, name: str, outcome: str, seconds: float) -> None:
        if kind == "resource":
            self.families.reads.labels(name, outcome).inc()
        elif kind == "prompt":
            self.families.prompts.labels(name, outcome).inc()
        else:
            self.families.total.labels(name, outcome).inc()
            self.families.seconds.labels(name).observe(seconds)

    def refused(self, event: Refused) -> None:
        """Count a request that was refused; what was asked for is never a label."""
        self.families.refusals.labels(event.kind, event.code).inc()


def exposition(
    tools: Iterable[Tool],
    resources: Mapping[str, Resource],
    prompts: Mapping[str, Prompt],
    roles: Iterable[str],
    registry: Any = None,
    call: Call | None = None,
) -> bytes:
    """Write the metrics, without the names that a caller with these roles may not use.

    Predicates are asked about the `call`.
    """
    import prometheus_client as prometheus

    where = registry if registry is not None else prometheus.REGISTRY
    owned = frozenset(roles)
    groups: dict[Kind, Mapping[str, Tool]] = {
        "tool": {tool.name: tool for tool in tools},
        "resource": {uri: resource.tool for uri, resource in resources.items()},
        "prompt": {name: prompt.tool for name, prompt in prompts.items()},
    }
    usable = {
        (kind, name)
        for kind, by_name in groups.items()
        for name, tool in by_name.items()
        if may_use(tool, owned, call, kind=kind, name=name)
    }
    if len(usable) == sum(map(len, groups.values())):
        return prometheus.generate_latest(where)

    def is_shown(labels: Mapping[str, str]) -> bool:
        names = ((kind, labels.get(kind, UNKNOWN)) for kind in groups)
        return all(label[1] == UNKNOWN or label in usable for label in names)

    return prometheus.generate_latest(_Visible(where, is_shown))


class _Visible:
    """A registry without some of its samples."""

    def __init__(self, registry: Any, is_shown: Callable[[Mapping[str, str]], bool]) -> None:
        self.registry = registry
        self.is_shown = is_shown

    def collect(self) -> Iterator[Any]:
        """Yield the metric families, without samples that are not shown."""
        for family in self.registry.collect():
            family.samples = [sample for sample in family.samples if self.is_shown(sample.labels)]
            yield family


_METHODS = {
    "tool": ("tools/call", "gen_ai.tool.name"),
    "resource": ("resources/read", "mcp.resource.uri"),
    "prompt": ("prompts/get", "gen_ai.prompt.name"),
}


def spans(tracer: Any = None) -> Hook:
    """Make a span for each call, under the span of its client.

    Names and attributes are those of OpenTelemetry's conventions for MCP; values of arguments are
    not among them. Needs `opentelemetry-api`; without a provider it costs next to nothing.
    """
    from opentelemetry import propagate, trace

    used = tracer or trace.get_tracer("toolwright")

    async def hook(call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]) -> Result:
        method, name = _METHODS[call.kind]
        attributes = {"mcp.method.name": method, name: call.tool, "toolwright.call_id": call.id}
        if call.request_id is not None:
            attributes["jsonrpc.request.id"] = call.request_id
        if call.kind == "tool":
            attributes["gen_ai.operation.name"] = "execute_tool"
        if call.caller is not None:
            attributes["enduser.id"] = call.caller
        parent = propagate.extract(unread_headers(call))
        with used.start_as_current_span(
            f"{method} {call.tool}",
            context=parent,
            kind=trace.SpanKind.SERVER,
            attributes=attributes,
        ) as span:
            try:
                result = await go_on(sent)
            except asyncio.CancelledError:
                span.set_attribute("error.type", "cancelled")
                raise
            if result.error is not None:
                span.set_attribute("error.type", result.error.code)
                span.set_status(trace.StatusCode.ERROR)
            return result

    return hook
