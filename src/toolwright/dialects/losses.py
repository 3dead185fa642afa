"""What a dialect could not express."""

from __future__ import annotations

from dataclasses import dataclass

from .._log.printable import printable
from .._words import truncate

_LONGEST = 100


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing in one tool that a dialect cannot express, or a limit that the tool broke."""

    tool: str
    """The tool's own name; empty if it concerns all tools."""
    path: str
    """Where in the arguments: `filters.tags[]`; empty for the whole tool."""
    keyword: str
    """The keyword or rule: `uniqueItems`, `$ref`, `name`, `strict`, `tools`."""
    message: str
    """What was done about it."""

    def __str__(self) -> str:
        place = ".".join(truncate(part, _LONGEST) for part in (self.tool, self.path) if part)
        reason = f"{self.keyword} {self.message}" if self.keyword else self.message
        return printable(f"{place}: {reason}" if place else reason).replace("\n", " ")
