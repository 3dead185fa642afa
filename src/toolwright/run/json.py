"""Write any Python value as JSON that is really JSON, or say why not."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel
from pydantic_core import to_json

from ..content import Content, convert
from ..errors import ResultError
from ..results import Result, is_block
from ..schema.walk import is_list, is_node

_HUGE = re.compile(rb"\d{4301,}")
_NEEDED: Mapping[str, frozenset[str]] = {
    "text": frozenset(("text",)),
    "image": frozenset(("data", "mimeType")),
    "audio": frozenset(("data", "mimeType")),
    "resource": frozenset(("resource",)),
    "resource_link": frozenset(("uri", "name")),
}


def write(value: Any) -> tuple[bytes, list[dict[str, Any]]]:
    """Write a value; return its JSON and the content found inside it, as blocks.

    Raises `ResultError`.
    """
    lifted: list[dict[str, Any]] = []

    def fallback(unknown: Any) -> Any:
        blocks = blocks_of(unknown)
        if blocks is None:
            return convert(unknown)
        lifted.extend(blocks)
        return f"[{blocks[0]['type']} {len(lifted)}]"

    try:
        body = to_json(
            value, by_alias=True, bytes_mode="base64", inf_nan_mode="constants", fallback=fallback
        )
    except Exception as error:
        text = str(error)
        if "surrogates" in text and (cleaned := without_surrogates(value)) is not value:
            return write(cleaned)
        reason = text.split("\n", 1)[0].rsplit("Error: ", 1)[-1].removesuffix(" (id repeated)")
        reason = reason.removeprefix("Error serializing to JSON: ")
        raise ResultError(f"the result cannot be written as JSON: {reason}") from error
    if (b"NaN" in body or b"Infinity" in body) and not _is_json(body):
        raise ResultError("the result holds a number that is not finite")
    check_digits(body)
    return body, lifted


def check_digits(body: bytes) -> None:
    """Refuse integers that readers of JSON refuse. Raises `ResultError`."""
    if len(body) > 4300 and _HUGE.search(body):
        raise ResultError("the result holds an integer of more than 4300 digits")


def blocks_of(value: Any) -> list[dict[str, Any]] | None:
    """Return content blocks of content: ours, the protocol's own types, or their dicts."""
    if isinstance(value, Content):
        return [value.block()]
    if isinstance(value, Result):
        return value.content
    if isinstance(value, BaseModel):
        dumped = _protocol_block(value)
        return None if dumped is None else [dumped]
    if is_node(value):
        known = is_block(value) and _NEEDED[value["type"]] <= value.keys()
        return [dict(value)] if known else None
    if type(value).__module__.split(".", 1)[0] in ("PIL", "matplotlib"):
        made = convert(value)
        return [made.block()] if isinstance(made, Content) else None
    return None


def _protocol_block(value: BaseModel) -> dict[str, Any] | None:
    if type(value).__module__.split(".", 1)[0] not in ("mcp", "mcp_types"):
        return None
    dumped = value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return dumped if is_block(dumped) else None


def not_finite(value: Any, place: str) -> str:
    """Return the place of a number that is not finite; empty if there is none."""
    if isinstance(value, float):
        return "" if math.isfinite(value) else place
    if isinstance(value, Mapping):
        named = cast("Mapping[Any, Any]", value)
        items = [(f"{place}.{key}", item) for key, item in named.items()]
    elif isinstance(value, list | tuple | set | frozenset):
        items = [(f"{place}[{at}]", item) for at, item in enumerate(cast("Any", value))]
    else:
        held: dict[str, Any] = getattr(value, "__dict__", None) or {}
        items = [(f"{place}.{key}", item) for key, item in held.items()]
    return next((found for where, item in items if (found := not_finite(item, where))), "")


def _is_json(body: bytes) -> bool:
    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        json.loads(body, parse_constant=refuse)
    except ValueError:
        return False
    return True


def without_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which UTF-8 cannot hold, by the replacement character."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
        return value
    if isinstance(value, Mapping):
        named = cast("Mapping[Any, Any]", value)
        return {without_surrogates(key): without_surrogates(item) for key, item in named.items()}
    if is_list(value) or isinstance(value, tuple | set | frozenset):
        return [without_surrogates(item) for item in cast("Any", value)]
    if isinstance(value, BaseModel):
        return without_surrogates(dict(value))
    return value


__all__ = [
    "blocks_of",
    "check_digits",
    "not_finite",
    "without_surrogates",
    "write",
]
