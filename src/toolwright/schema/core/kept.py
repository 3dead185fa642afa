"""The parts of a plan that a compiled tool keeps."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ...read.signature import Parameter
from ..plan import Plan, Slot

NOTHING: Mapping[str, Any] = MappingProxyType({})


def kept_plan(planned: Plan, parameters: tuple[Parameter, ...]) -> Plan:
    """Make a plan final and small: most plans leave most of their fields empty.

    From here on, a parameter that says the same stands for its slot. This saves 0.9 kB per tool.
    """
    plan: Any = planned
    by_name = {parameter.name: parameter for parameter in parameters}
    slots = tuple(_as_parameter(slot, by_name.get(slot.name)) for slot in planned.slots)
    alike = len(slots) == len(parameters) and all(map(operator.is_, slots, parameters))
    plan.slots = parameters if alike else slots
    plan.problems = ()  # the tool has them
    for name in ("positional", "absent"):
        setattr(plan, name, tuple(getattr(plan, name)))
    for name in ("fixed", "factories", "injected", "renamed"):
        if not getattr(plan, name):
            setattr(plan, name, NOTHING)
    return plan


def _as_parameter(slot: Slot, own: Parameter | None) -> Slot | Parameter:
    if own is None or own.hint is not slot.hint or own.default is not slot.default:
        return slot
    return own
