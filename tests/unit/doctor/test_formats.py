"""Reports as text, JSON, SARIF and JUnit."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.doctor.sarif_parts import SARIF
from toolwright import Toolbox
from toolwright.doctor import Finding, Report, Severity, check

NASTY = "\x1b]0;title\x07 \u202e \ud800 ]]> <b>&\x00 \n newline"


@check("nasty", severity="error")
def nasty(tool):
    "Says anything."
    yield tool.finding(NASTY, parameter="p\x1b[31m", fix=NASTY)


def delete_order(number: int) -> None:
    "Delete an order."


@pytest.fixture
def report():
    return Toolbox("shop", [delete_order]).check(checks=[nasty])


@pytest.mark.promise("doctor.formats")
def test_text_has_a_line_for_each_finding(report, monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)
    lines = str(report).split("\n")
    line = delete_order.__code__.co_firstlineno
    assert lines[0] == "Errors (1)"
    assert lines[3] == "Warnings (2)"
    assert lines[4] == (
        f"  test_formats.py:{line}: undocumented_param: delete_order.number has no description"
        " - describe it: in the docstring, in a comment after it, or in `Annotated`"
    )
    assert lines[-1] == "1 error, 2 warnings, 1 note in 1 tool"
    assert len([each for each in lines if each.startswith("  ")]) == len(report)
    assert str(Toolbox("b").check()) == "No problems in 0 tools"


@pytest.mark.promise("doctor.formats")
def test_json(report):
    written = json.loads(report.render("json"))
    assert {name: written[name] for name in ("version", "tools", "suppressed", "counts")} == {
        "version": 1,
        "tools": 1,
        "suppressed": 0,
        "counts": {"error": 1, "warning": 2, "info": 1},
    }
    assert written["findings"][1] == {
        "id": "undocumented_param",
        "severity": "warning",
        "message": "delete_order.number has no description",
        "tool": "delete_order",
        "parameter": "number",
        "file": __file__,
        "line": delete_order.__code__.co_firstlineno,
        "fix": "describe it: in the docstring, in a comment after it, or in `Annotated`",
        "fixable": False,
    }


@pytest.mark.promise("doctor.formats")
def test_sarif_fits_its_schema(report, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1])
    written = json.loads(report.render("sarif"))
    jsonschema.Draft7Validator(SARIF).validate(written)
    run = written["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert [each["level"] for each in run["results"]] == ["error", "warning", "warning", "note"]
    place = run["results"][1]["locations"][0]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "doctor/test_formats.py"},
        "region": {"startLine": delete_order.__code__.co_firstlineno},
    }
    assert place["logicalLocations"] == [
        {"fullyQualifiedName": "delete_order.number", "kind": "parameter"}
    ]
    prints = [each["partialFingerprints"]["toolwright/v1"] for each in run["results"]]
    assert len(set(prints)) == len(prints)
    jsonschema.Draft7Validator(SARIF).validate(json.loads(Report().render("sarif")))


def test_sarif_addresses_of_odd_files(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for file, uri in (
        (tmp_path / "a b%.py", "a%20b%25.py"),
        (tmp_path.parent / "größe.py", f"file://{tmp_path.parent}/gr%C3%B6%C3%9Fe.py"),
    ):
        found = Finding(id="x", severity=Severity.INFO, message="m", file=str(file), line=1)
        written = json.loads(Report(findings=(found,)).render("sarif"))
        jsonschema.Draft7Validator(SARIF).validate(written)
        place = written["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] == uri


@pytest.mark.promise("doctor.formats")
def test_junit(report):
    root = ElementTree.fromstring(report.render("junit"))
    suite = root.find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure.get("type") == "nasty"
    assert "undocumented_param" in suite.find("system-out").text
    strict = ElementTree.fromstring(report.render("junit", strict=True)).find("testsuite")
    assert strict.get("failures") == "3"
    healthy = Toolbox("shop", [delete_order]).check(select="long_enum")
    case = ElementTree.fromstring(healthy.render("junit")).find("testsuite/testcase")
    assert case.get("name") == "delete_order" and len(case) == 0


@pytest.mark.parametrize("format", ["text", "json", "sarif", "junit"])
def test_no_form_has_text_that_controls_a_terminal(report, format):
    text = report.render(format)
    text.encode()
    for sign in ("\x1b", "\x07", "\u202e", "\x00", "\ud800"):
        assert sign not in text


def test_an_unknown_form_is_refused(report):
    with pytest.raises(ValueError, match="text, json, sarif, junit"):
        report.render("xml")


def test_a_secret_is_in_no_form():
    box = Toolbox("b")

    @box.tool
    def call(
        x: str = "sk-abcdefghij0123456789", header: str = "see ghp_abcdefghij0123456789xyz"
    ) -> None:
        "Use postgres://me:hunter2secret@host/db for it."

    report = box.check()
    assert {each.id for each in report.errors} == {"secret_default", "secret_in_description"}
    for format in ("text", "json", "sarif", "junit"):
        text = report.render(format)
        assert "abcdefghij" not in text and "hunter2" not in text
