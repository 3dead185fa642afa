"""A report as JUnit XML, which CI servers show as tests."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from ..findings import Finding, Severity
from .places import shown_file
from .reported import Reported

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_of(report: Reported, *, strict: bool = False) -> str:
    """Return a report as a suite: a test for each failure, and one for each tool without any.

    Errors are failures; so are warnings, if strict. All other findings are in the output.
    """
    fails = [Severity.ERROR, Severity.WARNING] if strict else [Severity.ERROR]
    failures = [each for each in report if each.severity in fails]
    failed = {each.tool for each in failures}
    healthy = [name for name in report.tools if name not in failed]
    suite = ET.Element(
        "testsuite",
        name="toolwright doctor",
        tests=str(len(failures) + len(healthy)),
        failures=str(len(failures)),
        errors="0",
        skipped="0",
    )
    for finding in failures:
        _case(suite, finding)
    for name in healthy:
        ET.SubElement(suite, "testcase", classname="toolwright doctor", name=_xml(name))
    others = [_line(each) for each in report if each.severity not in fails]
    if others:
        ET.SubElement(suite, "system-out").text = _xml("\n".join(others))
    root = ET.Element("testsuites")
    root.append(suite)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}'


def _case(suite: ET.Element, finding: Finding) -> None:
    subject = ".".join(part for part in (finding.tool, finding.parameter) if part)
    name = f"{subject}: {finding.id}" if subject else finding.id
    case = ET.SubElement(suite, "testcase", classname="toolwright doctor", name=_xml(name))
    if finding.file:
        case.set("file", _xml(shown_file(finding.file)))
        case.set("line", str(finding.line))
    failure = ET.SubElement(case, "failure", type=finding.id, message=_xml(finding.message))
    failure.text = _xml(_line(finding))


def _line(finding: Finding) -> str:
    place = f"{shown_file(finding.file)}:{finding.line}: " if finding.file else ""
    return f"{place}{finding.severity} {finding.id}: {finding.text}"


def _xml(text: str) -> str:
    """Return a text without what XML cannot hold."""
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text)
