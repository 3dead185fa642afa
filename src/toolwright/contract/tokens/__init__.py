"""What tools cost a model: tokens, part by part."""

from .budget import TokenBudget
from .costs import ToolCost, costs_of
from .estimate import estimate_tokens
from .savings import Saving, savings_in

__all__ = ["Saving", "TokenBudget", "ToolCost", "costs_of", "estimate_tokens", "savings_in"]
