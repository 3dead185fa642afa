"""Answers to requests for the Prometheus metrics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .asgi import Send, respond
from .sender import sent_by

if TYPE_CHECKING:
    from ..access.guard import Caller
    from ..servable import Servable

METRICS_PATH = "/metrics"


async def answer_metrics(
    send: Send, box: Servable, caller: Caller | None, headers: Mapping[bytes, bytes]
) -> None:
    """Send the metrics of the tools that a caller may use."""
    import prometheus_client as prometheus

    from ...telemetry.metrics import exposition

    kind = (b"content-type", prometheus.CONTENT_TYPE_LATEST.encode())
    call = sent_by(caller, headers)
    shown = exposition(box, call.roles, call=call if box.asks else None)
    await respond(send, 200, shown, kind)
