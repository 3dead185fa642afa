"""A span of OpenTelemetry for each call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ..call import Call
from ..results import Result
from .audit import Around


def spans(tracer: Any = None) -> Around:
    """Make a span for each call, under the one that its client has begun.

    Names and attributes are those of OpenTelemetry's conventions for MCP; values of arguments are
    not among them. Needs `opentelemetry-api`; without a provider it costs next to nothing.
    """
    from opentelemetry import propagate, trace

    used = tracer or trace.get_tracer("toolwright")

    async def hook(call: Call, sent: Any, go_on: Callable[[Any], Awaitable[Result]]) -> Result:
        attributes = {
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.tool,
            "jsonrpc.request.id": call.id,
        }
        if call.caller is not None:
            attributes["enduser.id"] = call.caller
        begun = propagate.extract(call.all_headers())
        with used.start_as_current_span(
            f"tools/call {call.tool}",
            context=begun,
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
