"""Hooks that watch calls and refusals: lines, spans, metrics. `box.around(audit("calls.jsonl"))`."""

from .audit import audit
from .metrics import metrics
from .spans import spans

__all__ = ["audit", "metrics", "spans"]
