"""What pydantic compiles instead of a target: its planned arguments."""

from __future__ import annotations

import datetime as dt
import decimal
import inspect
import operator
import pathlib
import types
import typing
import uuid
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from enum import Enum
from types import MappingProxyType
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import SchemaSerializer, SchemaValidator, core_schema

from ..read.signature import EMPTY, KEYWORD_ONLY, VAR_KEYWORD, Parameter
from .plan import Plan, Slot

_SCALARS: dict[Any, Any] = {
    str: core_schema.str_schema,
    int: core_schema.int_schema,
    float: core_schema.float_schema,
    bool: core_schema.bool_schema,
}
_PLAIN_CLASSES: frozenset[Any] = frozenset(
    (
        *_SCALARS,
        *(list, dict, set, frozenset, tuple, bytes, type(None), Any),
        *(dt.date, dt.datetime, dt.time, dt.timedelta),
        *(decimal.Decimal, pathlib.Path, uuid.UUID),
    )
)
_PLAIN_GENERICS: frozenset[Any] = frozenset(
    (list, dict, set, frozenset, tuple, typing.Union, types.UnionType)
)
_PLAIN_DEFAULTS = frozenset(
    (str, int, float, bool, type(None), list, dict, set, frozenset, tuple, bytes)
)
_BY_MODEL: Any = BaseModel.__get_pydantic_core_schema__.__func__


TAKEN_ONLY: ContextVar[bool] = ContextVar("taken_only", default=False)
"""Whether the schema of arguments is being made, which needs no serialisers."""


class StandIn:
    """A type whose values are the validated arguments of a plan.

    pydantic would compile a function with the same parameters, but takes five times as long for
    each of them: it looks for what only `Annotated` can say. So it gets such a function only for
    the parameters that may say something.
    """

    def __init__(self, planned: Plan, function: Callable[..., Any], config: Any) -> None:
        self.planned = planned
        self.function = function
        if planned.extra is EMPTY and all(map(_is_known, planned.slots)):
            # As in a model: `TypeAdapter` takes these instead of generating a schema, and
            # does not look through all installed packages for plugins, which takes 10 ms.
            schema = call_schema(planned, function, None)
            self.__pydantic_core_schema__ = schema
            self.__pydantic_validator__ = SchemaValidator(schema, config)
            self.__pydantic_serializer__ = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Write the call of the function with the planned arguments."""
        token = TAKEN_ONLY.set(True)
        try:
            return call_schema(self.planned, self.function, handler)
        finally:
            TAKEN_ONLY.reset(token)


class _Scalar:
    """A type that needs no generating: it already has what `TypeAdapter` needs."""

    def __init__(self, schema: Any, config: Any) -> None:
        self.__pydantic_core_schema__ = schema
        self.__pydantic_validator__ = SchemaValidator(schema, config)
        self.__pydantic_serializer__ = SchemaSerializer(schema, config)


def scalar_type(hint: Any, config: Any) -> Any:
    """Return a type for pydantic that stands for `str`, `int`, `float` or `bool`; else None."""
    make = _SCALARS.get(hint) if isinstance(hint, type) else None
    return None if make is None else _Scalar(make(), config)


def call_schema(planned: Plan, function: Callable[..., Any], handler: Any) -> Any:
    """Return the core schema of a function's call with the planned arguments."""
    arguments: dict[str, Any] = {}
    indirect: list[Slot] = []
    for slot in planned.slots:
        if _is_plain(slot.hint) and _is_plain_default(slot.default):
            arguments[slot.name] = _parameter(slot, handler)
        else:
            indirect.append(slot)
    if indirect or planned.extra is not EMPTY:
        call_arguments: Any = handler.generate_schema(_with_signature(planned, indirect))[
            "arguments_schema"
        ]
        arguments.update(
            (argument["name"], argument) for argument in call_arguments["arguments_schema"]
        )
    else:
        call_arguments = core_schema.arguments_schema([])
    call_arguments["arguments_schema"] = [arguments[slot.name] for slot in planned.slots]
    return core_schema.call_schema(call_arguments, function)


def _is_known(slot: Slot) -> bool:
    """Return whether the core schema of an argument needs no handler."""
    if not _is_plain_default(slot.default):
        return False
    key = key_of(slot.hint)
    return key is not None and (key in _known or key in _SCALARS)


def _parameter(slot: Slot, handler: Any) -> Any:
    scalar = _SCALARS.get(slot.hint) if isinstance(slot.hint, type) else None
    schema = scalar() if scalar is not None else _generated(slot.hint, handler)
    if slot.default is not EMPTY:
        schema = core_schema.with_default_schema(schema, default=slot.default)
    return core_schema.arguments_parameter(slot.name, schema, mode="keyword_only")


def _generated(hint: Any, handler: Any) -> Any:
    key = key_of(hint)
    if key is None:
        return handler.generate_schema(hint)
    schema = _known.get(key)
    if schema is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        schema = _known[key] = handler.generate_schema(hint)
    return schema


MOST_KNOWN = 500
_known: dict[Any, Any] = {}
"""Core schemas of hints that mean the same everywhere, by their keys."""


def key_of(hint: Any) -> Any:
    """Return a key that tells a hint from others, if it is made of Python's own types; else None.

    Hints that are equal need not be the same: the order of a union or a `Literal` counts.
    """
    if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        return hint if hint in _PLAIN_CLASSES else None
    origin = get_origin(hint)
    arguments = get_args(hint)
    if origin is typing.Literal:
        if all(constant.__class__ in _PLAIN_DEFAULTS for constant in arguments):
            return origin, *((constant.__class__, constant) for constant in arguments)
        return None
    if origin not in _PLAIN_GENERICS:
        return None
    inside = [argument if argument is Ellipsis else key_of(argument) for argument in arguments]
    return None if None in inside else (origin, *inside)


def _is_plain(hint: Any) -> bool:
    """Return whether a hint holds nothing that asks for the name of its parameter."""
    if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        if hint in _PLAIN_CLASSES:
            return True
        if issubclass(hint, BaseModel):
            return _by(hint) is _BY_MODEL
        return issubclass(hint, Enum) and not hasattr(hint, "__get_pydantic_core_schema__")
    origin = get_origin(hint)
    if origin is typing.Literal:
        return True
    return origin in _PLAIN_GENERICS and all(
        argument is Ellipsis or _is_plain(argument) for argument in get_args(hint)
    )


def _by(model: Any) -> Any:
    return getattr(model.__get_pydantic_core_schema__, "__func__", None)


def _is_plain_default(default: Any) -> bool:
    return default is EMPTY or type(default) in _PLAIN_DEFAULTS or isinstance(default, Enum)


def _with_signature(planned: Plan, slots: list[Slot]) -> Callable[..., Any]:
    """Return a function that has some of the planned arguments, and the unknown ones."""

    def function(**validated: Any) -> dict[str, Any]:
        return validated

    parameters = [
        inspect.Parameter(slot.name, KEYWORD_ONLY, annotation=slot.hint, default=slot.default)
        for slot in slots
    ]
    if planned.extra is not EMPTY:
        name = "extra"
        while any(slot.name == name for slot in planned.slots):
            name += "_"
        parameters.append(inspect.Parameter(name, VAR_KEYWORD, annotation=planned.extra))
    vars(function)["__signature__"] = inspect.Signature(parameters)
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return function


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
