"""Results that a tool made by itself: recognised, checked, passed through."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_json

from .._json_values import is_list, is_object, is_utf8, strict_json
from ..errors import CallError, ResultError
from ..results import Repair, Result, has_body, is_canonical, json_value, validate, written
from .cap import Cap
from .encode import block_dict, blocks_of, size_of, write

_KEYS = frozenset(("content", "structuredContent", "isError", "_meta"))


def finished(value: Any) -> Mapping[str, Any] | None:
    """Return a value that is a whole result, with all that it must have; None if it is not one.

    That is the protocol's own class, or a mapping that has only keys of a result, and in its
    `content` only blocks. Any other mapping with a key `content` is an author's own data.
    """
    # Dicts first: plain calls return them, and checking for models is slow.
    if not is_object(value):
        if isinstance(value, BaseModel):
            return _protocol_result(value)
        if not isinstance(value, Mapping):
            return None
    payload = cast("Mapping[str, Any]", value)
    if "content" not in payload and "structuredContent" not in payload:
        return None  # like almost every mapping: nothing else is looked at
    if is_canonical(payload):
        return _completed(payload)
    return _completed(payload) if payload.keys() <= _KEYS and _is_result(payload) else None


def _is_result(payload: Mapping[str, Any]) -> bool:
    blocks: Any = payload.get("content", [])
    if not is_list(blocks) or not all(_block(block) for block in blocks):
        return False
    if not isinstance(payload.get("isError", False), bool):
        return False
    if not isinstance(payload.get("_meta") or {}, Mapping):
        return False
    return bool(blocks or payload.get("isError")) or payload.get("structuredContent") is not None


def _block(value: Any) -> dict[str, Any] | None:
    """Return a block of the protocol, a dict or an instance, as a dict."""
    blocks = blocks_of(value) if isinstance(value, BaseModel) else block_dict(value)
    return blocks[0] if blocks else None


def _completed(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Add what a result may leave out: whether it is an error, and words for what it shows."""
    completed = {key: value for key, value in payload.items() if value is not None}
    completed.setdefault("isError", False)
    completed["content"] = [_block(block) or block for block in completed.get("content", ())]
    if not completed["content"]:
        text = "null" if not completed["isError"] else ""
        if "structuredContent" in completed:
            text = write(completed["structuredContent"])[0].decode()
        completed["content"] = [{"type": "text", "text": text}]
    return completed


def _protocol_result(value: BaseModel) -> dict[str, Any] | None:
    # The SDK may not be loaded: its class is recognised by its name.
    if type(value).__name__ != "CallToolResult":
        return None
    dumped = value.model_dump(mode="json", by_alias=True)
    blocks = [
        {key: item for key, item in block.items() if item is not None}
        for block in dumped.get("content") or ()
    ]
    extras = {key: dumped[key] for key in ("structuredContent", "_meta") if key in dumped}
    return _completed({"content": blocks, "isError": bool(dumped.get("isError")), **extras})


def checked_result(result: Result) -> Result:
    """Check a result that an author built by hand. Raises `ResultError`."""
    if not result.meta and result.content and all(map(_is_plain_text, result.content)):
        return result  # jsonschema takes longer to import than most programs run
    try:
        validate(json.loads(write(result.to_mcp())[0]))
    except (ValueError, TypeError) as error:
        raise ResultError(f"the content is not valid: {error}") from error
    return result


def _is_plain_text(block: Mapping[str, Any]) -> bool:
    text = block.get("text")
    return (
        len(block) == 2 and block.get("type") == "text" and isinstance(text, str) and is_utf8(text)
    )


def structured_forms(made: Result, *, boxed: bool) -> Iterator[Any]:
    """Yield the JSON values that a finished result may mean, the most likely first.

    Where a tool publishes an output schema, clients refuse a result without structured content. If
    an author gave none, it is the JSON in the text, or that in a box, or the whole.
    """
    if has_body(made):
        value = json_value(made)
        yield value
        if boxed and is_object(value) and value.keys() == {"result"}:
            yield value["result"]
    else:
        body: Any = made.text
        with contextlib.suppress(ValueError):
            body = strict_json(made.text)
        yield body
        yield {"result": body}
    if is_object(made.value):
        yield made.value  # a type of the author's own may be declared for whole results


def canonical(
    payload: Mapping[str, Any], repairs: tuple[Repair, ...], cap: Cap | None = None
) -> Result:
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
    if cap is not None:
        cap.check_binary(sum(size_of(block) for block in blocks))
        blocks = cap.blocks(blocks)
    return written(
        data,
        to_json(data["structuredContent"]) if shows else None,
        blocks=blocks,
        shows_body=shows,
        boxed="" if isinstance(data.get("structuredContent"), dict) else "old",
        error=CallError(text) if data["isError"] else None,
        repairs=repairs,
        meta=data.get("_meta"),
    )
