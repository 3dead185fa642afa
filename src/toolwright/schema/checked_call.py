"""Functions whose calls pydantic's `validate_call` checks once more.

They take a parameter with an alias by position or by that alias only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import FunctionType, MethodType
from typing import Any

from pydantic import AliasChoices, AliasGenerator
from pydantic.fields import FieldInfo

from ..read.signature import KEYWORD_ONLY, POSITIONAL_OR_KEYWORD, Parameter
from ..read.wrappers import attribute
from .types.hints import metadata


def is_checked(call: Any) -> bool:
    """Return whether calling a target goes through `validate_call`."""
    while isinstance(call, partial):
        call = call.func
    return attribute(call, "raw_function") is not None


def aliases_of(parameters: list[Parameter], call: Any) -> dict[str, str]:
    """Return the aliases under which parameters are passed, by their names."""
    generate = _alias_generator(call)
    aliases = {
        p.name: _written_alias(p) or (generate(p.name) if generate else "") for p in parameters
    }
    return {name: alias for name, alias in aliases.items() if alias}


def _written_alias(parameter: Parameter) -> str:
    for item in (parameter.default, *reversed(metadata(parameter.hint))):
        alias: Any = item.validation_alias if isinstance(item, FieldInfo) else None
        if isinstance(alias, AliasChoices):
            alias = alias.choices[0]
        if isinstance(alias, str):
            return alias
    return ""


def _alias_generator(call: Any) -> Callable[[str], str] | None:
    """Return the `alias_generator` of a checked function, if it can be found.

    Nothing public gives it. Without it, parameters that are passed by position still work.
    """
    while isinstance(call, partial):
        call = call.func
    if isinstance(call, MethodType):
        call = call.__func__
    for cell in (call.__closure__ or ()) if isinstance(call, FunctionType) else ():
        checker = attribute(cell.cell_contents, "__self__")
        generator = attribute(attribute(checker, "config_wrapper"), "alias_generator")
        if isinstance(generator, AliasGenerator):
            generator = generator.validation_alias or generator.alias
        if callable(generator):
            return lambda name: str(generator(name))
    return None


def without_bound(
    parameters: list[Parameter], call: Any, aliases: Mapping[str, str]
) -> list[Parameter]:
    """Leave out the parameters that a `functools.partial` has bound by their aliases."""
    bound: set[str] = set()
    while isinstance(call, partial):
        bound |= call.keywords.keys()
        call = call.func
    unbound: list[Parameter] = []
    by_keyword = False
    for parameter in parameters:
        if aliases.get(parameter.name) in bound:
            by_keyword = True
        elif by_keyword and parameter.kind is POSITIONAL_OR_KEYWORD:
            # By position it would land on the one that is bound.
            unbound.append(parameter._replace(kind=KEYWORD_ONLY))
        else:
            unbound.append(parameter)
    return unbound
