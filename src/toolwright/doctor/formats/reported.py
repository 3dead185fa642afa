"""What every form of a report is written from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ..findings import Finding, Severity
from ..registry import Check


class Reported(Protocol):
    """What was found, and what was looked at."""

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools."""
        ...

    @property
    def checks(self) -> tuple[Check, ...]:
        """The checks that were made."""
        ...

    @property
    def suppressed(self) -> int:
        """How many findings were kept out."""
        ...

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each severity there are."""
        ...

    def of(self, severity: Severity | str, /) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        ...

    def __iter__(self) -> Iterator[Finding]: ...
