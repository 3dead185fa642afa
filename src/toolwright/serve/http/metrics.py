"""Answers to requests for the Prometheus metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .asgi import Send, respond

if TYPE_CHECKING:
    from ..access.guard import Caller
    from ..servable import Servable

METRICS_PATH = "/metrics"


async def answer_metrics(send: Send, box: Servable, caller: Caller | None) -> None:
    """Send the metrics of the tools that a caller may use."""
    import prometheus_client as prometheus

    from ...telemetry.metrics import exposition

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    await respond(send, 200, exposition(box, caller.roles if caller is not None else ()), kind)
