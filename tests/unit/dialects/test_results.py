"""Results as messages of each provider."""

import base64
import json

import pytest

from toolwright import Image, Toolbox, ToolError
from toolwright.dialects import DIALECTS

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DATA = base64.b64encode(PIXEL).decode()


@pytest.fixture
def box():
    box = Toolbox("b")

    @box.tool("get.one")
    def get(n: int) -> dict[str, int]:
        return {"n": n}

    @box.tool
    def look() -> list[object]:
        return ["a dot", Image(data=PIXEL, mime_type="image/png")]

    @box.tool
    def fail() -> str:
        raise ToolError("closed", hint="try at nine")

    return box


def sent(box, dialect, name, arguments=None):
    made = box.render(dialect)
    return made.result(box.call(name, arguments or {}), call_id="c1", name=name)


@pytest.mark.promise("dialects.results")
def test_a_value(box):
    text = '{"n":1}'
    chat = {"role": "tool", "tool_call_id": "c1", "content": text}
    for dialect in ("openai", "groq", "deepseek", "xai", "cohere"):
        assert sent(box, dialect, "get.one", {"n": 1}) == chat
    assert sent(box, "mistral", "get.one", {"n": 1}) == {**chat, "name": "get_one"}
    assert sent(box, "ollama", "get.one", {"n": 1}) == {
        "role": "tool",
        "tool_name": "get_one",
        "content": text,
    }
    assert sent(box, "openai-responses", "get.one", {"n": 1}) == {
        "type": "function_call_output",
        "call_id": "c1",
        "output": text,
    }
    assert sent(box, "anthropic", "get.one", {"n": 1}) == {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": [{"type": "text", "text": text}],
    }
    assert sent(box, "gemini", "get.one", {"n": 1}) == {
        "functionResponse": {"id": "c1", "name": "get.one", "response": {"result": {"n": 1}}}
    }
    assert sent(box, "bedrock", "get.one", {"n": 1}) == {
        "toolResult": {"toolUseId": "c1", "content": [{"text": text}]}
    }
    assert sent(box, "claude", "get.one", {"n": 1}) == box.call("get.one", {"n": 1}).to_mcp()


def test_an_error(box):
    text = "closed - try at nine"
    assert sent(box, "openai", "fail")["content"] == f"Error: {text}"
    assert sent(box, "openai-responses", "fail")["output"] == f"Error: {text}"
    failed = sent(box, "anthropic", "fail")
    assert (failed["is_error"], failed["content"][0]["text"]) == (True, text)
    assert sent(box, "gemini", "fail")["functionResponse"]["response"] == {"error": text}
    assert sent(box, "bedrock", "fail")["toolResult"]["status"] == "error"
    assert sent(box, "cursor", "fail")["isError"] is True


def test_an_image(box):
    url = f"data:image/png;base64,{DATA}"
    assert sent(box, "openai", "look")["content"] == "a dot\n[image, image/png: not shown here]"
    assert sent(box, "openai-responses", "look")["output"] == [
        {"type": "input_text", "text": "a dot"},
        {"type": "input_image", "image_url": url},
    ]
    source = {"type": "base64", "media_type": "image/png", "data": DATA}
    assert sent(box, "anthropic", "look")["content"][1] == {"type": "image", "source": source}
    gemini = sent(box, "gemini", "look")["functionResponse"]
    assert gemini["parts"] == [{"inlineData": {"mimeType": "image/png", "data": DATA}}]
    assert gemini["response"] == {"result": ["a dot", "[image 1]"]}
    assert sent(box, "bedrock", "look")["toolResult"]["content"][1] == {
        "image": {"format": "png", "source": {"bytes": PIXEL}}
    }
    ollama = sent(box, "ollama", "look")
    assert (ollama["content"], ollama["images"]) == ("a dot", [DATA])


@pytest.mark.parametrize("dialect", [each for each in DIALECTS if each not in ("bedrock", "nova")])
@pytest.mark.parametrize("name", ["get.one", "look", "fail", "nothing"])
def test_whatever_came_of_a_call_is_json(box, dialect, name):
    json.dumps(sent(box, dialect, name, {"n": "\ud800"}), allow_nan=False).encode()


def test_a_result_that_says_nothing_is_still_a_result():
    box = Toolbox("b", {"quiet": lambda: ""})
    for dialect in DIALECTS:
        assert sent(box, dialect, "quiet")
    assert sent(box, "anthropic", "quiet")["content"] == []
