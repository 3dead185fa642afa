"""What a type checker must see of the doctor; checked, never run."""

from collections.abc import Iterator
from typing import assert_type

from toolwright import Toolbox
from toolwright.doctor import Check, CheckedTool, CheckedToolbox, Finding, Report, Severity, check

box = Toolbox("box")


@check("own", severity="error", fix="mend it")
def own(tool: CheckedTool) -> Iterator[Finding | str]:
    """Find something."""
    for name in tool.properties:
        yield tool.finding("is wrong", parameter=name, severity=Severity.INFO)
    yield tool.name


@check("whole", scope="toolbox")
def whole(tools: CheckedToolbox) -> Finding | None:
    return tools.finding("is empty") if len(tools) == 0 else None


assert_type(own, Check)
report = box.check(select="own", ignore=["flow"], severity={"own": "off"}, checks=[own, whole])
assert_type(report, Report)
assert_type(report.findings, tuple[Finding, ...])
assert_type(report.has_errors, bool)
assert_type(report.counts, dict[str, int])
assert_type([each.severity for each in report], list[Severity])
assert_type(report.render("sarif"), str)
