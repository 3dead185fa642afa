"""A report as SARIF 2.1.0, which code hosts show."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ..._door import __version__
from ..findings import Finding, Severity
from ..registry import Check
from .places import shown_file, uri_of
from .reported import Reported

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def sarif_of(report: Reported) -> str:
    """Return a report as one SARIF log."""
    index = {check.id: position for position, check in enumerate(report.checks)}
    driver = {
        "name": "toolwright doctor",
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
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def _rule(check: Check) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": check.id,
        "name": "".join(part.capitalize() for part in check.id.split("_")),
        "shortDescription": {"text": check.text or check.id},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
        "properties": {"tags": [check.group]},
    }
    if check.fix:
        rule["help"] = {"text": check.fix}
    return rule


def _result(finding: Finding, index: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.id,
        "level": _LEVELS[finding.severity],
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
