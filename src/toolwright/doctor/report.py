"""The report of the doctor, and the forms of it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from .._door import __version__
from .._words import count_of
from .findings import Check, Finding, Severity

Format = Literal["text", "json", "sarif", "junit"]
FORMATS: tuple[Format, ...] = ("text", "json", "sarif", "junit")
_OWN_NAME = "toolwright doctor"
_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_NOUNS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
"""What people call a finding, and the level that it has in SARIF."""


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
        return replace(self, findings=findings)

    def render(self, format: Format = "text", *, strict: bool = False) -> str:  # noqa: A002
        """Write the report as text, JSON, SARIF 2.1.0 or JUnit XML. Raises `ValueError`.

        If strict, warnings are failures in JUnit as well.
        """
        if format == "junit":
            return junit_of(self, strict=strict)
        if format in _WRITERS:
            return _WRITERS[format](self)
        msg = f"the format of a report must be one of {', '.join(FORMATS)}; got {format!r}"
        raise ValueError(msg)


def sorted_findings(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings, worst first, then by place; each once."""
    once = dict.fromkeys(findings)
    return tuple(
        sorted(once, key=lambda each: (each.severity.rank, each.file, each.line, each.tool))
    )


class ReportLine(NamedTuple):
    """A line of the report, in the parts that a terminal colours."""

    place: str = ""
    id: str = ""
    text: str = ""
    severity: Severity | None = None
    is_heading: bool = False

    def __str__(self) -> str:
        return f"{self.place}{self.id}{self.text}"


def lines_of(report: Report) -> Iterator[ReportLine]:
    """Yield the lines of a report: errors first, one line for each finding."""
    for severity in Severity:
        findings = report.of(severity)
        if not findings:
            continue
        heading = f"{_NOUNS[severity].capitalize()}s ({len(findings)})"
        yield ReportLine(text=heading, severity=severity, is_heading=True)
        for finding in findings:
            yield ReportLine(f"  {_place(finding)}", f"{finding.id}: ", finding.text, severity)
        yield ReportLine()


def summary_of(report: Report, hidden: int = 0) -> str:
    """Return the last line: how much was found."""
    counts = report.counts
    tools = count_of(len(report.tools), "tool")
    counted = [
        count_of(counts[severity], _NOUNS[severity]) for severity in Severity if counts[severity]
    ]
    line = f"{', '.join(counted)} in {tools}" if counted else f"No problems in {tools}"
    more: list[str] = []
    if hidden:
        more.append(f"{count_of(hidden, 'note')} not shown: --level info shows them")
    fixable = sum(finding.fixable for finding in report)
    if fixable:
        more.append(f"{fixable} fixable with --fix")
    if report.suppressed:
        more.append(f"{report.suppressed} suppressed")
    return f"{line} ({'; '.join(more)})" if more else line


def text_of(report: Report) -> str:
    """Return the whole report as text."""
    return "\n".join([*(str(line) for line in lines_of(report)), summary_of(report)])


def _place(finding: Finding) -> str:
    if not finding.file:
        return ""
    file = shown_file(finding.file)
    return f"{file}:{finding.line}: " if finding.line else f"{file}: "


def json_of(report: Report) -> str:
    """Return a report as one JSON object."""
    document = {
        "version": 1,
        "tools": len(report.tools),
        "counts": report.counts,
        "suppressed": report.suppressed,
        "findings": [finding.to_dict() for finding in report],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def sarif_of(report: Report) -> str:
    """Return a report as one SARIF log."""
    index = {check.id: position for position, check in enumerate(report.checks)}
    driver = {
        "name": _OWN_NAME,
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(check) for check in report.checks],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "results": [_result(finding, index) for finding in report],
    }
    log = {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def _rule(check: Check) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": check.id,
        "name": "".join(part.capitalize() for part in check.id.split("_")),
        "shortDescription": {"text": check.text or check.id},
        "defaultConfiguration": {"level": _NOUNS[check.severity]},
        "properties": {"tags": [check.group]},
    }
    if check.fix:
        rule["help"] = {"text": check.fix}
    return rule


def _result(finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.id,
        "level": _NOUNS[finding.severity],
        "message": {"text": finding.text},
        "partialFingerprints": {"toolwright/v1": _fingerprint(finding)},
    }
    if finding.id in index:
        result["ruleIndex"] = index[finding.id]
    location: dict[str, Any] = {}
    if finding.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": uri_of(finding.file)}}
        if finding.line:
            place["region"] = {"startLine": finding.line}
        location["physicalLocation"] = place
    if finding.tool:
        name = f"{finding.tool}.{finding.parameter}" if finding.parameter else finding.tool
        kind = "parameter" if finding.parameter else "function"
        location["logicalLocations"] = [{"fullyQualifiedName": name, "kind": kind}]
    if location:
        result["locations"] = [location]
    return result


def _fingerprint(finding: Finding) -> str:
    """Return a fingerprint that stays the same when lines move."""
    file = shown_file(finding.file) if finding.file else ""
    fingerprint = json.dumps([finding.id, finding.tool, finding.parameter, file, finding.message])
    return hashlib.sha256(fingerprint.encode()).hexdigest()[:32]


def junit_of(report: Report, *, strict: bool = False) -> str:
    """Return a report as a suite: a test for each failure, and one for each tool without any.

    Errors are failures; so are warnings, if strict. All other findings are in the output.
    """
    from ..contract.trials.junit import JunitCase, junit_xml

    fails = [Severity.ERROR, Severity.WARNING] if strict else [Severity.ERROR]
    cases: list[JunitCase] = []
    notes: list[str] = []
    failed: set[str] = set()
    for finding in report:
        line = f"{_place(finding)}{finding.severity} {finding.id}: {finding.text}"
        if finding.severity not in fails:
            notes.append(line)
            continue
        failed.add(finding.tool)
        subject = ".".join(part for part in (finding.tool, finding.parameter) if part)
        case = JunitCase(
            _OWN_NAME,
            f"{subject}: {finding.id}" if subject else finding.id,
            failure=finding.message,
            details=line,
            kind=finding.id,
            file=shown_file(finding.file) if finding.file else "",
            line=finding.line,
        )
        cases.append(case)
    cases += [JunitCase(_OWN_NAME, name) for name in report.tools if name not in failed]
    return junit_xml(_OWN_NAME, cases, "\n".join(notes))


def shown_file(file: str) -> str:
    """Return a file relative to the working folder, if it is inside."""
    try:
        inside = os.path.relpath(file)
    except (OSError, ValueError):  # another drive, or a folder that is gone
        return file
    return file if inside.startswith("..") else inside


def uri_of(file: str) -> str:
    """Return the URI of a file: relative to the working folder, if it is inside."""
    path = shown_file(file)
    if not Path(path).is_absolute():
        return quote(os.fsencode(path.replace(os.sep, "/")), safe="/")
    return f"file://{quote(os.fsencode(Path(path).as_posix()), safe='/:')}"


_WRITERS: dict[str, Callable[[Report], str]] = {"text": text_of, "json": json_of, "sarif": sarif_of}
