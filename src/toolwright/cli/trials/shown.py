"""How outcomes of tests are shown."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..._words import count_of
from ...contract.trials.calls import Coverage, Outcome, TrialReport
from .. import output

_SIGNS = {"passed": "ok", "failed": "FAILED", "skipped": "skipped"}
_STYLES = {"passed": "green", "failed": "bold red", "skipped": "dim"}
_LONGEST = 60
"""Characters of a value that is written as `key=value`."""


def show(report: TrialReport, target: str, schemas: Mapping[str, Any]) -> None:
    """Print every outcome, how to repeat each failure, and the totals."""
    for outcome in report.outcomes:
        _line(outcome)
        if outcome.status == "failed":
            _failure(outcome, target, schemas.get(outcome.tool, {}))
    counts = f"{len(report.passed)} passed, {len(report.failed)} failed"
    skipped = f", {len(report.skipped)} skipped" if report.skipped else ""
    output.say(f"Tests: {counts}{skipped}")
    if report.calls:
        p50, p95 = report.latency_p50 * 1000, report.latency_p95 * 1000
        calls = count_of(len(report.calls), "call")
        output.say(f"Latency: p50 {p50:.1f} ms, p95 {p95:.1f} ms ({calls})")


def _line(outcome: Outcome) -> None:
    what = [f"{outcome.tool}"]
    if outcome.kind == "generated":
        what.append("generated")
    if outcome.label:
        what.append(outcome.label)
    if outcome.source:
        what.append(_short(outcome.source))
    counts = _counts(outcome)
    if counts:
        what.append(f"({counts})")
    if outcome.status == "skipped":
        what.append(f"- {outcome.detail}")
    sign = _SIGNS[outcome.status]
    if not output.has_colours():
        output.print_hanging(f"{sign:7} {'  '.join(what)}", 8)
        return
    from rich.text import Text

    from ..._log.printable import printable

    line = Text.assemble((f"{sign:7} ", _STYLES[outcome.status]), printable("  ".join(what)))
    output.print_styled(line)


def _short(place: str) -> str:
    """Return a place as seen from here."""
    return place.removeprefix(f"{Path.cwd()}/")


def _counts(outcome: Outcome) -> str:
    parts: list[str] = []
    if outcome.kind == "generated" and outcome.calls:
        parts.append(count_of(outcome.calls, "call"))
    if outcome.refused:
        parts.append(f"{outcome.refused} refused")
    if outcome.errors and outcome.kind == "generated":
        such = f" such as `{outcome.said}`" if outcome.said else ""
        parts.append(f"{count_of(outcome.errors, 'error')}{such}")
    if outcome.calls:
        parts.append(f"{outcome.seconds / outcome.calls * 1000:.1f} ms")
    return ", ".join(parts)


def _failure(outcome: Outcome, target: str, schema: Mapping[str, Any]) -> None:
    for line in outcome.detail.split("\n"):
        output.print_hanging(f"        {line}", 8)
    if outcome.arguments is not None:
        output.say(f"        {call_line(target, outcome.tool, outcome.arguments, schema)}")
        if outcome.kind == "generated":
            for line in as_yaml(outcome):
                output.say(f"        {line}")


def call_line(
    target: str, tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]
) -> str:
    """Return the command that makes a call; `target` is as typed, with a blank before it."""
    properties = schema.get("properties", {})
    pairs = [_pair(name, value, properties.get(name, {})) for name, value in arguments.items()]
    if None in pairs:
        words = ["--json", json.dumps(arguments, ensure_ascii=True)]
    else:
        words = [pair for pair in pairs if pair is not None]
    return f"toolwright call{target} {shlex.join([tool, *words])}"


def _pair(name: str, value: Any, schema: Mapping[str, Any]) -> str | None:
    """Return an argument as `key=value`, if it is read back unchanged."""
    if "=" in name or not name.isprintable() or name.startswith("-"):
        return None
    if isinstance(value, str):
        is_plain = schema.get("type") == "string" and value.isprintable() and value.isascii()
        is_safe = len(value) <= _LONGEST and not value.startswith("@") and value != "-"
        return f"{name}={value}" if is_plain and is_safe else None
    if isinstance(value, bool):
        return f"{name}={json.dumps(value)}"
    is_number = isinstance(value, int | float) and schema.get("type") == "number"
    is_integer = isinstance(value, int) and schema.get("type") == "integer"
    return f"{name}={value}" if is_number or is_integer else None


def as_yaml(outcome: Outcome) -> list[str]:
    """Return a failure as lines for the file of tests; JSON is YAML."""
    arguments = json.dumps(outcome.arguments, ensure_ascii=True)
    return [f"- tool: {json.dumps(outcome.tool)}", f"  params: {arguments}"]


def show_coverage(coverage: Coverage) -> None:
    """Print which tools were called, and which parameters were given."""
    output.print_heading("Coverage")
    for tool, names in coverage.parameters.items():
        if tool not in coverage.given:
            output.say(f"  ·  {tool}: not called")
            continue
        missed = coverage.missed_of(tool)
        coverage_of_tool = f"{len(names) - len(missed)} of {count_of(len(names), 'parameter')}"
        more = f", never given: {', '.join(missed)}" if missed else ""
        output.say(f"  {'✓' if not missed else '~'}  {tool}: {coverage_of_tool}{more}")
    called = len(coverage.parameters) - len(coverage.missed)
    tools = (
        f"{called} of {count_of(len(coverage.parameters), 'tool')} ({coverage.tools_percent:g} %)"
    )
    output.say(f"Coverage: {tools}, {coverage.parameters_percent:g} % of parameters")
