"""How many tokens tools may take, and what exceeds that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._json_values import is_object
from .costs import ToolCost


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """How many tokens a tool, and all tools together, may take; None is no limit."""

    max_tool: int | None = None
    max_total: int | None = None

    def over(self, costs: Sequence[ToolCost]) -> list[str]:
        """Return what is over the budget, one line each; nothing if all is well."""
        lines: list[str] = []
        if self.max_tool is not None:
            lines += [
                f"{cost.tool} takes {cost.total:,} tokens; at most {self.max_tool:,} are allowed"
                for cost in costs
                if cost.total > self.max_tool
            ]
        total = sum(cost.total for cost in costs)
        if self.max_total is not None and total > self.max_total:
            allowed = f"at most {self.max_total:,} are allowed"
            lines.append(f"all tools together take {total:,} tokens; {allowed}")
        return lines


def budget_from(table: Mapping[str, Any], dialect: str, known: Sequence[str]) -> TokenBudget:
    """Read `[tool.toolwright.tokens]`: for all, and for one provider. Raises `ValueError`."""
    limits: dict[str, int] = {}
    for key, value in table.items():
        if key in ("max_tool", "max_total"):
            limits[key] = _limit(key, value)
        elif key not in known:
            has = "max_tool, max_total, and tables of providers such as openai"
            msg = f"[tool.toolwright.tokens] has no `{key}`; it has {has}"
            raise ValueError(msg)
    overrides = table.get(dialect, {})
    if not is_object(overrides):
        msg = f"`tokens.{dialect}` must be a table; got {overrides!r}"
        raise ValueError(msg)
    for key, value in overrides.items():
        if key not in ("max_tool", "max_total"):
            msg = f"[tool.toolwright.tokens.{dialect}] has no `{key}`; it has max_tool, max_total"
            raise ValueError(msg)
        limits[key] = _limit(f"{dialect}.{key}", value)
    return TokenBudget(**limits)


def _limit(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        msg = f"`tokens.{key}` must be a whole number; got {value!r}"
        raise ValueError(msg)
    return value
