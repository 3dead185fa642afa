"""Bounds on what a server sends, and how long it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._json_values import is_list, is_object
from .._log.printable import printable

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of one message."""
MOST_ITEMS = 10_000
"""Tools, resources or prompts of one server."""
MOST_PAGES = 1_000
"""Pages of one list: a server might go on forever."""
MOST_NAME = 256
"""Characters of a name."""
MOST_TEXT = 20_000
"""Characters of a description, or of what a server says about itself."""
MOST_REASON = 4_000
"""Characters of a server's own words in an error."""
MOST_SCHEMA = 1_000_000
"""Bytes of the definition of one tool."""
MOST_GARBAGE = 1_000
"""Lines on standard output that are not messages: after that many, it is not a server."""
MOST_QUESTIONS = 100
"""Questions about one request: each of them stops its clock."""
MOST_ROUNDS = 10
"""How often a server may answer one request with questions."""
CONNECT_SECONDS = 30.0
"""Until a server has answered the first request; some are installed at their first start."""
CALL_SECONDS = 60.0
"""Until a request is answered, unless the caller says otherwise."""
CLOSE_SECONDS = 10.0
"""Until waiting for a connection to close is given up."""

_TOLD = frozenset(("description", "title"))


def short(text: str, most: int = MOST_REASON) -> str:
    """Return a server's words, cut, and without anything that could control a terminal."""
    cut = text if len(text) <= most else f"{text[:most]} [cut]"
    return printable(cut)


def harmless(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return a definition whose titles and descriptions cannot control a terminal.

    Everything else in it stays as it is.
    """
    return {key: _harmless(key, value) for key, value in definition.items()}


def _harmless(key: str, value: Any) -> Any:
    if isinstance(value, str):
        return short(value, MOST_TEXT) if key in _TOLD else value
    if is_object(value):
        return {str(name): _harmless(str(name), part) for name, part in value.items()}
    if is_list(value):
        return [_harmless("", part) for part in value]
    return value
