"""A server of the official SDK with every fixture of the conformance suite: `everything.py PORT`.

It passes all of it, in both eras. So a check that another server fails is that server's matter.
"""

import sys

import anyio
import conformance_fixtures as fixtures
import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http import EventMessage, EventStore
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

INVALID_PARAMS, MISSING_CAPABILITY = -32602, -32021
bus = InMemorySubscriptionBus()


class Events(EventStore):
    """All events of all streams, in memory."""

    def __init__(self):
        self.kept = []

    async def store_event(self, stream_id, message):
        self.kept.append((stream_id, message))
        return str(len(self.kept))

    async def replay_events_after(self, last_event_id, send_callback):
        last = int(last_event_id)
        stream = self.kept[last - 1][0]
        for number, (each, message) in enumerate(self.kept[last:], last + 1):
            if each == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def said(*content, **more):
    return types.CallToolResult.model_validate({"content": list(content), **more})


async def log(ctx, message):
    await ctx.session.send_log_message("info", message, "fixtures", ctx.request_id)


async def log_thrice(ctx, given):
    for message in fixtures.LOGGED:
        await log(ctx, message)
        await anyio.sleep(0.05)
    return said(fixtures.text("Logged."))


async def progress(ctx, given):
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await anyio.sleep(0.05)
    return said(fixtures.text("Done."))


async def sampling(ctx, given):
    asked = types.SamplingMessage.model_validate(
        {"role": "user", "content": fixtures.text(given["prompt"])}
    )
    answer = await ctx.session.create_message(
        messages=[asked], max_tokens=100, related_request_id=ctx.request_id
    )
    return said(fixtures.text(f"LLM response: {answer.content.text}"))


def elicitation(schema, message=None):
    async def call(ctx, given):
        answer = await ctx.session.elicit_form(
            message or given["message"], schema, related_request_id=ctx.request_id
        )
        return said(fixtures.text(f"Action: {answer.action}, content: {answer.content}"))

    return call


async def reconnection(ctx, given):
    await ctx.close_sse_stream()
    await anyio.sleep(0.2)
    return said(fixtures.text("Said after the stream was closed."))


async def missing_capability(ctx, given):
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_CAPABILITY, "The client must be able to sample", needed)
    return said(fixtures.text("The client can sample."))


async def log_once(ctx, given):
    await log(ctx, "Only said to those who ask for it")
    return said(fixtures.text("Perhaps logged."))


def publishing(event):
    async def call(ctx, given):
        await bus.publish(event())
        return said(fixtures.text("Changed."))

    return call


async def echo(ctx, given):
    return said(fixtures.text(str(given)))


CALLS = {
    "test_tool_with_logging": log_thrice,
    "test_tool_with_progress": progress,
    "test_sampling": sampling,
    "test_elicitation": elicitation(fixtures.USER_FORM),
    "test_elicitation_sep1034_defaults": elicitation(fixtures.DEFAULTS_FORM, "Who are you?"),
    "test_elicitation_sep1330_enums": elicitation(fixtures.ENUMS_FORM, "Please choose"),
    "test_reconnection": reconnection,
    "json_schema_2020_12_tool": echo,
    "test_x_mcp_header": echo,
    "test_missing_capability": missing_capability,
    "test_logging_tool": log_once,
    "test_trigger_tool_change": publishing(ToolsListChanged),
    "test_trigger_prompt_change": publishing(PromptsListChanged),
}


def answered(name, params, ctx):
    """Ask for what is not answered yet; return None if nothing is left to ask."""
    given = params.input_responses or {}
    rounds = fixtures.ROUNDS[name]
    number = int(params.request_state or 0)
    if number < len(rounds) and set(rounds[number]) <= set(given):
        number += 1
    if number == len(rounds):
        return None
    able = ctx.session.client_capabilities
    asked = {
        key: request
        for key, request in rounds[number].items()
        if request["method"] != "elicitation/create" or (able and able.elicitation)
    }
    state = str(number) if name in fixtures.STATEFUL else None
    return types.InputRequiredResult.model_validate({"inputRequests": asked, "requestState": state})


async def call_tool(ctx, params):
    name, given = params.name, params.arguments or {}
    if name in fixtures.CONTENT:
        return said(*fixtures.CONTENT[name])
    if name == "test_error_handling":
        return said(fixtures.text(fixtures.ERROR_TEXT), isError=True)
    if name in fixtures.ROUNDS:
        return answered(name, params, ctx) or said(fixtures.text(f"{params.input_responses}"))
    if name in CALLS:
        return await CALLS[name](ctx, given)
    raise MCPError(INVALID_PARAMS, f"Unknown tool: {name}")


async def list_tools(ctx, params):
    return types.ListToolsResult.model_validate({"tools": fixtures.TOOLS})


async def list_resources(ctx, params):
    listed = [
        {"uri": uri, "name": uri.removeprefix("test://"), "mimeType": content["mimeType"]}
        for uri, content in fixtures.RESOURCES.items()
    ]
    return types.ListResourcesResult.model_validate({"resources": listed})


async def list_templates(ctx, params):
    listed = [{"uriTemplate": fixtures.TEMPLATE, "name": "template"}]
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": listed})


async def read_resource(ctx, params):
    start, end = fixtures.TEMPLATE.split("{id}")
    if params.uri in fixtures.RESOURCES:
        content = fixtures.RESOURCES[params.uri]
    elif params.uri.startswith(start) and params.uri.endswith(end):
        content = fixtures.from_template(params.uri[len(start) : -len(end)])
    else:
        raise MCPError(INVALID_PARAMS, "Resource not found", {"uri": params.uri})
    contents = [{"uri": params.uri, **content}]
    return types.ReadResourceResult.model_validate({"contents": contents})


async def list_prompts(ctx, params):
    listed = [
        {"name": name, "description": f"The fixture {name}.", "arguments": arguments}
        for name, arguments in fixtures.PROMPTS.items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": listed})


async def get_prompt(ctx, params):
    if params.name not in fixtures.PROMPTS:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.name}")
    if params.name == fixtures.INPUT_PROMPT:
        asked = answered(params.name, params, ctx)
        if asked is not None:
            return asked
        contents = [fixtures.text(f"{params.input_responses}")]
    else:
        contents = fixtures.prompted(params.name, params.arguments or {})
    messages = [{"role": "user", "content": content} for content in contents]
    return types.GetPromptResult.model_validate({"messages": messages})


async def complete(ctx, params):
    return types.CompleteResult.model_validate({"completion": {"values": ["test", "testing"]}})


async def nothing(ctx, params):
    return types.EmptyResult()


def build():
    server = Server(
        "everything",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing,
        on_subscriptions_listen=ListenHandler(bus),
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=nothing,
    )
    server.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="everything")
    )
    return server


if __name__ == "__main__":
    app = build().streamable_http_app(event_store=Events(), retry_interval=100)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
