"""Reports of tests: latencies, coverage, JSON and JUnit."""

import json
import xml.etree.ElementTree as ET

import pytest

from toolwright import Toolbox
from toolwright.contract.trials import try_tools
from toolwright.contract.trials.junit import junit
from toolwright.contract.trials.calls import Outcome, TrialReport, percentile


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [([], 50, 0), ([3], 95, 3), ([1, 2, 3, 4], 50, 2), (list(range(1, 101)), 95, 95)],
)
def test_a_percentile_is_one_of_the_values(values, percent, expected):
    assert percentile(values, percent) == expected


@pytest.mark.promise("testing.coverage")
def test_coverage_is_of_tools_and_of_their_parameters():
    box = Toolbox("box")

    @box.tool
    def search(query: str, limit: int = 1, deep: bool = False) -> str:
        """
        >>> search("a", limit=2)
        'a'
        """
        return query

    @box.tool
    def other() -> int:
        return 1

    coverage = try_tools(box).coverage
    assert (coverage.tools_percent, coverage.parameters_percent) == (50, 66.7)
    assert coverage.to_dict()["missed"] == {"search": ["deep"], "other": "not called"}


def test_a_report_is_json():
    box = Toolbox("box", [abs_of])
    report = try_tools(box, generate=5)
    data = json.loads(json.dumps(report.to_dict()))
    assert data["passed"] == 2
    assert data["latency_ms"]["p50"] <= data["latency_ms"]["p95"]
    assert data["seed"] == 0
    assert data["results"][0]["tool"] == "abs_of"


def abs_of(number: int) -> int:
    """
    >>> abs_of(-1)
    1
    """
    return abs(number)


def test_junit_holds_any_text():
    outcomes = [
        Outcome(tool="a", kind="file", status="passed", label='"<&>', source="x.yaml:1"),
        Outcome(
            tool="b",
            kind="generated",
            status="failed",
            detail="]]> \x00 \ud800 <b> \n second",
            arguments={"x": "\x1b"},
            seconds=0.5,
        ),
        Outcome(tool="c", kind="generated", status="skipped", detail="it is destructive"),
    ]
    root = ET.fromstring(junit(TrialReport(outcomes=outcomes), "box").encode())
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    passed, failed, skipped = suite
    assert passed.get("name") == 'file "<&> x.yaml:1'
    assert failed[0].get("message") == "]]> \ufffd \ufffd <b> \n second"
    assert failed[0].text.endswith('{"x": "\\u001b"}')
    assert skipped[0].tag == "skipped"


def test_tools_that_cannot_be_compiled_are_left_out():
    box = Toolbox("box", [abs_of])
    box.add(broken)
    assert [each.tool for each in try_tools(box).outcomes] == ["abs_of"]


def broken(x: "Nowhere") -> int: ...  # noqa: F821
