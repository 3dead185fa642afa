"""Results as each provider's messages have them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .._json_values import JsonObject, is_object
from ..results import Result

_SHOWN = frozenset(("image/png", "image/jpeg", "image/gif", "image/webp"))
"""The types of images that models can see."""


class ToolAnswer(NamedTuple):
    """A result, and which call it answers."""

    result: Result
    call_id: str | None
    """None for OpenAI's older `function_call`, which has none."""
    name: str


def message(dialect: str, wire: str, answer: ToolAnswer) -> JsonObject:
    """Return a result as a provider has it: a message, or one block of a message."""
    write = _BY_DIALECT.get(dialect) or _BY_WIRE[wire]
    return write(answer)


def _text(answer: ToolAnswer) -> str:
    """Return a result as text; what is not text is named."""
    text = "\n".join(_said(block) for block in answer.result.content)
    return f"Error: {text}" if answer.result.is_error else text


def _said(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind in ("image", "audio"):
        return f"[{kind}, {block.get('mimeType', 'unknown type')}: not shown here]"
    if kind == "resource_link":
        return f"[{block.get('name') or 'file'}: {block.get('uri', '')}]"
    resource = block.get("resource")
    if is_object(resource):
        if isinstance(resource.get("text"), str):
            return resource["text"]
        return f"[file {resource.get('uri', '')}, {resource.get('mimeType', 'unknown type')}: not shown here]"
    return f"[{kind}]"


def _data_url(block: Mapping[str, Any]) -> str:
    return f"data:{block['mimeType']};base64,{block['data']}"


def _is_image(block: Mapping[str, Any]) -> bool:
    is_supported = block.get("type") == "image" and block.get("mimeType") in _SHOWN
    return is_supported and isinstance(block.get("data"), str)


def _chat(answer: ToolAnswer) -> JsonObject:
    if answer.call_id is None:
        return {"role": "function", "name": answer.name, "content": _text(answer)}
    return {"role": "tool", "tool_call_id": answer.call_id, "content": _text(answer)}


def _named_chat(answer: ToolAnswer) -> JsonObject:
    return {**_chat(answer), "name": answer.name}


def _ollama(answer: ToolAnswer) -> JsonObject:
    images = [block["data"] for block in answer.result.content if _is_image(block)]
    if not images:
        return {"role": "tool", "tool_name": answer.name, "content": _text(answer)}
    text = "\n".join(_said(block) for block in answer.result.content if not _is_image(block))
    return {"role": "tool", "tool_name": answer.name, "content": text, "images": images}


def _responses(answer: ToolAnswer) -> JsonObject:
    blocks = answer.result.content
    output: Any = _text(answer)
    if any(_is_image(block) for block in blocks):
        output = [
            {"type": "input_image", "image_url": _data_url(block)}
            if _is_image(block)
            else {"type": "input_text", "text": _said(block)}
            for block in blocks
        ]
    return {"type": "function_call_output", "call_id": answer.call_id, "output": output}


def _anthropic(answer: ToolAnswer) -> JsonObject:
    content = [_anthropic_block(block) for block in answer.result.content]
    # An empty text block is refused.
    content = [block for block in content if block.get("text") != ""]
    message_block = {"type": "tool_result", "tool_use_id": answer.call_id, "content": content}
    return {**message_block, "is_error": True} if answer.result.is_error else message_block


def _anthropic_block(block: Mapping[str, Any]) -> JsonObject:
    if _is_image(block):
        source = {"type": "base64", "media_type": block["mimeType"], "data": block["data"]}
        return {"type": "image", "source": source}
    resource = block.get("resource")
    if (
        is_object(resource)
        and resource.get("mimeType") == "application/pdf"
        and resource.get("blob")
    ):
        source = {"type": "base64", "media_type": "application/pdf", "data": resource["blob"]}
        return {"type": "document", "source": source}
    return {"type": "text", "text": _said(block)}


def _gemini(answer: ToolAnswer) -> JsonObject:
    result = answer.result
    blocks = result.content
    images = [block for block in blocks if _is_image(block)]
    text = "\n".join(_said(block) for block in blocks if not _is_image(block))
    value = text if result.structured is None else result.structured
    response = {"error": text} if result.is_error else {"result": value}
    response_part: JsonObject = {"name": answer.name, "response": response}
    if answer.call_id:
        response_part = {"id": answer.call_id, **response_part}
    if images:
        response_part["parts"] = [
            {"inlineData": {"mimeType": block["mimeType"], "data": block["data"]}}
            for block in images
        ]
    return {"functionResponse": response_part}


def _bedrock(answer: ToolAnswer) -> JsonObject:
    tool_result: JsonObject = {
        "toolUseId": answer.call_id,
        "content": [_bedrock_block(block) for block in answer.result.content],
    }
    if answer.result.is_error:
        tool_result["status"] = "error"
    return {"toolResult": tool_result}


def _bedrock_block(block: Mapping[str, Any]) -> JsonObject:
    if _is_image(block):
        try:
            data = base64.b64decode(block["data"], validate=True)
        except (binascii.Error, ValueError):
            return {"text": _said(block)}
        kind = str(block["mimeType"]).removeprefix("image/")
        return {"image": {"format": kind, "source": {"bytes": data}}}
    return {"text": _said(block)}


def _mcp(answer: ToolAnswer) -> JsonObject:
    return answer.result.to_mcp()


_BY_DIALECT: dict[str, Callable[[ToolAnswer], JsonObject]] = {
    "mistral": _named_chat,
    "ollama": _ollama,
}
_BY_WIRE: dict[str, Callable[[ToolAnswer], JsonObject]] = {
    "chat": _chat,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "gemini-openapi": _gemini,
    "bedrock": _bedrock,
    "mcp": _mcp,
}
