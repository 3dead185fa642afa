"""Words of messages: nearest names, cut texts, counts, paths, values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

_ENCODE = json.JSONEncoder(ensure_ascii=False, default=str).encode
_MOST_BITS = 14_000
"""Python writes no integer of more than 4300 digits."""
_LINE_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST_GUESS = 128
"""The longest name for which the nearest known one is looked for: long ones take long."""


def nearest(name: str, known: Iterable[str], least: float = 0.6) -> str:
    """Return the nearest of the known names; empty if none is near enough."""
    if len(name) > _LONGEST_GUESS:
        return ""
    import difflib  # only mistakes pay for it

    return next(iter(difflib.get_close_matches(name, list(known), 1, least)), "")


def did_you_mean(name: str, known: Iterable[str], form: str = "{}", least: float = 0.6) -> str:
    """Return a question with the nearest of the known names; empty if none is near enough."""
    near = nearest(name, known, least)
    return form.replace("{}", f"did you mean `{near}`?") if near else ""


def count_of(number: int, noun: str) -> str:
    """Write a number and what is counted: `1 tool`, `2,000 tools`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def truncate(text: str, most: int) -> str:
    """Cut a text, and keep it on its line."""
    cut = text if len(text) <= most else f"{text[: most - 3]}..."
    return _LINE_BREAKS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", cut)


def one_line(text: str, most: int = 0) -> str:
    """Return a text with each gap in it as one space, cut if it is longer than `most`."""
    line = " ".join((text[: 4 * most] if most else text).split())
    return truncate(line, most) if most else line


def first_line(text: str) -> str:
    """Return the first line of a text, without the space around it."""
    return text.strip().partition("\n")[0].rstrip()


def path_text(path: tuple[str | int, ...]) -> str:
    """Write a path: `` `orders[0].sku` ``."""
    text = ""
    for step in path:
        name = f"[{step}]" if isinstance(step, int) else truncate(step, 60)
        text += name if isinstance(step, int) or not text else f".{name}"
    return f"`{text}`" if text else "the arguments"


def value_text(value: Any, most: int = 60) -> str:
    """Write a value as JSON, cut if it is long; only the beginning of a long one is looked at."""
    text = ""
    for piece in _pieces(value, most):
        text += piece
        if len(text) > most:
            break
    return truncate(text, most)


def _pieces(value: Any, most: int) -> Iterator[str]:
    if isinstance(value, str):
        yield _ENCODE(value[: most + 1])
    elif isinstance(value, dict):
        yield "{"
        for index, (key, item) in enumerate(cast("dict[Any, Any]", value).items()):
            yield f"{', ' if index else ''}{_ENCODE(str(key)[: most + 1])}: "
            yield from _pieces(item, most)
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for index, item in enumerate(cast("list[Any]", value)):
            if index:
                yield ", "
            yield from _pieces(item, most)
        yield "]"
    elif isinstance(value, int) and value.bit_length() > _MOST_BITS:
        yield f"an integer of {value.bit_length()} bits"
    else:
        yield _ENCODE(value)
