"""OpenTelemetry spans, one for each call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ..call import Call, unread_headers
from ..results import Result
from ..run.hooks import Hook

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
