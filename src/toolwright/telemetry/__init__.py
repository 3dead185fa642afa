"""Hooks that record calls: audit lines, spans, metrics.

Use them as in `box.around(audit("calls.jsonl"))`.
"""

from .audit import audit
from .metrics import metrics
from .spans import spans

__all__ = ["audit", "metrics", "spans"]
