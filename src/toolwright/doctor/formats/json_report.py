"""A report as JSON."""

from __future__ import annotations

import json

from .reported import Reported


def json_of(report: Reported) -> str:
    """Return a report as one JSON object."""
    document = {
        "version": 1,
        "tools": len(report.tools),
        "counts": report.counts,
        "suppressed": report.suppressed,
        "findings": [finding.to_dict() for finding in report],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)
