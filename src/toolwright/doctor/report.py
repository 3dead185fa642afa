"""The report of the doctor: every finding, worst first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from .findings import Finding, Severity
from .registry import Check

Format = Literal["text", "json", "sarif", "junit"]
FORMATS: tuple[Format, ...] = ("text", "json", "sarif", "junit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What the doctor found; iterable, and true if there is anything in it."""

    findings: tuple[Finding, ...] = ()
    """Worst first, then by file and line."""
    tools: tuple[str, ...] = ()
    """The tools that were looked at, in the order of the toolbox."""
    checks: tuple[Check, ...] = ()
    """The checks that were made."""
    suppressed: int = 0
    """How many findings a comment or the configuration keeps out."""

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        return self.render("text")

    def of(self, severity: Severity | str) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that must be mended."""
        return self.of(Severity.ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that should be mended."""
        return self.of(Severity.WARNING)

    @property
    def infos(self) -> tuple[Finding, ...]:
        """The findings that are worth a look."""
        return self.of(Severity.INFO)

    @property
    def has_errors(self) -> bool:
        """Whether there is an error."""
        return bool(self.errors)

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each severity there are."""
        return {str(severity): len(self.of(severity)) for severity in Severity}

    def fails(self, *, strict: bool = False) -> bool:
        """Return whether there is an error or, if strict, a warning."""
        return self.has_errors or (strict and bool(self.warnings))

    def at_least(self, severity: Severity) -> Report:
        """Return the report without findings that are less severe."""
        findings = tuple(
            finding for finding in self.findings if finding.severity.rank <= severity.rank
        )
        return Report(
            findings=findings, tools=self.tools, checks=self.checks, suppressed=self.suppressed
        )

    def render(self, format: Format = "text", *, strict: bool = False) -> str:  # noqa: A002
        """Write the report as text, JSON, SARIF 2.1.0 or JUnit XML. Raises `ValueError`.

        If strict, warnings are failures in JUnit as well.
        """
        if format == "text":
            from .formats.text import text_of

            return text_of(self)
        if format == "json":
            from .formats.json_report import json_of

            return json_of(self)
        if format == "sarif":
            from .formats.sarif import sarif_of

            return sarif_of(self)
        if format == "junit":
            from .formats.junit import junit_of

            return junit_of(self, strict=strict)
        msg = f"the format of a report must be one of {', '.join(FORMATS)}; got {format!r}"
        raise ValueError(msg)


def sorted_findings(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings, worst first, then by place; each once."""
    once = dict.fromkeys(findings)
    return tuple(
        sorted(once, key=lambda each: (each.severity.rank, each.file, each.line, each.tool))
    )
