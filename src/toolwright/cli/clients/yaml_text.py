"""Edits one entry of a YAML mapping; every other line stays.

PyYAML finds where things are; what is written is text. Each edit is read back: a file that would
then hold anything but the old values and the one entry is refused.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..._json_values import is_list, is_object
from ..usage import UsageError

if TYPE_CHECKING:
    import yaml

_MOST = 1_000_000
"""Characters; nobody has settings this long, and PyYAML would take seconds to read them."""
_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*+")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_Pair = tuple[Any, Any]


def read(text: str) -> Any:
    """Return the value of a document; one with nothing in it is an empty mapping."""
    if not text.strip():
        return {}
    value = _checked(lambda: _yaml().safe_load(text), text)
    return {} if value is None else value


def put(text: str, path: Sequence[str], value: Any) -> str:
    """Return the document with an entry in the mapping that the first key names."""
    mark, text = _without_mark(text)
    top, name = path
    before = read(text)
    servers = before.get(top)
    if servers is not None and not is_object(servers):
        msg = f"{top} is not a mapping"
        raise ValueError(msg)
    expected = {**before, top: {**(servers or {}), name: value}}
    if before == expected:
        return mark + text
    return mark + _verified(_Document(text).put(top, name, value), expected)


def drop(text: str, path: Sequence[str]) -> str:
    """Return the document without an entry, and without its lines."""
    mark, text = _without_mark(text)
    top, name = path
    before = read(text)
    servers = before.get(top)
    if not is_object(servers) or name not in servers:
        return mark + text
    expected = {**before, top: {key: servers[key] for key in servers if key != name}}
    return mark + _verified(_Document(text).drop(top, name), expected)


def _yaml() -> Any:
    try:
        return importlib.import_module("yaml")
    except ImportError as error:
        raise UsageError(
            "these settings are YAML, which needs PyYAML: pip install 'toolwright[yaml]'"
        ) from error


def _without_mark(text: str) -> tuple[str, str]:
    return ("\ufeff", text[1:]) if text.startswith("\ufeff") else ("", text)


def _checked(work: Callable[[], Any], text: str) -> Any:
    """Read a text; put PyYAML's message on one line. Raises `ValueError`."""
    if len(text) > _MOST:
        msg = "it is too large"
        raise ValueError(msg)
    try:
        return work()
    except RecursionError:
        msg = "it is nested too deeply"
        raise ValueError(msg) from None
    except _yaml().YAMLError as error:
        at = getattr(error, "problem_mark", None)
        where = f"line {at.line + 1}, column {at.column + 1}: " if at is not None else ""
        raise ValueError(f"{where}{getattr(error, 'problem', None) or 'not YAML'}") from error
    except ValueError as error:  # an impossible date
        raise ValueError(f"it cannot be read: {error}") from error


def _verified(text: str, expected: Any) -> str:
    try:
        same = read(text) == expected
    except ValueError:
        same = False
    if not same:
        msg = "it is written in a way that cannot be edited without loss: change it by hand"
        raise ValueError(msg)
    return text


