"""Metrics of Prometheus: how many calls, how long they take, how they end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..call import Call
from ..errors import ToolNotFound
from ..results import Result
from .audit import Around

_known: WeakKeyDictionary[Any, tuple[Any, Any, Any]] = WeakKeyDictionary()


def metrics(registry: Any = None) -> Around:
    """Count calls in `toolwright_calls_total` and `toolwright_call_seconds` by tool, and those that
    run in `toolwright_calls_running`. Needs `prometheus-client`.
    """
    import prometheus_client as prometheus

    where = registry if registry is not None else prometheus.REGISTRY
    known = _known.get(where)
    if known is None:  # a registry takes each name once, but several toolboxes may count in it
        known = _known[where] = (
            prometheus.Counter(
                "toolwright_calls",
                "Calls by tool and outcome.",
                ["tool", "outcome"],
                registry=where,
            ),
            prometheus.Histogram(
                "toolwright_call_seconds", "How long calls take.", ["tool"], registry=where
            ),
            prometheus.Gauge("toolwright_calls_running", "Calls that run now.", registry=where),
        )
    total, seconds, running = known

    async def hook(call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]) -> Result:
        began = time.perf_counter()
        running.inc()
        outcome = "error"
        tool = call.tool
        try:
            result = await go_on(sent)
            outcome = "ok" if result.error is None else "error"
            if isinstance(result.error, ToolNotFound):
                tool = "(unknown)"  # names that anybody makes up must not become labels
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        finally:
            running.dec()
            total.labels(tool, outcome).inc()
            seconds.labels(tool).observe(time.perf_counter() - began)
        return result

    return hook
