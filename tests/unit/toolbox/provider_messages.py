"""Messages that ask for tools, in the shape of every provider, and what their answers hold."""

import json
from base64 import b64encode

CHAT = ("openai", "mistral", "groq", "xai", "deepseek", "cohere")
DIALECTS = (
    *CHAT,
    "ollama",
    "openai-responses",
    "anthropic",
    "gemini",
    "gemini-openapi",
    "bedrock",
    "nova",
)

PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f"
    b"\x15\xc4\x89\x00\x00\x00\nIDATx\x9cc\x00\x01\x00\x00\x05\x00\x01\r\n-\xb4\x00\x00\x00\x00IEND"
    b"\xaeB`\x82"
)
"""An image of one dot."""


def message(dialect, *calls):
    """A message that asks for `(id, name, arguments)`; arguments may be text as it was sent."""
    if dialect in CHAT or dialect == "ollama":
        made = []
        for call_id, name, arguments in calls:
            if dialect != "ollama" and not isinstance(arguments, str | None):
                arguments = json.dumps(arguments)
            call = {"type": "function", "function": {"name": name, "arguments": arguments}}
            made.append(call if dialect == "ollama" else {"id": call_id, **call})
        return {"role": "assistant", "content": None, "tool_calls": made}
    if dialect == "openai-responses":
        return [
            {"type": "reasoning", "id": "r1", "summary": []},
            *[
                {
                    "type": "function_call",
                    "call_id": call_id,
                    "name": name,
                    "arguments": sent if isinstance(sent, str | None) else json.dumps(sent),
                }
                for call_id, name, sent in calls
            ],
        ]
    if dialect == "anthropic":
        blocks = [
            {"type": "tool_use", "id": call_id, "name": name, "input": sent}
            for call_id, name, sent in calls
        ]
        return {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, *blocks]}
    if dialect in ("gemini", "gemini-openapi"):
        parts = [
            {"functionCall": {"id": call_id, "name": name, "args": sent}}
            for call_id, name, sent in calls
        ]
        return {"role": "model", "parts": [{"text": "Let me see."}, *parts]}
    blocks = [
        {"toolUse": {"toolUseId": call_id, "name": name, "input": sent}}
        for call_id, name, sent in calls
    ]
    return {"role": "assistant", "content": [{"text": "Let me see."}, *blocks]}


def answers(dialect, messages):
    """What the messages to append say: `(id, text, is_error)` of each answer, in order.

    Where a provider has no flag for errors, `is_error` is None.
    """
    if dialect in CHAT:
        assert all(each["role"] == "tool" for each in messages)
        return [(each["tool_call_id"], text_of(each["content"]), None) for each in messages]
    if dialect == "ollama":
        assert all(each["role"] == "tool" for each in messages)
        return [("", text_of(each["content"]), None) for each in messages]
    if dialect == "openai-responses":
        assert all(each["type"] == "function_call_output" for each in messages)
        return [(each["call_id"], text_of(each["output"]), None) for each in messages]
    [one] = messages
    assert one["role"] == "user"
    if dialect == "anthropic":
        assert all(each["type"] == "tool_result" for each in one["content"])
        return [
            (each["tool_use_id"], text_of(each["content"]), bool(each.get("is_error")))
            for each in one["content"]
        ]
    if dialect in ("gemini", "gemini-openapi"):
        responses = [each["functionResponse"] for each in one["parts"]]
        return [
            (each.get("id", ""), text_of(each["response"]), "error" in each["response"])
            for each in responses
        ]
    results = [each["toolResult"] for each in one["content"]]
    return [
        (each["toolUseId"], text_of(each["content"]), each.get("status") == "error")
        for each in results
    ]


def text_of(content):
    if isinstance(content, str):
        return content
    return json.dumps(content, ensure_ascii=False, default=lambda data: b64encode(data).decode())
