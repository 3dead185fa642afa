"""An example call of a tool, with its expected outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..trials.calls import TrialCalls
from ..trials.outcomes import Kind, Outcome, totals
from .expectations import Expected


class Trial(Protocol):
    """Something that can be tried: an example, or all examples of a docstring."""

    @property
    def tool(self) -> str:
        """The tool it is about."""
        ...

    @property
    def source(self) -> str:
        """Where it is written."""
        ...

    @property
    def label(self) -> str:
        """What its author calls it."""
        ...

    @property
    def kind(self) -> Kind:
        """Which kind of trial it is."""
        ...

    def run(self, calls: TrialCalls) -> Outcome:
        """Try it; whatever happens, there is an outcome."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A call with known arguments, and its expected outcome."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    expected: Expected = field(default_factory=Expected)
    label: str = ""
    source: str = ""
    kind: Kind = "file"
    timeout: float | None = None

    def run(self, calls: TrialCalls) -> Outcome:
        """Call the tool, and compare the outcome."""
        before = len(calls.made)
        if self.tool not in set(calls.box):
            fault = f"there is no tool `{self.tool}`"
        else:
            fault = self._fault(calls)
        return Outcome(
            tool=self.tool,
            kind=self.kind,
            status="failed" if fault else "passed",
            label=self.label,
            source=self.source,
            detail=fault,
            arguments=dict(self.arguments) if fault else None,
            errors=int(self.expected.error and not fault),
            **totals(calls.made[before:]),
        )

    def _fault(self, calls: TrialCalls) -> str:
        try:
            return self.expected.fault(calls.call(self.tool, self.arguments, self.timeout))
        except RecursionError:
            return "its result is nested too deeply to be compared"