class _Document:
    """A text, and the nodes of its root mapping."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.eol = "\r\n" if "\r\n" in text else "\n"
        events = _checked(lambda: list(_yaml().parse(text)), text)
        if any(type(event).__name__ == "AliasEvent" for event in events):
            # The nodes of an alias are where its anchor is: not a place to edit.
            msg = "it has anchors and aliases: change it by hand"
            raise ValueError(msg)
        self.root: yaml.MappingNode | None = _checked(lambda: _yaml().compose(text), text)

    def put(self, top: str, name: str, value: Any) -> str:
        """Return the text with an entry; see `_verified` for what this may get wrong."""
        if self.root is None or not self.root.value:
            return self._begun({top: {name: value}})
        column = self.root.start_mark.column
        found = _pair(self.root, top)
        if found is None:
            last = _end(self.root.value[-1][1])
            return self._insert_after(last, _lines({top: {name: value}}, " " * column))
        key, servers = found
        if not _is_mapping(servers) or not servers.value:
            indent = " " * (column + 2)
            return self._filled(key, servers, _lines({name: value}, indent))
        entry = _pair(servers, name)
        if servers.flow_style:
            return self._put_inline(servers, entry, name, value)
        lines = _lines({name: value}, " " * servers.value[0][0].start_mark.column)
        if entry is None:
            return self._insert_after(_end(servers.value[-1][1]), lines)
        start = self._line_start(entry[0].start_mark.index)
        return self.text[:start] + self._joined(lines) + self.text[self._after(_end(entry[1])) :]

    def _begun(self, value: Any) -> str:
        if self.root is not None:  # `{}`
            start, end = self.root.start_mark.index, self.root.end_mark.index
            return self.text[:start] + self._joined(_lines(value, "")).rstrip() + self.text[end:]
        gap = "" if not self.text or self.text.endswith("\n") else self.eol
        return self.text + gap + self._joined(_lines(value, ""))

    def _filled(self, key: Any, empty: Any, lines: list[str]) -> str:
        """Put entries where there are none: below the key, in place of `{}` or `null`."""
        colon = self.text.index(":", key.end_mark.index) + 1
        end = max(colon, empty.end_mark.index)
        if self.text[colon:end].strip() not in ("", "{}", "null", "~"):
            end = colon
        text = self.text[:colon] + self.text[end:]
        after = _line_end(text, colon)
        gap = "" if text[:after].endswith("\n") else self.eol
        return text[:after] + gap + self._joined(lines) + text[after:]

    def _put_inline(self, servers: Any, entry: _Pair | None, name: str, value: Any) -> str:
        if entry is not None:
            start, end = entry[1].start_mark.index, entry[1].end_mark.index
            return self.text[:start] + _scalar(value) + self.text[end:]
        at = servers.value[-1][1].end_mark.index
        return f"{self.text[:at]}, {_scalar(name)}: {_scalar(value)}{self.text[at:]}"

    def drop(self, top: str, name: str) -> str:
        """Return the text without an entry; see `_verified` for what this may get wrong."""
        key, servers = cast("_Pair", _pair(cast("Any", self.root), top))
        entry = cast("_Pair", _pair(servers, name))
        if servers.flow_style:
            return self._drop_inline(servers, entry)
        start, end = self._line_start(entry[0].start_mark.index), self._after(_end(entry[1]))
        text = self.text[:start] + self.text[end:]
        if len(servers.value) > 1:
            return text
        colon = text.index(":", key.end_mark.index) + 1
        return f"{text[:colon]} {{}}{text[colon:]}"

    def _drop_inline(self, servers: Any, entry: _Pair) -> str:
        pairs: list[_Pair] = servers.value
        at = pairs.index(entry)
        start, end = entry[0].start_mark.index, entry[1].end_mark.index
        if at:
            start = pairs[at - 1][1].end_mark.index
        elif len(pairs) > 1:
            end = pairs[1][0].start_mark.index
        return self.text[:start] + self.text[end:]

    def _insert_after(self, at: int, lines: list[str]) -> str:
        after = self._after(at)
        gap = "" if self.text[:after].endswith("\n") else self.eol
        return self.text[:after] + gap + self._joined(lines) + self.text[after:]

    def _joined(self, lines: list[str]) -> str:
        return "".join(line + self.eol for line in lines)

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _after(self, at: int) -> int:
        """Return where the line of a place ends; a text block ends where the next line begins."""
        return at if self.text[:at].endswith("\n") else _line_end(self.text, at)


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found + 1


def _is_mapping(node: Any) -> bool:
    return node.id == "mapping"


def _pair(mapping: Any, key: str) -> _Pair | None:
    """Return the key and the value of a member. Raises `ValueError` if it is there twice."""
    found = [pair for pair in mapping.value if pair[0].value == key]
    if len(found) > 1:
        raise ValueError(f"it has {json.dumps(key)} twice")
    return found[0] if found else None


def _end(node: Any) -> int:
    """Return where a value ends; what YAML calls its end may be after comments."""
    while node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if node.id == "mapping" else last
    return node.end_mark.index


# -- writing


def _lines(value: Any, indent: str) -> list[str]:
    """Return the lines of a mapping or a list."""
    lines: list[str] = []
    if is_list(value):
        return [f"{indent}- {_scalar(item)}" for item in value]
    for key, item in cast("dict[str, Any]", value).items():
        name = key if _is_plain(key) else _scalar(key)
        if (is_object(item) or is_list(item)) and item:
            lines += [f"{indent}{name}:", *_lines(item, indent + ("  " if is_object(item) else ""))]
        else:
            lines.append(f"{indent}{name}: {_scalar(item)}")
    return lines


def _is_plain(key: str) -> bool:
    """Return whether a key is text without quotes: not what YAML reads as a boolean or a number."""
    return bool(_PLAIN_KEY.fullmatch(key)) and _yaml().safe_load(key) == key


def _scalar(value: Any) -> str:
    """Return a value on one line: JSON is YAML, except for a few characters."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
