"""Objects of the providers' own packages go in, and what comes out is what these packages take."""

import json

import pytest
from pydantic import TypeAdapter

from tests.unit.toolbox.provider_messages import PIXEL
from toolwright import Image, Toolbox, ToolError

pytestmark = [
    # Some of these packages warn of themselves when they are imported.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@pytest.fixture
def box():
    box = Toolbox("shop")

    @box.tool
    def price(item: str, tags: dict[str, int] | None = None) -> dict[str, str]:
        return {"item": item, "price": "9 €"}

    @box.tool
    def look() -> Image:
        return Image(PIXEL)

    @box.tool
    def fail() -> str:
        raise ToolError("out of order")

    return box


NAMES = ("price", "look", "fail")


def arguments(name):
    return {"item": "bike"} if name == "price" else {}


def checked(kind, messages):
    """The SDK's own type takes each message, with nothing left over that it does not know."""
    adapter = TypeAdapter(kind)
    for each in messages:
        adapter.validate_python(each)
    assert "9 €" in json.dumps(messages, ensure_ascii=False)
    assert "out of order" in json.dumps(messages)
    return messages


def test_openai_chat(box):
    from openai.types.chat import (
        ChatCompletion,
        ChatCompletionMessage,
        ChatCompletionToolMessageParam,
    )

    calls = [
        {
            "id": f"c{n}",
            "type": "function",
            "function": {"name": n, "arguments": json.dumps(arguments(n))},
        }
        for n in NAMES
    ]
    asked = ChatCompletionMessage.model_validate(
        {"role": "assistant", "content": None, "tool_calls": calls}
    )
    made = box.run_tool_calls(asked, "openai")
    assert [each["tool_call_id"] for each in made if each["role"] == "tool"] == [
        "cprice",
        "clook",
        "cfail",
    ]
    checked(ChatCompletionToolMessageParam, [each for each in made if each["role"] == "tool"])
    whole = ChatCompletion.model_validate(
        {
            "id": "x",
            "created": 1,
            "model": "m",
            "object": "chat.completion",
            "choices": [{"finish_reason": "tool_calls", "index": 0, "message": asked.model_dump()}],
        }
    )
    assert box.run_tool_calls(whole, "openai") == made


def test_openai_responses(box):
    from openai.types.responses import ResponseFunctionToolCall
    from openai.types.responses.response_input_item_param import FunctionCallOutput

    items = [
        ResponseFunctionToolCall(
            type="function_call", call_id=f"c{n}", name=n, arguments=json.dumps(arguments(n))
        )
        for n in NAMES
    ]
    made = box.run_tool_calls(items, "openai-responses")
    checked(FunctionCallOutput, made)
    assert [each["call_id"] for each in made] == ["cprice", "clook", "cfail"]


@pytest.mark.parametrize("strict", [False, True])
def test_anthropic(box, strict):
    from anthropic.types import Message, MessageParam

    blocks = [{"type": "tool_use", "id": f"c{n}", "name": n, "input": arguments(n)} for n in NAMES]
    if strict:
        blocks[0]["input"]["tags"] = [{"key": "a", "value": 1}]
    asked = Message.model_validate(
        {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": "Look."}, *blocks],
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    )
    [made] = checked(MessageParam, box.run_tool_calls(asked, "anthropic", strict=strict))
    assert [each["tool_use_id"] for each in made["content"]] == ["cprice", "clook", "cfail"]
    assert [bool(each.get("is_error")) for each in made["content"]] == [False, False, True]


@pytest.mark.parametrize("dialect", ["gemini", "gemini-openapi"])
def test_gemini(box, dialect):
    from google.genai import types

    parts = [types.Part(function_call=types.FunctionCall(name=n, args=arguments(n))) for n in NAMES]
    asked = types.Content(role="model", parts=parts)
    made = box.run_tool_calls(asked, dialect)
    [content] = [types.Content.model_validate(each) for each in made]
    assert content.role == "user"
    names = [part.function_response.name for part in content.parts if part.function_response]
    assert names == list(NAMES)
    whole = types.GenerateContentResponse(candidates=[types.Candidate(content=asked)])
    assert box.run_tool_calls(whole, dialect) == made


def test_mistral(box):
    from mistralai.client.models import AssistantMessage, FunctionCall, ToolCall, ToolMessage

    calls = [
        ToolCall(id=f"call0{n}", function=FunctionCall(name=n, arguments=json.dumps(arguments(n))))
        for n in NAMES
    ]
    made = box.run_tool_calls(AssistantMessage(content="", tool_calls=calls), "mistral")
    checked(ToolMessage, [each for each in made if each["role"] == "tool"])
    assert box.run_tool_calls(AssistantMessage(content="Done."), "mistral") == []


def test_cohere(box):
    from cohere import AssistantMessageResponse, ToolCallV2, ToolCallV2Function, ToolChatMessageV2

    calls = [
        ToolCallV2(
            id=f"c{n}",
            type="function",
            function=ToolCallV2Function(name=n, arguments=json.dumps(arguments(n))),
        )
        for n in NAMES
    ]
    made = box.run_tool_calls(
        AssistantMessageResponse(role="assistant", tool_calls=calls), "cohere"
    )
    checked(ToolChatMessageV2, [each for each in made if each["role"] == "tool"])


def test_ollama(box):
    from ollama import ChatResponse, Message
    from ollama._client import _copy_messages

    function = Message.ToolCall.Function
    calls = [Message.ToolCall(function=function(name=n, arguments=arguments(n))) for n in NAMES]
    asked = Message(role="assistant", tool_calls=calls)
    made = box.run_tool_calls(asked, "ollama")
    copied = list(_copy_messages(made))  # as its client does with dicts, images included
    assert [each.tool_name for each in copied] == list(NAMES)
    assert box.run_tool_calls(ChatResponse(message=asked), "ollama") == made


@pytest.mark.parametrize("dialect", ["bedrock", "nova"])
def test_bedrock(box, dialect):
    from botocore.session import Session
    from botocore.validate import ParamValidator

    blocks = [{"toolUse": {"toolUseId": f"c{n}", "name": n, "input": arguments(n)}} for n in NAMES]
    asked = {"role": "assistant", "content": blocks}
    made = box.run_tool_calls({"output": {"message": asked}}, dialect)
    shape = Session().get_service_model("bedrock-runtime").operation_model("Converse").input_shape
    report = ParamValidator().validate({"modelId": "m", "messages": [asked, *made]}, shape)
    assert not report.has_errors(), report.generate_report()
    assert [each["toolResult"]["toolUseId"] for each in made[0]["content"]] == [
        "cprice",
        "clook",
        "cfail",
    ]
