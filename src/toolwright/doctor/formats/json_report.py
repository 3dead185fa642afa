"""A report as JSON."""

from __future__ import annotations

import json

from .reported import Reported


def json_of(report: Reported) -> str:
    """Return a report as one JSON object."""
    written = {
        "version": 1,
        "tools": len(report.tools),
        "counts": report.counts,
        "suppressed": report.suppressed,
        "findings": [each.to_dict() for each in report],
    }
    return json.dumps(written, indent=2, ensure_ascii=False)
