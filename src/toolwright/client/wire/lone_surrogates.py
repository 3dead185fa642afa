"""Errors for text that UTF-8 cannot hold, which name its place."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from ..._json_values import is_list, is_object, is_utf8, without_surrogates
from ..._words import path_text
from ...errors import ArgumentError, Fault

Path = tuple[str | int, ...]


def unsendable(name: str, params: Mapping[str, Any]) -> ArgumentError:
    """Return the error for a request that UTF-8 cannot hold, with the argument or other part."""
    arguments: Mapping[str, Any] = params.get("arguments") or {}
    places = (*_texts(arguments), *_texts(params))
    path = next((path for path, text in places if not is_utf8(text)), ())
    place = without_surrogates(path_text(path))
    text = f"{place} must not contain a lone surrogate, which UTF-8 cannot hold"
    return ArgumentError(without_surrogates(name), [Fault(path, "text", text)])


def _texts(part: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield every text in JSON values with its path; names of members are texts as well."""
    waiting: deque[tuple[Path, Any]] = deque([((), dict(part))])
    while waiting:
        path, value = waiting.popleft()
        if isinstance(value, str):
            yield path, value
        elif is_object(value):
            yield from (((*path, key), key) for key in value)
            waiting.extend(((*path, key), member) for key, member in value.items())
        elif is_list(value):
            waiting.extend(((*path, index), member) for index, member in enumerate(value))
