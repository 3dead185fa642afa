"""Default, choices, range and variable in an option's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_MOST_TEXT = 4_000
_MOST_CHOICES = 200
_DEFAULT = re.compile(
    r"""\(defaults?(?: to\b| is\b|: |=|:| )\s?("[^"\n]{0,300}"|[^()]{1,300})\)"""
    r"""|\[(?:[^\[\]]{0,200}; )?default: ("[^"\n]{0,300}"|[^\[\];]{1,300}|\[[^\[\]]{0,300}\])[\];]"""
)
_ENVIRONMENT = re.compile(
    r"\[(?:[^\[\]]{0,200}; )?env(?: var)?: ?`?([A-Za-z_][A-Za-z0-9_]{0,100}(?:, ?[A-Z_][A-Z0-9_]{0,100}){0,9})"
)
_REQUIRED = re.compile(r"[\[(;] ?required[\]);]", re.IGNORECASE)
_RANGE = re.compile(
    r"(?:[\[; ])(?:(?P<low>-?[0-9][0-9.]{0,20})(?P<low_sign><=?))?x"
    r"(?:(?P<sign><=?|>=?)(?P<high>-?[0-9][0-9.]{0,20}))?(?P<clamped> \(clamped\))?[\];]"
)
_POSSIBLE = re.compile(r"\[possible values: ([^\]]{1,2000})\]")
_LISTED = re.compile(r"Possible values: - ")
_LISTED_VALUE = re.compile(r"(?:^|\s)- ([^\s:]{1,100})(?=:|\s|$)")
_BRACES = re.compile(r"\{([\w.+-]{1,60}(?:[|,] ?[\w.+-]{1,60}){1,60})\}")
_BARS = re.compile(r"\(([\w.+-]{1,60}(?: ?\| ?[\w.+-]{1,60}){1,60})\)")
_QUOTED = re.compile(r"""\((["'][^"'\s]{1,60}["'](?:, | or |\|)){1,60}["'][^"'\s]{1,60}["']\)""")
_ONE_OF = re.compile(
    r"one of:? \(?([\w.+-]{1,60}(?:(?:, ?|\|)[\w.+-]{1,60}){1,60})\)?[.);]", re.IGNORECASE
)
_WORD = re.compile(r"[\w.+-]+")
_DEPRECATED = re.compile(r"[\[(]?deprecated\b", re.IGNORECASE)
_MULTIPLE = re.compile(
    r"multiple times|\b(?:can|may|could)(?: also)? be (?:\w{1,20} )?more than once"
    r"|(?:option|flag|it) more than once|(?:can|may) be repeated|repeatable|is additive"
    r"|up to \d times",
    re.IGNORECASE,
)
_BY_COMMAS = re.compile(r"\bby (?:using )?(?:commas?\b|',')|\bcomma[- ]separated\b", re.IGNORECASE)
_SUFFIX = re.compile(r"\bsuffix|\bunits?\b|%", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What a description says."""

    default: str | None = None
    is_required: bool = False
    choices: tuple[str, ...] = ()
    """Values that a parser's own help lists: there are no others."""
    hinted: tuple[str, ...] = ()
    """Values that an author mentions: there may be others."""
    environment: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    is_above: bool = False
    """Whether the minimum itself is not allowed."""
    is_below: bool = False
    clamps: bool = False
    has_range: bool = False
    is_deprecated: bool = False
    is_multiple: bool = False
    takes_suffix: bool = False
    by_commas: bool = False
    """Whether several values are one word with commas in it."""


def details_of(text: str) -> Details:
    """Read a description."""
    text = text[:_MOST_TEXT]
    default = _DEFAULT.search(text)
    environment = _ENVIRONMENT.search(text)
    ranged = _range_in(text)
    return Details(
        default=(default[1] or default[2]).strip() if default is not None else None,
        is_required=_REQUIRED.search(text) is not None,
        choices=_choices_in(text),
        hinted=_hints_in(text),
        environment=tuple(_WORD.findall(environment[1])) if environment is not None else (),
        is_deprecated=_DEPRECATED.match(text) is not None,
        is_multiple=_MULTIPLE.search(text) is not None,
        takes_suffix=_SUFFIX.search(text) is not None,
        by_commas=_BY_COMMAS.search(text) is not None,
        **ranged,
    )


def _choices_in(text: str) -> tuple[str, ...]:
    match = _POSSIBLE.search(text)
    if match is not None:
        return tuple(choice.strip() for choice in match[1].split(",")[:_MOST_CHOICES])
    listed = _LISTED.search(text)
    if listed is None:
        return ()
    values = _LISTED_VALUE.findall(text, listed.end() - 3)
    return tuple(dict.fromkeys(values[:_MOST_CHOICES]))


def _hints_in(text: str) -> tuple[str, ...]:
    for pattern in (_BRACES, _BARS, _QUOTED, _ONE_OF):
        match = pattern.search(text)
        if match is not None:
            words = [word for word in _WORD.findall(match[0]) if word.lower() not in ("one", "of")]
            words = [word for word in words if pattern is not _QUOTED or word != "or"]
            return tuple(dict.fromkeys(words[:_MOST_CHOICES])) if len(words) > 1 else ()
    return ()


def _range_in(text: str) -> dict[str, Any]:
    match = _RANGE.search(text)
    if match is None or not (match["low"] or match["high"]):
        return {}
    low, high = _number(match["low"]), _number(match["high"])
    sign = match["sign"] or ""
    if sign.startswith(">"):  # `x>=0` alone
        return {
            "minimum": high,
            "is_above": sign == ">",
            "clamps": match["clamped"] is not None,
            "has_range": True,
        }
    return {
        "minimum": low,
        "maximum": high,
        "is_above": match["low_sign"] == "<",
        "is_below": sign == "<",
        "clamps": match["clamped"] is not None,
        "has_range": True,
    }


def _number(text: str | None) -> float | None:
    if not text:
        return None
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return None
