"""Changes between two locks: how grave each is, and reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .._log.printable import printable
from .._words import value_text

Severity = Literal["breaking", "risky", "additive"]
SEVERITIES: tuple[Severity, ...] = ("breaking", "risky", "additive")
"""The gravest first."""
Part = Literal["server", "tool", "resource", "prompt"]
_TITLES = {"breaking": "Breaking", "risky": "Risky", "additive": "Additive"}
_MOST_LINES = 200
"""How many changes of one severity a report shows."""
_MOST_EXAMPLE = 80
_SPECIAL = str.maketrans({each: f"\\{each}" for each in "\\`*_{}[]<>|~#&!"})


def gravest(severities: Sequence[Severity]) -> Severity:
    """Return the gravest of some severities; `additive` if there are none."""
    for severity in SEVERITIES:
        if severity in severities:
            return severity
    return "additive"


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one tool, resource or prompt, or of the server."""

    severity: Severity
    part: Part
    name: str
    """What has changed: the name of a tool or a prompt, or the URI of a resource."""
    text: str
    """How, in a line."""
    where: str = ""
    """The part that has changed, such as `input.limit`."""
    example: Any = None
    """A value that was accepted and no longer is, or that may now be returned and could not."""
    has_example: bool = False

    def __str__(self) -> str:
        where = f" {self.where}" if self.where else ""
        return f"{self.severity}: {self.part} {self.name}{where}: {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        document = {
            "severity": self.severity,
            "part": self.part,
            "name": self.name,
            "where": self.where,
            "text": self.text,
        }
        return {**document, "example": self.example} if self.has_example else document


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes between two locks, the gravest first.

    It is true if there are any, and can be looped over.
    """

    all: tuple[Change, ...] = field(default=())

    def __iter__(self) -> Iterator[Change]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    @property
    def severity(self) -> Severity | None:
        """The gravest of them; None if there are none."""
        return gravest([change.severity for change in self.all]) if self.all else None

    def of(self, severity: Severity) -> list[Change]:
        """Return those of one severity."""
        return [change for change in self.all if change.severity == severity]

    @property
    def breaking(self) -> list[Change]:
        """The changes that may break callers that worked before."""
        return self.of("breaking")

    @property
    def risky(self) -> list[Change]:
        """The changes that may affect how models behave, or could not be decided."""
        return self.of("risky")

    @property
    def additive(self) -> list[Change]:
        """The changes that cannot harm any caller."""
        return self.of("additive")

    def to_json(self) -> dict[str, Any]:
        """Return them as JSON."""
        return {
            "severity": self.severity,
            "counts": {severity: len(self.of(severity)) for severity in SEVERITIES},
            "changes": [change.to_dict() for change in self.all],
        }

    def to_markdown(self) -> str:
        """Return a report for a pull request."""
        return _markdown(self)


def sorted_changes(changes: Sequence[Change]) -> Changes:
    """Return changes in the order of a report."""
    parts: tuple[Part, ...] = ("server", "tool", "resource", "prompt")

    def place(change: Change) -> tuple[int, int, str, str, str]:
        grave, part = SEVERITIES.index(change.severity), parts.index(change.part)
        return grave, part, change.name, change.where, change.text

    return Changes(tuple(sorted(changes, key=place)))


# -- reports


def text_lines(changes: Changes) -> Iterator[str]:
    """Yield a line for each change, and a summary."""
    for change in changes:
        yield f"{change}{_example(change)}"
    yield summary(changes)


def summary(changes: Changes) -> str:
    """Return how many changes of each severity there are."""
    if not changes:
        return "no changes"
    return ", ".join(f"{len(changes.of(severity))} {severity}" for severity in SEVERITIES)


def _example(change: Change) -> str:
    return f" (such as {_shown(change.example)})" if change.has_example else ""


def _shown(value: Any) -> str:
    """Return a value as JSON, cut where it is long."""
    return value_text(value, _MOST_EXAMPLE)


def _markdown(changes: Changes) -> str:
    """Return a report for a pull request. Nothing in it can be more than text."""
    lines = ["## Tool contract", "", f"**{summary(changes)}**", ""]
    for severity in SEVERITIES:
        changes_of_severity = changes.of(severity)
        if not changes_of_severity:
            continue
        lines += [f"### {_TITLES[severity]}", "", "| what | where | change | example |"]
        lines.append("|---|---|---|---|")
        lines += [_row(change) for change in changes_of_severity[:_MOST_LINES]]
        if len(changes_of_severity) > _MOST_LINES:
            lines.append(f"| | | and {len(changes_of_severity) - _MOST_LINES} more | |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _row(change: Change) -> str:
    example = _plain(_shown(change.example)) if change.has_example else ""
    what = f"{change.part} {_plain(change.name)}"
    return f"| {what} | {_plain(change.where)} | {_plain(change.text)} | {example} |"


def _plain(text: str) -> str:
    """Return a text in which no character means anything to Markdown, or notifies anyone."""
    return printable(" ".join(text.split())).translate(_SPECIAL).replace("@", "@\u200b")
