"""Functions whose calls pydantic's `validate_call` checks once more.

They take a parameter with an alias by position or by that alias only.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import AliasChoices
from pydantic.fields import FieldInfo

from ..read.signature import KEYWORD_ONLY, POSITIONAL_OR_KEYWORD, Parameter
from ..read.wrappers import attribute
from .types.hints import metadata


def is_checked(call: Any) -> bool:
    """Return whether calling a target goes through `validate_call`."""
    while isinstance(call, partial):
        call = call.func
    return attribute(call, "raw_function") is not None


def alias_of(parameter: Parameter) -> str:
    """Return the alias under which a parameter is passed; "" if it has none."""
    for item in (parameter.default, *reversed(metadata(parameter.hint))):
        alias: Any = item.validation_alias if isinstance(item, FieldInfo) else None
        if isinstance(alias, AliasChoices):
            alias = alias.choices[0]
        if isinstance(alias, str):
            return alias
    return ""


def without_bound(parameters: list[Parameter], call: Any) -> list[Parameter]:
    """Leave out the parameters that a `functools.partial` has bound by their aliases."""
    bound: set[str] = set()
    while isinstance(call, partial):
        bound |= call.keywords.keys()
        call = call.func
    kept: list[Parameter] = []
    by_keyword = False
    for parameter in parameters:
        if alias_of(parameter) in bound:
            by_keyword = True
        elif by_keyword and parameter.kind is POSITIONAL_OR_KEYWORD:
            # By position it would land on the one that is bound.
            kept.append(parameter._replace(kind=KEYWORD_ONLY))
        else:
            kept.append(parameter)
    return kept
