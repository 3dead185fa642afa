"""The settings of a server on stdio."""

from __future__ import annotations

from typing import NamedTuple, TypedDict

from ..drain import STDIO_SECONDS


class StdioSettings(TypedDict, total=False):
    """The keywords of `Toolbox.serve("stdio")`."""

    short: bool
    drain: float
    log_level: str | int | None
    search: bool


class StdioConfig(NamedTuple):
    """The settings of a server on stdio, complete."""

    short: bool = True
    drain: float = STDIO_SECONDS
    log_level: str | int | None = None
    search: bool = False
    """Offer a search of the tools instead of all of them."""
