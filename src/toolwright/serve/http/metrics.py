"""Answers to requests for the Prometheus metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .asgi import respond

if TYPE_CHECKING:
    from ..offering import Live
    from ..sender import Sender
    from .asgi import Send

METRICS_PATH = "/metrics"


async def answer_metrics(send: Send, sender: Sender, box: Live) -> None:
    """Send the metrics of the tools that a sender may use."""
    import prometheus_client as prometheus

    from ...telemetry.metrics import exposition

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    roles, call = sender.viewer(box.now)
    await respond(send, 200, exposition(box.now, roles or (), call=call), kind)
