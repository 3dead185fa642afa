"""Answers to requests for the Prometheus metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .asgi import respond

if TYPE_CHECKING:
    from ..servable import Servable
    from .exchanges import Exchange

METRICS_PATH = "/metrics"


async def answer_metrics(exchange: Exchange, box: Servable) -> None:
    """Send the metrics of the tools that a caller may use."""
    import prometheus_client as prometheus

    from ...telemetry.metrics import exposition

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    roles = exchange.caller.roles if exchange.caller is not None else ()
    shown = exposition(box, roles, call=exchange.view() if box.asks else None)
    await respond(exchange.send, 200, shown, kind)
