"""What the type variables of generic classes stand for."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping
from typing import Any, Self, TypeVar, Union, get_args, get_origin

from .names.unresolved import arguments_of


def type_arguments(owner: Any, method: str = "__init__") -> dict[Any, Any]:
    """Return what type variables stand for in the class where a method was written.

    The owner is a generic alias, an instance or a class.
    """
    # Looked up without running the owner's code: a method may belong to an unfinished instance.
    alias = owner if get_origin(owner) else inspect.getattr_static(owner, "__orig_class__", None)
    cls: Any = get_origin(alias) or (owner if isinstance(owner, type) else type(owner))
    variables = getattr(cls, "__parameters__", ())
    by_class: dict[type, dict[Any, Any]] = {
        cls: dict(zip(variables, get_args(alias), strict=False))
    }
    mro: tuple[type, ...] = cls.__mro__
    for base in mro:
        bases: tuple[Any, ...] = vars(base).get("__orig_bases__", ())
        for alias_of_base in bases:
            origin: Any = get_origin(alias_of_base)
            substituted = [
                with_arguments(argument, by_class.get(base, {}))
                for argument in get_args(alias_of_base)
            ]
            variables = getattr(origin, "__parameters__", ())
            by_class.setdefault(origin, dict(zip(variables, substituted, strict=False)))
    home = next((base for base in mro if method in vars(base)), cls)
    return by_class.get(home, {})


def with_arguments(hint: Any, known: Mapping[Any, Any]) -> Any:
    """Return a hint with its type variables replaced by what they stand for."""
    if isinstance(hint, TypeVar):
        return known.get(hint, hint)
    if isinstance(hint, type):
        return hint
    variables: tuple[Any, ...] = getattr(hint, "__parameters__", ())
    if not any(variable in known for variable in variables):
        return hint
    return hint[tuple(known.get(variable, variable) for variable in variables)]


def with_owner(hint: Any, owner: type | None) -> Any:
    """Return a hint with `Self` in it replaced by the class that it stands for."""
    if hint is Self and owner is not None:
        return owner
    parts = arguments_of(hint)
    new_parts = tuple(with_owner(part, owner) for part in parts)
    if all(new is old for new, old in zip(new_parts, parts, strict=True)):
        return hint
    if isinstance(hint, types.UnionType):
        return Union[new_parts]  # noqa: UP007 - as many arms as there were
    return hint.copy_with(new_parts) if hasattr(hint, "copy_with") else hint.__origin__[new_parts]
