"""The fixtures of the conformance suite, written as any author would; FIXTURES.md says who wants what."""

import asyncio
import base64
import sys
from typing import Annotated, Any

from pydantic import BaseModel, Field

from tests.wire.forms import DEFAULTS_FORM, ENUMS_FORM, PNG, USER_FORM, WAV
from toolwright import Audio, Call, File, Image, Toolbox, ToolError
from toolwright.markers import Complete
from toolwright.questions import Form, Roots, Sample

box = Toolbox("toolwright-fixtures", version="1.0.0", instructions="Fixtures for testing.")
PICTURE = Image(base64.b64decode(PNG), mime_type="image/png")
SOUND = Audio(base64.b64decode(WAV), mime_type="audio/wav")


class Name(BaseModel):
    name: str


class Color(BaseModel):
    color: str


class Okay(BaseModel):
    ok: bool


class Context(BaseModel):
    context: str


# -- content


@box.tool
def test_simple_text() -> str:
    """Return a text."""
    return "This is a simple text response for testing."


@box.tool
def test_image_content() -> Image:
    """Return a picture."""
    return PICTURE


@box.tool
def test_audio_content() -> Audio:
    """Return a sound."""
    return SOUND


@box.tool
def test_embedded_resource() -> File:
    """Return a resource."""
    return File(
        b"This is an embedded resource content.",
        mime_type="text/plain",
        uri="test://embedded-resource",
    )


@box.tool
def test_multiple_content_types() -> list[Any]:
    """Return a text, a picture and a resource."""
    data = File(
        b'{"test":"data","value":123}',
        mime_type="application/json",
        uri="test://mixed-content-resource",
    )
    return ["Multiple content types test:", PICTURE, data]


@box.tool
def test_error_handling() -> str:
    """Fail."""
    raise ToolError("This tool intentionally returns an error for testing")


SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


@box.tool(input_schema=SCHEMA)
def json_schema_2020_12_tool(**contact: Any) -> str:
    """Take a contact, by a schema with everything in it."""
    return f"{sorted(contact)}"


@box.tool
def test_x_mcp_header(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
) -> str:
    """Take an argument that a header repeats."""
    return region


# -- progress and logging


@box.tool
async def test_tool_with_progress(call: Call) -> str:
    """Say how far it is."""
    for done in (0, 50, 100):
        call.progress(done, 100)
        await asyncio.sleep(0.01)
    return "done"


@box.tool
def test_tool_with_logging(call: Call) -> str:
    """Log three times, from a thread."""
    for said in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        call.log(said)
    return "logged"


@box.tool
def test_logging_tool(call: Call) -> str:
    """Log what nobody asked for."""
    call.log("said to nobody")
    return "logged"


@box.tool
async def test_reconnection(call: Call) -> str:
    """End its own stream; the client comes back for the result."""
    await call.hang_up()
    await asyncio.sleep(0.1)
    return "Reconnection test completed successfully."


# -- asking, in both eras


@box.tool
async def test_sampling(prompt: str, call: Call) -> str:
    """Have the client's model write."""
    said = await call.sample(prompt, max_tokens=100)
    return f"LLM response: {said['content']['text']}"


@box.tool
def test_elicitation(message: str, call: Call) -> str:
    """Ask for a form, from a thread."""
    return f"User response: {call.ask(USER_FORM, message)}"


@box.tool
def test_elicitation_sep1034_defaults(call: Call) -> str:
    """Ask for a form with defaults."""
    came = call.ask(DEFAULTS_FORM, "Please review and update the form fields with defaults")
    return f"Elicitation completed: action=accept, content={came}"


@box.tool
async def test_elicitation_sep1330_enums(call: Call) -> str:
    """Ask for a form with every kind of choice."""
    came = await call.ask(ENUMS_FORM, "Please select options from the enum fields")
    return f"Elicitation completed: action=accept, content={came}"


@box.tool
async def test_input_required_result_elicitation(call: Call) -> str:
    """Ask for a name."""
    return f"Hello, {(await call.ask(Name, 'What is your name?', key='user_name')).name}!"


