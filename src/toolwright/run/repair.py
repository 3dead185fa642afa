"""Repair arguments, only after strict validation failed and directed by the declared type.

A value that some arm of its declared type accepts by its JSON type is never touched. Every change
is recorded.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from ..results import Repair
from ..schema.walk import is_list, is_node
from .shape import Shape, kind_of
from .words import show, where

MOST_TEXT = 200_000
MOST_DEPTH = 60
NOISE = frozenset(("toolCallId", "tool_call_id", "sessionId", "_meta"))
"""Keys that some clients add to the arguments of every call."""

_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))
_FENCE = re.compile(r"\A\s*```[\w-]*\s*\n?(.*?)\n?\s*```\s*\Z", re.DOTALL)
# A string, which stays as it is, or a comma before a closing bracket, which goes.
_TRAILING_COMMA = re.compile(r"(\"(?:[^\"\\]|\\.)*\")|,(?=\s*[\]}])", re.DOTALL)
_NUMBER = re.compile(r"\s*[+-]?\d+(\.\d+)?([eE][+-]?\d+)?\s*")
_BEGINNINGS = frozenset("[{(\"'`+-.0123456789tfnTFN")
_UNCHANGED: Any = object()
_ABSENT: Any = object()


class Repairer:
    """Repairs one set of arguments and remembers what it did."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.done: list[Repair] = []

    def without_noise(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments without what some clients add to every call."""
        root = self.shape.root
        known: dict[str, Any] = root.get("properties", {})
        if root.get("additionalProperties") is not False:
            return data
        noise = [key for key in data if key in NOISE and key not in known]
        for key in noise:
            self._note((key,), "noise", f"`{key}` is not an argument; left out")
        return {key: value for key, value in data.items() if key not in noise}

    def arguments(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments, repaired where they can be."""
        root = self.shape.root
        known: dict[str, Any] = root.get("properties", {})
        required = frozenset(root.get("required", ()))
        made: dict[str, Any] = {}
        for key, value in self.without_noise(data).items():
            node = known.get(key, root.get("additionalProperties"))
            fixed = self._value(value, node, (key,), optional=key in known and key not in required)
            if fixed is not _ABSENT:
                made[key] = fixed
        return made

    def _note(self, path: tuple[str | int, ...], code: str, text: str) -> None:
        self.done.append(Repair(path, code, text))

    def _value(
        self, value: Any, node: Any, path: tuple[str | int, ...], *, optional: bool = False
    ) -> Any:
        if not is_node(node):
            return value
        kinds = self.shape.kinds(node)
        if not kinds:
            return value
        if kind_of(value) in kinds:
            return self._inside(value, node, path)
        if optional and _means_absent(value, kinds):
            self._note(path, "absent", f"{where(path)}: {show(value)} read as absent")
            return _ABSENT
        fixed = self._convert(value, kinds, node, path)
        if fixed is _UNCHANGED:
            return value
        return fixed

    def _inside(self, value: Any, node: Any, path: tuple[str | int, ...]) -> Any:
        """Look inside a value that is of the right JSON type."""
        if isinstance(value, str):
            return self._choice(value, node, path)
        if is_list(value):
            return [
                self._value(item, self.shape.child(node, at), (*path, at))
                for at, item in enumerate(value)
            ]
        if is_node(value):
            return self._object(value, node, path)
        return value

    def _object(self, value: dict[str, Any], node: Any, path: tuple[str | int, ...]) -> Any:
        arm = self.shape.object_for(node, value)
        if arm is None:
            return value
        known: dict[str, Any] = arm.get("properties", {})
        made: dict[str, Any] = {}
        for key, item in value.items():
            optional = key in known and key not in arm.get("required", ())
            inner = self.shape.child(arm, key)
            fixed = self._value(item, inner, (*path, key), optional=optional)
            if fixed is not _ABSENT:
                made[key] = fixed
        return made

    def _choice(self, value: str, node: Any, path: tuple[str | int, ...]) -> Any:
        """Read a string as one of the listed values: by case, or by a member's name."""
        values = self.shape.values(node)
        if values is None or value in values:
            return value
        near = self._named(value, node, [each for each in values if isinstance(each, str)])
        if near is _UNCHANGED:
            return value
        return self._read(path, "choice", value, near)

    def _named(self, text: str, node: Any, values: list[str]) -> Any:
        """Return the one value that a text names: as a member, or but for its case."""
        members = self.shape.members(node)
        if text in members:
            return members[text]
        folded = text.strip().casefold()
        near = [each for each in values if each.casefold() == folded]
        if len(near) != 1:
            near = [each for name, each in members.items() if name.casefold() == folded]
        return near[0] if len(near) == 1 else _UNCHANGED

    def _convert(
        self, value: Any, kinds: frozenset[str], node: Any, path: tuple[str | int, ...]
    ) -> Any:
        """Read a value of the wrong JSON type as one of the right type, if that is plain."""
        if isinstance(value, float) and "integer" in kinds and value.is_integer():
            return self._read(path, "integer", value, int(value))
        if isinstance(value, str):
            fixed = self._text(value, kinds, node, path)
            if fixed is not _UNCHANGED:
                return fixed
        if "array" in kinds and not is_list(value) and value is not None:
            before = len(self.done)
            item = self._value(value, self.shape.child(node, 0), (*path, 0))
            if not self._fits(item, self.shape.child(node, 0)):
                del self.done[before:]
                return _UNCHANGED
            return self._read(path, "list", value, [item])
        return _UNCHANGED

    def _fits(self, value: Any, node: Any) -> bool:
        kinds = self.shape.kinds(node) if is_node(node) else frozenset[str]()
        return not kinds or kind_of(value) in kinds

    def _text(
        self, text: str, kinds: frozenset[str], node: Any, path: tuple[str | int, ...]
    ) -> Any:
        folded = text.strip().casefold()
        if "boolean" in kinds and folded in _TRUE | _FALSE and not kinds & {"integer", "number"}:
            return self._read(path, "boolean", text, folded in _TRUE)
        near = self._named(text, node, [])
        if near is not _UNCHANGED:
            return self._read(path, "choice", text, near)
        decoded = _decode(text)
        if isinstance(decoded, float) and "number" not in kinds and decoded.is_integer():
            decoded = int(decoded)
        if decoded is _UNCHANGED or kind_of(decoded) not in kinds:
            return _UNCHANGED
        self._note(path, "json", f"{where(path)}: text read as {kind_of(decoded)}")
        return self._inside(decoded, node, path)

    def _read(self, path: tuple[str | int, ...], code: str, before: Any, after: Any) -> Any:
        self._note(path, code, f"{where(path)}: {show(before)} read as {show(after)}")
        return after


def _means_absent(value: Any, kinds: frozenset[str]) -> bool:
    if value is None:
        return True
    return (
        isinstance(value, str) and "string" not in kinds and value.strip() in ("", "null", "None")
    )


def _decode(text: str) -> Any:
    """Read JSON in a string: also fenced, encoded twice, with trailing commas, or as Python."""
    for _ in range(3):
        if text.lstrip()[:1] not in _BEGINNINGS:
            return _UNCHANGED
        if len(text) > MOST_TEXT or _depth(text) > MOST_DEPTH:
            return _UNCHANGED
        fenced = _FENCE.match(text)
        if fenced:
            text = fenced[1]
        decoded = _loads(text)
        if not isinstance(decoded, str):
            return decoded
        text = decoded
    return _UNCHANGED


def _loads(text: str) -> Any:
    if _NUMBER.fullmatch(text) and len(text) > 4000:
        return _UNCHANGED
    for candidate in (text, _TRAILING_COMMA.sub(lambda found: found[1] or "", text)):
        try:
            return _DECODER.decode(candidate)
        except ValueError:
            continue
    if text.strip()[:1] not in tuple("[{(TFN'\""):
        return _UNCHANGED
    try:
        value = ast.literal_eval(text.strip())
        return json.loads(json.dumps(value, allow_nan=False))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return _UNCHANGED


def _refuse(constant: str) -> Any:
    msg = f"{constant} is not JSON"
    raise ValueError(msg)


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _depth(text: str) -> int:
    """Return how deep the brackets of a text may nest, at most."""
    deepest = depth = 0
    for char in text:
        if char in "[{(":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]})":
            depth -= 1
    return deepest
