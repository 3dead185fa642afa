"""Outcomes of tests as JUnit's XML, which CI services read."""

from __future__ import annotations

import json
import re
from xml.sax.saxutils import escape, quoteattr

from .outcomes import Outcome, TrialReport

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold, not even escaped."""


def junit(report: TrialReport, name: str) -> str:
    """Return a report as JUnit's XML."""
    outcomes = report.outcomes
    seconds = sum(each.seconds for each in outcomes)
    counts = (
        f'tests="{len(outcomes)}" failures="{len(report.failed)}" errors="0"'
        f' skipped="{len(report.skipped)}" time="{seconds:.6f}"'
    )
    cases = "".join(map(_case, outcomes))
    suite = f"<testsuite name={_attribute(name)} {counts}>{cases}\n</testsuite>"
    return (
        f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {counts}>\n{suite}\n</testsuites>\n'
    )


def _case(outcome: Outcome) -> str:
    title = " ".join(each for each in (outcome.kind, outcome.label, outcome.source) if each)
    head = (
        f"\n<testcase classname={_attribute(outcome.tool)} name={_attribute(title)}"
        f' time="{outcome.seconds:.6f}"'
    )
    if outcome.status == "passed":
        return f"{head}/>"
    if outcome.status == "skipped":
        return f"{head}><skipped message={_attribute(outcome.detail)}/></testcase>"
    given = "" if outcome.arguments is None else json.dumps(outcome.arguments)
    text = escape(_clean(f"{outcome.detail}\n{given}".strip()))
    return f"{head}><failure message={_attribute(outcome.detail)}>{text}</failure></testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_clean(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
