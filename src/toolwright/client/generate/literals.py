"""Python source for texts and values, whatever is in them.

What a server says ends up in source code: nothing in it may end a literal, hide what it is by
control or bidirectional characters, or read differently after formatting.
"""

from __future__ import annotations

import inspect
import math
import unicodedata
from typing import Any

from ..._log.printable import printable

_MOST_TEXT = 20_000
"""Characters of one description."""


def text_literal(text: str) -> str:
    """Return a string literal, in the quotes that formatters prefer.

    >>> print(text_literal('say "hi"'), text_literal("it's"))
    'say "hi"' "it's"
    """
    quote = "'" if text.count('"') > text.count("'") else '"'
    escaped = "".join(_in_literal(char, quote) for char in text)
    return f"{quote}{escaped}{quote}"


def _in_literal(char: str, quote: str) -> str:
    if char in (quote, "\\"):
        return f"\\{char}"
    # Formatters count columns: characters that take none, or a disputed number, are escaped.
    if ord(char) > 0xFFFF or unicodedata.category(char)[0] == "M":
        return _number(char)
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char) or _visible(char)


def width(text: str) -> int:
    """Return how many columns a literal takes."""
    return len(text) + sum(unicodedata.east_asian_width(char) in "WF" for char in text)


def _visible(char: str) -> str:
    """Return a character, or its escape if it cannot be seen or changes how others are seen."""
    return char if char.isprintable() else _number(char)


def _number(char: str) -> str:
    number = ord(char)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def value_literal(value: Any) -> str | None:
    """Return the literal of a plain value; None if it has none that is short and always the same."""
    if isinstance(value, str):
        literal = text_literal(value)
        return literal if width(literal) <= 60 else None
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if value.bit_length() < 128 else None
    if isinstance(value, float) and math.isfinite(value):
        return repr(value)
    return None


def one_line(text: str) -> str:
    """Return a text as one line that controls no terminal, for a docstring or a help text."""
    return harmless(" ".join(text[:_MOST_TEXT].split()))


def harmless(text: str) -> str:
    """Return a text that can be printed, and controls no terminal."""
    return printable(text).encode("utf-8", "backslashreplace").decode()


def docstring(text: str, indent: str) -> list[str]:
    """Return the lines of a docstring, in the form that formatters leave as it is."""
    lines = [_doc_line(line) for line in harmless(inspect.cleandoc(text[:_MOST_TEXT])).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    if not lines:
        return []
    if lines[0].startswith('"'):
        lines[0] = f" {lines[0]}"
    if len(lines) == 1 and not lines[0].endswith("\\"):
        before = lines[0].removesuffix('"')
        is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
        apart = " " if before != lines[0] and not is_escaped else ""
        return [f'{indent}"""{lines[0]}{apart}"""']
    further = [f"{indent}{line}" if line else "" for line in lines[1:]]
    return [f'{indent}"""{lines[0]}', *further, f'{indent}"""']


def _doc_line(line: str) -> str:
    visible = "".join("\\\\" if char == "\\" else _visible(char) for char in line.expandtabs())
    return visible.replace('"""', '\\"\\"\\"').rstrip()
