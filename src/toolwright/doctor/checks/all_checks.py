"""Every check there is, in the order of the documentation."""

from __future__ import annotations

from ..registry import Check, checks_in
from . import (
    access,
    blocking,
    definitions,
    descriptions,
    flow,
    hints,
    portability,
    secrets,
    similar,
    sizes,
    suppressing,
    token_budget,
)
from .definitions import refused_tool as REFUSED  # noqa: N812 - a value, made by `@check`
from .suppressing import failed_check as FAILED  # noqa: N812
from .suppressing import unknown_suppression as UNKNOWN_SUPPRESSION  # noqa: N812
from .suppressing import unused_suppression as UNUSED_SUPPRESSION  # noqa: N812

__all__ = ["BUILT_IN", "FAILED", "REFUSED", "UNKNOWN_SUPPRESSION", "UNUSED_SUPPRESSION"]

_MODULES = (
    definitions,
    descriptions,
    flow,
    access,
    hints,
    sizes,
    token_budget,
    secrets,
    similar,
    blocking,
    portability,
    suppressing,
)
BUILT_IN: tuple[Check, ...] = tuple({each.id: each for each in checks_in(_MODULES)}.values())
