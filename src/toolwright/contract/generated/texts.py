"""Texts that fit a JSON Schema: length, pattern and format."""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

_USUAL = 20
_LONGEST = 2000


def plain_texts(least: int = 0, most: int | None = None) -> SearchStrategy[str]:
    """Return a strategy for texts that JSON can hold, most of them easily read."""
    longest = max(least, min(most if most is not None else least + _USUAL, least + _LONGEST))
    letters = st.characters(min_codepoint=32, max_codepoint=126)
    every = st.characters(codec="utf-8")
    return st.one_of(
        st.text(letters, min_size=least, max_size=longest),
        st.text(every, min_size=least, max_size=longest),
    )


def texts_of(schema: Mapping[str, Any]) -> SearchStrategy[str]:
    """Return a strategy for the texts that a schema of a string accepts."""
    least = int(schema.get("minLength", 0))
    most = schema.get("maxLength")
    fitting = _length_fits(least, most)
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            # JSON Schema's `$` is the very end; Python's lets a line break follow.
            texts = st.from_regex(
                re.compile(_python(pattern)), alphabet=st.characters(codec="utf-8")
            )
        except re.error:
            return plain_texts(least, most)
        return texts.filter(fitting)
    make = _FORMATS.get(schema.get("format") or schema.get("contentEncoding") or "")
    if make is not None:
        return make().filter(fitting)
    return plain_texts(least, most)


def _length_fits(least: int, most: int | None) -> Callable[[str], bool]:
    return lambda text: least <= len(text) and (most is None or len(text) <= most)


def _python(pattern: str) -> str:
    r"""Return a pattern of JSON Schema for Python: `$` ends the text, `\d` is ASCII."""
    anchored = (
        pattern[:-1] + r"\Z" if pattern.endswith("$") and not pattern.endswith(r"\$") else pattern
    )
    return anchored.replace(r"\d", "[0-9]") if "[" not in pattern else anchored


def _dates() -> SearchStrategy[str]:
    return st.dates().map(lambda day: day.isoformat())


def _date_times() -> SearchStrategy[str]:
    zones = st.sampled_from(["Z", "+02:00", "-11:30"])
    return st.tuples(st.datetimes(), zones).map(lambda both: both[0].isoformat() + both[1])


def _times() -> SearchStrategy[str]:
    zones = st.sampled_from(["Z", "+02:00"])
    return st.tuples(st.times(), zones).map(lambda both: both[0].isoformat() + both[1])


def _durations() -> SearchStrategy[str]:
    parts = st.tuples(st.integers(0, 400), st.integers(0, 23), st.integers(0, 59))
    return parts.map(lambda given: f"P{given[0]}DT{given[1]}H{given[2]}M")


def _uuids() -> SearchStrategy[str]:
    return st.uuids().map(str)


def _addresses() -> SearchStrategy[str]:
    users = st.sampled_from(["ada", "grace.hopper", "a+b", "x"])
    return st.tuples(users, st.sampled_from(["example.com", "mail.example.org"])).map("@".join)


def _uris() -> SearchStrategy[str]:
    places = ["https://example.com", "http://example.org:8080/a?b=c#d", "https://example.com/%20"]
    return st.sampled_from(places)


def _binary() -> SearchStrategy[str]:
    return st.binary(max_size=40).map(lambda data: base64.b64encode(data).decode())


_FORMATS: dict[str, Callable[[], SearchStrategy[str]]] = {
    "date": _dates,
    "date-time": _date_times,
    "time": _times,
    "duration": _durations,
    "uuid": _uuids,
    "email": _addresses,
    "uri": _uris,
    "url": _uris,
    "binary": _binary,
    "base64": _binary,
    "byte": _binary,
    "ipv4": lambda: st.ip_addresses(v=4).map(str),
    "ipv6": lambda: st.ip_addresses(v=6).map(str),
    "uuid4": lambda: st.integers(0, 2**128 - 1).map(lambda n: str(uuid.UUID(int=n, version=4))),
}
