"""Requests refused before anything ran, and their listeners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from ._door import public

__all__ = ["Kind", "OnRefusal", "Refused", "RequestKind", "shown"]

Kind = Literal["tool", "resource", "prompt"]
"""What runs inside `around` hooks."""
RequestKind = Literal["tool", "resource", "prompt", "sign-in", "rate"]
MOST_SHOWN = 200


@public
class Refused(NamedTuple):
    """One request that was refused: who sent it, what for, and why it was refused."""

    kind: RequestKind
    code: str
    """Why, in one word of ours: `not_found`, `role`, `disabled`, `declined`, `overloaded`, `401`, `429`, ..."""
    name: str = ""
    """What was asked for, as the caller wrote it: not to be trusted."""
    caller: str | None = None
    """Who asked, if that is known."""
    client: str = ""
    """The address that the request came from, if there is one."""
    reason: str = ""
    """Why, in words of ours; never a token."""


OnRefusal = Callable[[Refused], object]


def shown(text: str) -> str:
    """Return an untrusted text in a form that is safe to log: one short line."""
    if text.isprintable() and len(text) <= MOST_SHOWN:
        return text
    cut = text[:MOST_SHOWN]
    safe_text = "".join(
        character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in cut
    )
    return safe_text if len(text) <= MOST_SHOWN else f"{safe_text}..."
