"""Hooks that watch calls: a line for each, spans, and metrics. `box.around(audit("calls.jsonl"))`."""

from .audit import audit
from .metrics import metrics
from .spans import spans

__all__ = ["audit", "metrics", "spans"]
