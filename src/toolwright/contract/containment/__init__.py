"""Whether every value of one JSON Schema also fits another."""

from __future__ import annotations

from .verdict import Verdict, contains

__all__ = ["Verdict", "contains"]
