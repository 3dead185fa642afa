"""Read JSON from text, even fenced, encoded twice, or Python literals.

Every step takes linear time: each pattern matches wherever it can begin, so no character is
looked at from more than one place, and nothing is tried in two ways.
"""

from __future__ import annotations

import json
import re
import string
from typing import Any

from .._json_values import strict_json

MOST_TEXT = 200_000
"""The longest text that is decoded, in characters."""
_MOST_SCALAR = 4000
"""The longest number or word, in characters: Python converts 4300 digits, in quadratic time."""
_MOST_DEPTH = 60
UNREADABLE: Any = object()
NO_VALUE = ("", "null", "None")
"""Texts that models send for nothing at all."""

_BEGINNINGS = frozenset("[{(\"'`+-.0123456789tfnTFN")
_CONTAINERS = frozenset("[{(\"'")
_PYTHON_BEGINNINGS = frozenset("[{(TFN'\"")
# Byte order marks and the like, which no reader sees and no JSON begins with.
_UNSEEN = f"{string.whitespace}\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"
# JSON, also in the quotes or brackets of Python and Markdown; an apostrophe may begin a word.
_JSON_BEGINNING = re.compile(r"""["\[{]|```|[('`]+\s*+["\[{]|\(\s*+'""")
# What stands between items: every comma and semicolon of Unicode, and the ends of lines.
_SEPARATOR = re.compile(
    r"[,;\u055d\u060c\u061b\u07f8\u1363\u1364\u1802\u1808\u204f\u2e32\u2e34\u2e35\u2e41"
    r"\u2e49\u2e4c\u3001\ua4fe\ua60d\ua6f5\ua6f6\ufe10\ufe11\ufe14\ufe50\ufe51\ufe54\uff0c"
    r"\uff1b\uff64\U0001144d\U0001145a\U00016e97\U0001da87\U0001da89"
    r"\n\r\v\f\x1c-\x1e\x85\u2028\u2029]"
)
_BRACKET = re.compile(r"[\[{(\]})]")
# A string, which is kept, closed or not; or a comma before a closing bracket, which is dropped.
_TRAILING_COMMA = re.compile(r'("(?:[^"\\]++|\\.)*+"?+)|,(?=\s*+[\]}])', re.DOTALL)
_PYTHON_TOKEN = re.compile(
    r"""(?P<text>"(?P<double>(?:[^"\\\r\n]++|\\.)*+)(?:"|(?P<open_double>))
               |'(?P<single>(?:[^'\\\r\n]++|\\.)*+)(?:'|(?P<open_single>)))
      | (?P<word>[A-Za-z_]\w*+|-?[0-9][\w.+-]*+)(?P<colon>\s*+:)?+
      | (?P<round>[()])""",
    re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ESCAPES = {
    **dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)),
    **{each: each for each in "\\'\""},
    "\n": "",
}
_CONSTANTS = {"True": "true", "False": "false", "None": "null"}


def decode(text: str) -> Any:
    """Return the value that a text holds as JSON or as a Python literal, or `UNREADABLE`."""
    for _ in range(3):
        if len(text) > MOST_TEXT:
            return UNREADABLE
        text = text.strip().strip(_UNSEEN)
        if text[:1] not in _BEGINNINGS or _is_deep(text):
            return UNREADABLE
        decoded = _loads(_unfenced(text))
        if not isinstance(decoded, str):
            return decoded
        text = decoded
    return UNREADABLE


def begins_like_json(text: str) -> bool:
    """Return whether a text begins as JSON does: a list, an object, a string or a fence."""
    return _JSON_BEGINNING.match(text.lstrip().lstrip(_UNSEEN)) is not None


def may_be_several(text: str) -> bool:
    """Return whether a text may stand for several items of a list, or for none.

    `a, b` is one item or two, JSON that was cut has lost some, and `null` is no list.
    """
    return begins_like_json(text) or _SEPARATOR.search(text) is not None or text.strip() in NO_VALUE


def _unfenced(text: str) -> str:
    """Return the text between code fences, without the name of a language."""
    if len(text) < 6 or not text.startswith("```") or not text.endswith("```"):
        return text
    fenced = text[3:-3]
    first, _, body = fenced.partition("\n")
    words = first.split(None, 1)
    if words and not first[0].isspace() and words[0].replace("-", "_").isidentifier():
        fenced = " ".join(words[1:]) + "\n" + body
    return fenced.strip()


def _loads(text: str) -> Any:
    if len(text) > _MOST_SCALAR and text[0] not in _CONTAINERS:
        return UNREADABLE
    for rewritten in (str, _without_trailing_commas):
        try:
            return strict_json(rewritten(text))
        except ValueError:
            continue
    if text[:1] not in _PYTHON_BEGINNINGS:
        return UNREADABLE
    try:
        translated = _PYTHON_TOKEN.sub(_translated, text)
        return strict_json(_without_trailing_commas(translated))
    except (ValueError, OverflowError):
        return UNREADABLE


def _without_trailing_commas(text: str) -> str:
    return _TRAILING_COMMA.sub(lambda found: found[1] or "", text)


def _translated(found: re.Match[str]) -> str:
    """Return a Python token as JSON. Raises `ValueError` for a string that is not closed."""
    if found["round"]:
        return "[" if found["round"] == "(" else "]"
    if found["text"]:
        if found["open_double"] is not None or found["open_single"] is not None:
            raise ValueError
        return json.dumps(_ESCAPE.sub(_unescaped, found["double"] or found["single"] or ""))
    word = _CONSTANTS.get(found["word"], found["word"])
    # Python allows keys of other types; JSON does not.
    return word if found["colon"] is None else f'"{word}":'


def _unescaped(found: re.Match[str]) -> str:
    """Return what a Python escape stands for. Raises `ValueError` if there is no such character."""
    if found[5]:
        return _ESCAPES.get(found[5], found[0])
    if found[4]:
        return chr(int(found[4], 8))
    return chr(int(found[1] or found[2] or found[3], 16))


def _is_deep(text: str) -> bool:
    """Return whether the brackets of a text may nest too deeply; those in strings count as well."""
    if len(text) <= _MOST_DEPTH or sum(text.count(bracket) for bracket in "[{(") <= _MOST_DEPTH:
        return False
    depth = 0
    for bracket in _BRACKET.finditer(text):
        depth += 1 if bracket[0] in "[{(" else -1
        if depth > _MOST_DEPTH:
            return True
    return False
