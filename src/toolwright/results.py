"""What came of a call: always valid, never empty, never null.

The contract is `tool_result.v1.schema.json`, shipped beside this file.
"""

# The functions behind the class belong to it: the rest of the package has no need of its insides.
# ruff: noqa: SLF001
# pyright: reportPrivateUsage=false

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic_core import PydanticSerializationError, to_json

from ._door import public
from ._json_values import compact_json
from ._protocol import LATEST_PROTOCOL, STATELESS_SINCE
from .errors import CallError

__all__ = [
    "Repair",
    "Result",
    "build_result",
    "get_schema_path",
    "get_validator",
    "is_canonical",
    "parse",
    "validate",
]

_KEYS = frozenset(("content", "isError", "structuredContent", "_meta"))
_BLOCK_TYPES = frozenset(("text", "image", "audio", "resource_link", "resource"))


class Repair(NamedTuple):
    """One change made to the arguments: where, what kind, and what it did, in words."""

    path: tuple[str | int, ...]
    code: str
    text: str


@public
class Result:
    """What came of one call.

    `value` is the Python value (of an error, it raises that error); `content` the blocks for a
    model; `structured` the JSON value, where there is one.

    A tool or hook that builds one gives a value that JSON can hold, `blocks` to show in its place,
    or both: then the value is the structured content.
    """

    __slots__ = (
        "_blocks",
        "_body",
        "_boxed",
        "_is_text",
        "_shows_body",
        "_value",
        "error",
        "meta",
        "repairs",
    )

    def __init__(
        self,
        value: Any = None,
        *,
        blocks: Sequence[Mapping[str, Any]] | None = None,
        error: CallError | None = None,
        repairs: tuple[Repair, ...] = (),
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        has_value = value is not None or blocks is None
        self._value = value
        self._body = _json_of(value) if has_value and error is None else None
        self._blocks = blocks
        self._is_text = isinstance(value, str)
        """Whether the value is text: then its JSON is that text, quoted."""
        self._shows_body = value is not None and not self._is_text and error is None
        """Whether structured content is sent."""
        self._boxed = "" if isinstance(value, dict) else "old"
        """Which clients get it boxed: none, `"old"` ones, or `"all"`."""
        self.error = error
        """What went wrong; None if the call succeeded."""
        self.repairs = repairs
        """What was changed in the arguments before they were accepted."""
        self.meta = meta
        """Notes about the call, sent as `_meta`; None without any."""

    def __repr__(self) -> str:
        return f"<Result {'error: ' if self.is_error else ''}{self.text[:60]!r}>"

    @property
    def is_error(self) -> bool:
        """Whether the call failed."""
        return self.error is not None

    @property
    def value(self) -> Any:
        """The Python value. Raises the error of a failed call."""
        if self.error is not None:
            raise self.error
        return self._value

    @property
    def content(self) -> list[dict[str, Any]]:
        """The content blocks; there is always at least one."""
        if self._blocks is not None:
            return [dict(block) for block in self._blocks]
        body = self._body or b"null"
        return [{"type": "text", "text": json.loads(body) if self._is_text else body.decode()}]

    @property
    def text(self) -> str:
        """All text of the content."""
        return "\n".join(block["text"] for block in self.content if block["type"] == "text")

    @property
    def structured(self) -> Any:
        """The value as JSON sees it; None if no structured content is sent."""
        return json.loads(self._body) if self._shows_body and self._body is not None else None

    def to_mcp(self, protocol: str = LATEST_PROTOCOL) -> dict[str, Any]:
        """Return the result as clients of a protocol version get it."""
        return json.loads(self.to_mcp_json(protocol))

    def to_mcp_json(self, protocol: str = LATEST_PROTOCOL) -> bytes:
        """Return the result as clients of a protocol version get it, as JSON."""
        body = self._body
        if self._blocks is None and body is not None:
            text = body if self._is_text else _quoted(body)
        else:
            text = _only_text(self._blocks)
        if text is not None:
            parts = [b'{"content":[{"type":"text","text":', text, b"}]"]
        else:
            parts = [b'{"content":', compact_json(self.content)]
        if self._shows_body and body is not None:
            box = self._boxed == "all" or (self._boxed == "old" and protocol < STATELESS_SINCE)
            parts += [b',"structuredContent":', b'{"result":' + body + b"}" if box else body]
        parts.append(b',"isError":true' if self.error is not None else b',"isError":false')
        if self.meta:
            parts += [b',"_meta":', compact_json(self.meta)]
        parts.append(b"}")
        return b"".join(parts)


def _json_of(value: Any) -> bytes:
    """Write a value that an author gave. Raises `TypeError` or `ValueError`."""
    try:
        return compact_json(value)
    except TypeError:  # a model, a date, or what cannot be written at all
        pass
    except (ValueError, RecursionError):  # NaN, an integer with too many digits, a cycle
        msg = "a Result needs a value that JSON can hold: finite, not too long, not too deep"
        raise ValueError(msg) from None
    try:
        return to_json(value)
    except PydanticSerializationError:
        kind = type(value).__name__
        msg = f"a Result of a {kind} needs `blocks`: it cannot be written as JSON"
        raise TypeError(msg) from None


def _quoted(body: bytes) -> bytes:
    """Write JSON as a JSON string."""
    return to_json(body.decode())


def _only_text(blocks: Any) -> bytes | None:
    """Return the text of blocks that are nothing but one text, as JSON; None for other blocks.

    Errors are such blocks, and Python's own encoder takes five times as long for them.
    """
    if blocks.__class__ is not list or len(blocks) != 1:
        return None
    block = blocks[0]
    if block.__class__ is not dict or len(block) != 2 or block.get("type") != "text":
        return None
    text = block.get("text")
    if text.__class__ is not str:
        return None
    try:
        return to_json(text)
    except PydanticSerializationError:  # a lone surrogate
        return None


# -- what other modules of the package need of a result, and users do not


def written(
    value: Any,
    body: bytes | None,
    blocks: Sequence[Mapping[str, Any]] | None = None,
    is_text: bool = False,  # noqa: FBT001, FBT002
    shows_body: bool = False,  # noqa: FBT001, FBT002
    boxed: str = "",
    repairs: tuple[Repair, ...] = (),
    error: CallError | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Result:
    """Return a result whose JSON is written already, or that shows blocks only."""
    result = Result.__new__(Result)
    result._value = value
    result._body = body
    result._blocks = blocks
    result._is_text = is_text
    result._shows_body = shows_body
    result._boxed = boxed
    result.error = error
    result.repairs = repairs
    result.meta = meta
    return result


class Sending(NamedTuple):
    """How the value of a result is sent."""

    shows_body: bool
    """Whether structured content is sent."""
    boxed: str
    """Which clients get it boxed: none, `"old"` ones, or `"all"`."""


def sending(result: Result) -> Sending:
    """Return how the value of a result is sent."""
    return Sending(result._shows_body, result._boxed)


def send_as(result: Result, how: Sending) -> None:
    """Change how the value of a result is sent."""
    result._shows_body, result._boxed = how


def holds_text(result: Result) -> bool:
    """Return whether the value of a result is text."""
    return result._is_text


def json_value(result: Result) -> Any:
    """Return the value as JSON sees it, whether structured content is sent or not."""
    return None if result._body is None else json.loads(result._body)


def has_body(result: Result) -> bool:
    """Return whether there is a JSON value, whether it is sent as structured content or not."""
    return result._body is not None


def size_of(result: Result) -> int:
    """Return about how many bytes it takes to send a result once."""
    size = len(result._body or b"")
    for block in result._blocks or ():
        size += sum(len(text) for text in block.values() if isinstance(text, str))
    return size


def show(result: Result, body: bytes) -> None:
    """Send this JSON as structured content, beside the same blocks."""
    result._blocks = result.content
    result._body, result._shows_body = body, True


def show_blocks(result: Result, blocks: Sequence[Mapping[str, Any]]) -> None:
    """Send these blocks."""
    result._blocks = blocks


def with_value(result: Result, value: Any) -> Result:
    """Return a copy that has another Python value, but sends the same."""
    copied = copy.copy(result)
    copied._value = value
    return copied


def with_note(result: Result, key: str, value: Any) -> Result:
    """Return a copy that has one more note in its `_meta`."""
    copied = copy.copy(result)
    copied.meta = {**(result.meta or {}), key: value}
    return copied


def replace_notice(result: Result, notice: str) -> None:
    """Replace the notice after content that was cut, or add one."""
    blocks = list(result._blocks or result.content)
    if str(blocks[-1].get("text", "")).startswith("[cut: "):
        blocks.pop()
    result._blocks = [*blocks, {"type": "text", "text": notice}]


# -- the contract


def get_schema_path() -> Path:
    """Return the path of the contract's JSON Schema."""
    return Path(__file__).with_name("tool_result.v1.schema.json")


@functools.cache
def get_validator() -> Any:
    """Return a `jsonschema` validator of the contract."""
    import jsonschema

    return jsonschema.Draft202012Validator(json.loads(get_schema_path().read_text("utf-8")))


def validate(payload: Any) -> None:
    """Check a payload against the contract. Raises `ValueError` with the place and the reason."""
    for error in get_validator().iter_errors(payload):
        place = "/".join(str(step) for step in error.absolute_path) or "the root"
        msg = f"not a tool result: {error.message} at {place}"
        raise ValueError(msg)


def build_result(text: str, is_error: bool = False) -> dict[str, Any]:  # noqa: FBT001, FBT002
    """Build a result of one text.

    >>> build_result("done")
    {'content': [{'type': 'text', 'text': 'done'}], 'isError': False}
    """
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def is_canonical(value: Any) -> bool:
    """Return whether a value is a tool result already: exactly its keys, and real blocks."""
    if not isinstance(value, Mapping):
        return False
    payload = cast("Mapping[str, Any]", value)
    if not {"content", "isError"} <= payload.keys() <= _KEYS:
        return False
    blocks: Any = payload["content"]
    return (
        isinstance(payload["isError"], bool)
        and isinstance(blocks, list)
        and len(cast("list[Any]", blocks)) > 0
        and all(is_block(block) for block in cast("list[Any]", blocks))
    )


def is_block(value: Any) -> bool:
    """Return whether a value is a content block."""
    if not isinstance(value, Mapping):
        return False
    block = cast("Mapping[str, Any]", value)
    kind = block.get("type")
    return isinstance(kind, str) and kind in _BLOCK_TYPES and len(block) > 1


def parse(payload: Any) -> Any:
    """Return the JSON value in a result, or in its text; text that is not JSON is returned as it is.

    >>> parse(build_result('{"a": 1}'))
    {'a': 1}
    """
    if isinstance(payload, str | bytes):
        payload = json.loads(payload)
    validate(payload)
    if "structuredContent" in payload:
        return payload["structuredContent"]
    text = "\n".join(block["text"] for block in payload["content"] if block["type"] == "text")
    try:
        return json.loads(text)
    except ValueError:
        return text
