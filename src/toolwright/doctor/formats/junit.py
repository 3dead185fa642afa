"""A report as JUnit XML, which CI servers show as tests."""

from __future__ import annotations

from ...contract.trials.junit import JunitCase, junit_xml
from ..findings import Finding, Severity
from .places import shown_file
from .reported import Reported

_SUITE = "toolwright doctor"


def junit_of(report: Reported, *, strict: bool = False) -> str:
    """Return a report as a suite: a test for each failure, and one for each tool without any.

    Errors are failures; so are warnings, if strict. All other findings are in the output.
    """
    fails = [Severity.ERROR, Severity.WARNING] if strict else [Severity.ERROR]
    failures = [finding for finding in report if finding.severity in fails]
    failed = {finding.tool for finding in failures}
    cases = [_case(finding) for finding in failures]
    cases += [JunitCase(_SUITE, name) for name in report.tools if name not in failed]
    notes = [_line(finding) for finding in report if finding.severity not in fails]
    return junit_xml(_SUITE, cases, "\n".join(notes))


def _case(finding: Finding) -> JunitCase:
    subject = ".".join(part for part in (finding.tool, finding.parameter) if part)
    return JunitCase(
        _SUITE,
        f"{subject}: {finding.id}" if subject else finding.id,
        failure=finding.message,
        details=_line(finding),
        kind=finding.id,
        file=shown_file(finding.file) if finding.file else "",
        line=finding.line,
    )


def _line(finding: Finding) -> str:
    place = f"{shown_file(finding.file)}:{finding.line}: " if finding.file else ""
    return f"{place}{finding.severity} {finding.id}: {finding.text}"
