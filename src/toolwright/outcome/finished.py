"""Results that a tool made by itself: passed through, checked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from ..errors import CallError, ResultError
from ..results import Repair, Result, validate
from .encode import write


def checked_result(result: Result) -> Result:
    """Check what an author built by hand. Raises `ResultError`."""
    try:
        validate(json.loads(write(result.to_mcp())[0]))
    except (ValueError, TypeError) as error:
        raise ResultError(f"the content is not valid: {error}") from error
    return result


def canonical(payload: Mapping[str, Any], repairs: tuple[Repair, ...]) -> Result:
    """Pass a finished result through, checked."""
    body, _ = write(payload)
    data = json.loads(body)
    try:
        validate(data)
    except ValueError as error:
        raise ResultError(str(error)) from error
    shows = "structuredContent" in data
    blocks = data["content"]
    text = "\n".join(block["text"] for block in blocks if block["type"] == "text").strip()
    if data["isError"] and not text:
        text = "the tool reports an error"
        if all(block["type"] == "text" for block in blocks):
            blocks = [{"type": "text", "text": text}]
    return Result(
        data,
        body=to_json(data["structuredContent"]) if shows else None,
        blocks=blocks,
        shows_body=shows,
        boxed="" if isinstance(data.get("structuredContent"), dict) else "old",
        error=CallError(text) if data["isError"] else None,
        repairs=repairs,
        meta=data.get("_meta"),
    )
