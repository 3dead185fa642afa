"""From a server's answer to a value or an error."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from typing import Any

from .._json_values import compact_json, is_list, is_object
from .._protocol import META
from ..content import Audio, Image
from ..errors import CallError, ResultError, ToolError
from ..results import Result, is_block, written
from .bounds import short

_BOXES = ("x-toolwright-box", "x-fastmcp-wrap-result")
"""Keys by which servers mark a value that is wrapped in `{"result": ...}`."""
_ERROR = "toolwright/error"
_OWN = f"{META}serverInfo"
"""What a server says about itself in each answer (2026-07-28): of no use to its caller."""


def result_of(name: str, payload: Mapping[str, Any], output_schema: Any = None) -> Result:
    """Return the result of a call. Raises `ResultError` if the answer is not a result at all."""
    blocks = payload.get("content")
    if not is_list(blocks) or not all(_is_sound(block) for block in blocks):
        raise ResultError(f"{name}: the server's answer has no valid content")
    meta = payload.get("_meta")
    notes = {key: note for key, note in meta.items() if key != _OWN} if is_object(meta) else None
    if payload.get("isError"):
        return written(
            None,
            None,
            blocks=blocks or _said(""),
            error=error_of(blocks, notes),
            meta=notes or None,
        )
    if "structuredContent" in payload and payload["structuredContent"] is not None:
        return _structured(payload["structuredContent"], blocks, output_schema, notes or None)
    if output_schema is not None:
        hint = "the server breaks its own promise; ask its author"
        raise ResultError(
            f"{name}: the server promises structured content, and has sent none", hint=hint
        )
    value = value_of(blocks)
    return written(value, None, blocks=blocks or _said(""), meta=notes or None)


_NEEDS = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri",),
    "resource": (),
}


def _is_sound(block: Any) -> bool:
    """Return whether a content block has what its kind must have."""
    if not is_block(block):
        return False
    if block["type"] == "resource" and not is_object(block.get("resource")):
        return False
    return all(isinstance(block.get(key), str) for key in _NEEDS[block["type"]])


def error_of(blocks: Sequence[Mapping[str, Any]], meta: Mapping[str, Any] | None) -> CallError:
    """Return the error in a server's answer: the reason and, from a Toolwright server, more."""
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    reason = "\n".join(texts).strip() or "the server gives no reason"
    detail = (meta or {}).get(_ERROR)
    if not is_object(detail):
        return ToolError(short(reason))
    hint, retryable, code = detail.get("hint"), detail.get("retryable"), detail.get("code")
    hint = hint if isinstance(hint, str) else ""
    return ToolError(
        short(reason.removesuffix(f" - {hint}") if hint else reason),
        code=short(code, 100) if isinstance(code, str) else None,
        retryable=retryable if isinstance(retryable, bool) else None,
        hint=short(hint),
    )


def _structured(
    value: Any, blocks: list[Any], output_schema: Any, notes: dict[str, Any] | None
) -> Result:
    boxed = is_object(output_schema) and any(output_schema.get(key) for key in _BOXES)
    unboxed = value["result"] if boxed and is_object(value) and set(value) == {"result"} else value
    return written(
        unboxed, compact_json(value), blocks=blocks or _said(""), shows_body=True, meta=notes
    )


def value_of(blocks: Sequence[Mapping[str, Any]]) -> Any:
    """Return content as a Python value: text, or an image, a file, or several of them."""
    if all(block["type"] == "text" for block in blocks):
        return "\n".join(str(block["text"]) for block in blocks)
    values = [_value(block) for block in blocks]
    return values[0] if len(values) == 1 else values


def _value(block: Mapping[str, Any]) -> Any:
    try:
        match block["type"]:
            case "text":
                return block["text"]
            case "image":
                return Image(_bytes(block["data"]), mime_type=block.get("mimeType"))
            case "audio":
                return Audio(_bytes(block["data"]), mime_type=block.get("mimeType"))
            case _:
                return dict(block)
    except (KeyError, TypeError, ValueError, binascii.Error):
        return dict(block)  # as it came: nothing better can be made of it


def _bytes(data: str) -> bytes:
    return base64.b64decode(data, validate=True)


def _said(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


def contents_value(contents: Sequence[Mapping[str, Any]]) -> Any:
    """Return the content of a resource: text, bytes, or a list of them."""
    values = [
        content["text"]
        if isinstance(content.get("text"), str)
        else _bytes(str(content.get("blob", "")))
        for content in contents
    ]
    return values[0] if len(values) == 1 else values
