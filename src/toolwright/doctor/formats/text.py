"""A report as text, for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..findings import Finding, Severity
from .places import shown_file
from .reported import Reported

_HEADINGS = {Severity.ERROR: "Errors", Severity.WARNING: "Warnings", Severity.INFO: "Notes"}
_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


class ReportLine(NamedTuple):
    """A line of the report, in the parts that a terminal colours."""

    place: str = ""
    id: str = ""
    text: str = ""
    severity: Severity | None = None
    is_heading: bool = False

    def __str__(self) -> str:
        return f"{self.place}{self.id}{self.text}"


def lines_of(report: Reported) -> Iterator[ReportLine]:
    """Yield the lines of a report: errors first, one line for each finding."""
    for severity in Severity:
        findings = report.of(severity)
        if not findings:
            continue
        yield ReportLine(
            text=f"{_HEADINGS[severity]} ({len(findings)})", severity=severity, is_heading=True
        )
        for finding in findings:
            yield ReportLine(f"  {_place(finding)}", f"{finding.id}: ", finding.text, severity)
        yield ReportLine()


def summary_of(report: Reported, hidden: int = 0) -> str:
    """Return the last line: how much was found."""
    counts = report.counts
    tools = _count(len(report.tools), "tool")
    counted = [
        _count(counts[severity], _NOUNS[severity]) for severity in Severity if counts[severity]
    ]
    line = f"{', '.join(counted)} in {tools}" if counted else f"No problems in {tools}"
    more: list[str] = []
    if hidden:
        more.append(f"{_count(hidden, 'note')} not shown: --level info shows them")
    fixable = sum(finding.fixable for finding in report)
    if fixable:
        more.append(f"{fixable} fixable with --fix")
    if report.suppressed:
        more.append(f"{report.suppressed} suppressed")
    return f"{line} ({'; '.join(more)})" if more else line


def text_of(report: Reported) -> str:
    """Return the whole report as text."""
    return "\n".join([*(str(line) for line in lines_of(report)), summary_of(report)])


def _place(finding: Finding) -> str:
    if not finding.file:
        return ""
    file = shown_file(finding.file)
    return f"{file}:{finding.line}: " if finding.line else f"{file}: "


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
