"""What came of tests of a toolbox."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from .calls import TrialCall
from .coverage import Coverage

Status = Literal["passed", "failed", "skipped"]
Kind = Literal["docstring", "file", "given", "generated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one example, or of all generated calls of one tool."""

    tool: str
    kind: Kind
    status: Status
    label: str = ""
    """What its author calls it."""
    source: str = ""
    """Where it is written: a file and a line."""
    detail: str = ""
    """Why it failed, or was skipped."""
    arguments: dict[str, Any] | None = None
    """The arguments with which it failed."""
    calls: int = 0
    refused: int = 0
    """Calls whose arguments were not accepted."""
    errors: int = 0
    """Calls that ended in an error that the tool's contract allows."""
    said: str = ""
    """What the first of these errors says."""
    seconds: float = 0.0
    """How long its calls took."""
    slow: float = 0.0
    """How long its slowest call took."""

    @property
    def key(self) -> str:
        """What identifies it among all outcomes of a run."""
        return f"{self.kind}|{self.tool}|{self.source}|{self.label}"


def outcome_from(data: Mapping[str, Any]) -> Outcome:
    """Return the outcome that was written as JSON."""
    return Outcome(**data)


@dataclass(slots=True, kw_only=True)
class TrialReport:
    """All outcomes of a run, what was called, and how long that took."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    calls: list[TrialCall] = field(default_factory=list[TrialCall])
    coverage: Coverage = field(default_factory=Coverage)
    seed: int | None = None

    @property
    def passed(self) -> list[Outcome]:
        """The outcomes that passed."""
        return self._with("passed")

    @property
    def failed(self) -> list[Outcome]:
        """The outcomes that failed."""
        return self._with("failed")

    @property
    def skipped(self) -> list[Outcome]:
        """The outcomes that were skipped, each with the reason."""
        return self._with("skipped")

    @property
    def has_failures(self) -> bool:
        """Whether anything failed."""
        return bool(self.failed)

    @property
    def latency_p50(self) -> float:
        """The seconds within which half of the calls ended."""
        return percentile([call.seconds for call in self.calls], 50)

    @property
    def latency_p95(self) -> float:
        """The seconds within which 95 % of the calls ended."""
        return percentile([call.seconds for call in self.calls], 95)

    def _with(self, status: Status) -> list[Outcome]:
        return [outcome for outcome in self.outcomes if outcome.status == status]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            "passed": len(self.passed),
            "failed": len(self.failed),
            "skipped": len(self.skipped),
            "calls": len(self.calls),
            "latency_ms": {
                "p50": round(self.latency_p50 * 1000, 3),
                "p95": round(self.latency_p95 * 1000, 3),
            },
            "seed": self.seed,
            "coverage": self.coverage.to_dict(),
            "results": [asdict(outcome) for outcome in self.outcomes],
        }


def percentile(values: Sequence[float], percent: float) -> float:
    """Return the smallest value that `percent` of the values do not exceed; 0 without values."""
    ordered = sorted(values)
    index = math.ceil(len(ordered) * percent / 100) - 1
    return ordered[max(index, 0)] if ordered else 0.0


def totals(calls: Iterable[TrialCall]) -> dict[str, Any]:
    """Return what an outcome says about its calls."""
    listed = list(calls)
    return {
        "calls": len(listed),
        "seconds": sum(call.seconds for call in listed),
        "slow": max((call.seconds for call in listed), default=0.0),
    }
