"""Names that a dialect accepts, and back."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from hashlib import sha256

from .facts.rules import NameRule

SHORTEST = 8
"""The fewest characters that a shortened name needs."""


@functools.cache
def _bad(letters: str) -> re.Pattern[str]:
    return re.compile(f"[^{letters}]")


@functools.cache
def _good(rule: NameRule) -> re.Pattern[str]:
    first = f"[{rule.first}]" if rule.first else ""
    repeats = f"{{0,{rule.longest - 1}}}" if first else f"{{1,{rule.longest}}}"
    return re.compile(f"{first}[{rule.letters}]{repeats}")


def is_good(name: str, rule: NameRule) -> bool:
    """Return whether a name is accepted as it is."""
    return _good(rule).fullmatch(name) is not None


def published(names: Iterable[str], rule: NameRule) -> dict[str, str]:
    """Return an accepted name for each: its own if that is accepted.

    The others are written with underscores, cut, and made unique with a hash of the whole name,
    so that a name does not depend on the order, except between two that differ in nothing else.
    """
    listed = list(dict.fromkeys(names))
    accepted = {name: name for name in listed if is_good(name, rule)}
    if len(accepted) == len(listed):
        return accepted
    used = set(accepted)
    for name in listed:
        if name not in accepted:
            accepted[name] = _made_up(name, rule, used)
            used.add(accepted[name])
    return {name: accepted[name] for name in listed}


def _made_up(name: str, rule: NameRule, taken: set[str]) -> str:
    plain = _bad(rule.letters).sub("_", name) or "_"
    if rule.first and not re.match(f"[{rule.first}]", plain):
        plain = f"_{plain}"
    if len(plain) <= rule.longest and plain not in taken:
        return plain
    attempt = 0
    while True:
        salted = f"{name}\0{attempt}" if attempt else name
        digest = sha256(salted.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        room = rule.longest - len(digest) - 1
        candidate = f"{plain[:room]}_{digest}" if room > 0 else f"_{digest}"[: rule.longest]
        if candidate not in taken:
            return candidate
        attempt += 1
