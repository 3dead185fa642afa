"""Prometheus metrics of calls and refusals."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from ..call import Call
from ..errors import ToolNotFound
from ..refusals import Kind, Refused
from ..results import Result
from ..run.hooks import Hook
from ..tools.catalog import may_use
from ..tools.definition import Tool
from ..tools.prompt import Prompt
from ..tools.resource import Resource

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


class ToolSet(Protocol):
    """Tools."""

    def values(self) -> Iterable[Tool]:
        """Return all of them."""
        ...


class Shown(Protocol):
    """The part of an offering that says which names a caller may see."""

    @property
    def tools(self) -> ToolSet:
        """The tools."""
        ...

    @property
    def resources(self) -> Mapping[str, Resource]:
        """The resources by URI."""
        ...

    @property
    def prompts(self) -> Mapping[str, Prompt]:
        """The prompts by name."""
        ...


def exposition(
    box: Shown, roles: Iterable[str], registry: Any = None, call: Call | None = None
) -> bytes:
    """Write the metrics, without the names that a caller with these roles may not use.

    Predicates are asked about the `call`.
    """
    import prometheus_client as prometheus

    where = registry if registry is not None else prometheus.REGISTRY
    owned = frozenset(roles)
    groups: dict[Kind, Mapping[str, Tool]] = {
        "tool": {tool.name: tool for tool in box.tools.values()},
        "resource": {uri: resource.tool for uri, resource in box.resources.items()},
        "prompt": {name: prompt.tool for name, prompt in box.prompts.items()},
    }
    usable = {
        (kind, name)
        for kind, tools in groups.items()
        for name, tool in tools.items()
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
