"""Which tools were called, and which of their parameters were given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .calls import TrialCall

if TYPE_CHECKING:
    from ...tools.definition import Tool


@dataclass(slots=True)
class Coverage:
    """The parameters of each tool, and those that some call has given."""

    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """All parameters by tool."""
    given: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Parameters that were given, of tools that were called."""

    def add(self, tool: str, given: Iterable[str]) -> None:
        """Note a call."""
        parameters = self.parameters.get(tool, ())
        self.given.setdefault(tool, set()).update(name for name in given if name in parameters)

    @property
    def missed(self) -> list[str]:
        """The tools that were not called."""
        return [tool for tool in self.parameters if tool not in self.given]

    def missed_of(self, tool: str) -> list[str]:
        """Return the parameters of a tool that no call has given."""
        sent = self.given.get(tool, set())
        return [name for name in self.parameters.get(tool, ()) if name not in sent]

    @property
    def tools_percent(self) -> float:
        """The percentage of tools that were called."""
        return _percent(len(self.parameters) - len(self.missed), len(self.parameters))

    @property
    def parameters_percent(self) -> float:
        """The percentage of parameters that were given."""
        count = sum(len(names) for names in self.parameters.values())
        missed = sum(len(self.missed_of(tool)) for tool in self.parameters)
        return _percent(count - missed, count)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "tools": self.tools_percent,
            "parameters": self.parameters_percent,
            "missed": {
                tool: "not called" if tool not in self.given else self.missed_of(tool)
                for tool in self.parameters
                if tool not in self.given or self.missed_of(tool)
            },
        }


def coverage_of(tools: Mapping[str, Tool], calls: Iterable[TrialCall] = ()) -> Coverage:
    """Return how much of the tools the calls have covered."""
    names = {name: tuple(tool.input_schema.get("properties", ())) for name, tool in tools.items()}
    coverage = Coverage(names)
    for call in calls:
        if call.tool in names:
            coverage.add(call.tool, call.given)
    return coverage


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 100.0