@box.tool
def test_input_required_result_sampling(call: Call) -> str:
    """Have the client's model write."""
    said = call.sample("What is the capital of France?", max_tokens=100, key="capital_question")
    return said["content"]["text"]


@box.tool
async def test_input_required_result_list_roots(call: Call) -> str:
    """Look at the client's folders."""
    return str(await call.roots(key="client_roots"))


@box.tool
async def test_input_required_result_request_state(call: Call) -> str:
    """Ask for a confirmation."""
    return f"state-{'ok' if (await call.ask(Okay, 'Please confirm', key='confirm')).ok else 'no'}"


@box.tool
async def test_input_required_result_multiple_inputs(call: Call) -> str:
    """Ask for three things at once."""
    came = await call.request(
        user_name=Form(Name, "What is your name?"),
        greeting=Sample("Generate a greeting", max_tokens=50),
        client_roots=Roots(),
    )
    return f"{came['user_name'].name} {came['greeting']['content']['text']}"


@box.tool
async def test_input_required_result_multi_round(call: Call) -> str:
    """Ask for one thing after the other."""
    first = await call.ask(Name, "Step 1: What is your name?", key="step1")
    second = await call.ask(Color, "Step 2: What is your favorite color?", key="step2")
    return f"{first.name} likes {second.color}"


@box.tool
async def test_input_required_result_tampered_state(call: Call) -> str:
    """Ask for a confirmation."""
    return f"{(await call.ask(Okay, 'Please confirm', key='confirm')).ok}"


@box.tool
async def test_input_required_result_capabilities(call: Call) -> str:
    """Ask only for what the client can do."""
    if call.can("elicitation"):
        await call.ask(Okay, "Please confirm", key="confirm")
    await call.sample("Say something", key="said")
    return "done"


@box.tool
async def test_missing_capability(call: Call) -> str:
    """Need a client that can sample."""
    return str(await call.sample("Say something"))


@box.tool
async def test_streaming_elicitation(call: Call) -> str:
    """Ask at once."""
    return str(await call.ask(Okay, "Please confirm"))


# -- changes


@box.tool
def test_trigger_tool_change() -> str:
    """Tell that the tools have changed."""
    box.changed("tools")
    return "changed"


@box.tool
def test_trigger_prompt_change() -> str:
    """Tell that the prompts have changed."""
    box.changed("prompts")
    return "changed"


# -- resources


@box.resource("test://static-text", mime_type="text/plain")
def static_text() -> str:
    """A text."""
    return "This is the content of the static text resource."


@box.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    """A picture."""
    return base64.b64decode(PNG)


@box.resource("test://template/{id}/data")
def template_data(id: str) -> dict[str, Any]:  # noqa: A002 - the name in the URI
    """Data of one thing."""
    return {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}


@box.resource("test://watched-resource", mime_type="text/plain")
def watched_resource() -> str:
    """Something that may change."""
    return "watched"


# -- prompts


@box.prompt
def test_simple_prompt() -> str:
    """Say something simple."""
    return "This is a simple prompt for testing."


@box.prompt
def test_prompt_with_arguments(
    arg1: Annotated[str, "The first", Complete(["test", "testing", "other"])], arg2: str
) -> str:
    """Say what was sent."""
    return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"


@box.prompt
def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:  # noqa: N803 - the suite's
    """Show a resource."""
    shown = File(b"Embedded resource content for testing.", mime_type="text/plain", uri=resourceUri)
    return [shown, "Please process the embedded resource above."]


@box.prompt
def test_prompt_with_image() -> list[Any]:
    """Show a picture."""
    return [PICTURE, "Please analyze the image above."]


@box.prompt
async def test_input_required_result_prompt(call: Call) -> str:
    """Ask before saying something."""
    asked = await call.ask(Context, "What context should the prompt use?", key="user_context")
    return f"Use this context: {asked.context}"


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(box.asgi(), host="127.0.0.1", port=int(sys.argv[1]), access_log=False)
