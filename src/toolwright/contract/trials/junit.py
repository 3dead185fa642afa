"""JUnit's XML, which CI services show as tests."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from .calls import Outcome, TrialReport

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


class JunitCase(NamedTuple):
    """One test."""

    owner: str
    name: str
    seconds: float | None = None
    failure: str | None = None
    """Why it failed; None if it did not."""
    details: str = ""
    kind: str = ""
    """The kind of the failure."""
    skipped: str | None = None
    """Why it was skipped; None if it was not."""
    file: str = ""
    line: int = 0


def junit_xml(suite: str, cases: Sequence[JunitCase], output: str = "") -> str:
    """Return one suite of tests as a document."""
    counts = {
        "tests": str(len(cases)),
        "failures": str(sum(case.failure is not None for case in cases)),
        "errors": "0",
        "skipped": str(sum(case.skipped is not None for case in cases)),
    }
    if any(case.seconds is not None for case in cases):
        counts["time"] = f"{sum(case.seconds or 0 for case in cases):.6f}"
    root = ET.Element("testsuites", counts)
    parent = ET.SubElement(root, "testsuite", {"name": _clean(suite), **counts})
    for case in cases:
        _add(parent, case)
    if output:
        ET.SubElement(parent, "system-out").text = _clean(output)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add(parent: ET.Element, case: JunitCase) -> None:
    names = {"classname": _clean(case.owner), "name": _clean(case.name)}
    element = ET.SubElement(parent, "testcase", names)
    if case.seconds is not None:
        element.set("time", f"{case.seconds:.6f}")
    if case.file:
        element.set("file", _clean(case.file))
        element.set("line", str(case.line))
    if case.skipped is not None:
        ET.SubElement(element, "skipped", message=_clean(case.skipped))
    if case.failure is not None:
        failure = ET.SubElement(element, "failure", message=_clean(case.failure))
        if case.kind:
            failure.set("type", case.kind)
        failure.text = _clean(case.details)


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)


def junit(report: TrialReport, name: str) -> str:
    """Return a report of trials as JUnit's XML."""
    return junit_xml(name, [_case(outcome) for outcome in report.outcomes])


def _case(outcome: Outcome) -> JunitCase:
    title = " ".join(part for part in (outcome.kind, outcome.label, outcome.source) if part)
    case = JunitCase(outcome.tool, title, outcome.seconds)
    if outcome.status == "skipped":
        return case._replace(skipped=outcome.detail)
    if outcome.status == "passed":
        return case
    arguments = "" if outcome.arguments is None else json.dumps(outcome.arguments)
    details = f"{outcome.detail}\n{arguments}".strip()
    return case._replace(failure=outcome.detail, details=details)
