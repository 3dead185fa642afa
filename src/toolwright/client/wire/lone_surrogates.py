"""Refuse text that UTF-8 cannot hold, by its place."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from ..._json_values import is_list, is_object, without_surrogates
from ...arguments.wording import path_text
from ...errors import ArgumentError, Fault

Path = tuple[str | int, ...]


def unsendable(name: str, arguments: Mapping[str, Any]) -> ArgumentError:
    """Return why arguments cannot be sent as UTF-8."""
    path = next((path for path, text in _texts(arguments) if not _is_sendable(text)), ())
    text = f"{without_surrogates(path_text(path))} must not contain a lone surrogate, which UTF-8 cannot hold"
    return ArgumentError(name, [Fault(path, "text", text)])


def _texts(arguments: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield every text of JSON values with its path: names of members, too."""
    waiting: deque[tuple[Path, Any]] = deque([((), dict(arguments))])
    while waiting:
        path, value = waiting.popleft()
        if isinstance(value, str):
            yield path, value
        elif is_object(value):
            yield from (((*path, key), key) for key in value)
            waiting.extend(((*path, key), each) for key, each in value.items())
        elif is_list(value):
            waiting.extend(((*path, at), each) for at, each in enumerate(value))


def _is_sendable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
