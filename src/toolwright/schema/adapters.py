"""The pydantic adapters of a tool: of its arguments and values.

For arguments, pydantic compiles a stand-in of the target. What matters about a core schema before
anything is validated with it are its traits, found in one walk.
"""

from __future__ import annotations

import datetime as dt
import decimal
import inspect
import operator
import pathlib
import types
import typing
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextvars import ContextVar
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple, cast, get_args, get_origin
from weakref import WeakKeyDictionary

from pydantic import BaseModel, ConfigDict, PydanticUserError, TypeAdapter
from pydantic_core import SchemaSerializer, SchemaValidator, core_schema
from typing_extensions import TypeAliasType

from .._json_values import JsonObject, is_object
from ..read.signature import EMPTY, KEYWORD_ONLY, VAR_KEYWORD, Parameter
from .constraints import fit_of
from .core_schemas import BASE64, OPAQUE, is_written_by_name, refusing, with_base64, with_own_names
from .generate import Generator
from .hints import strip_annotated
from .json_rules import JsonRules, hands_on, has_numbers, is_read_otherwise, with_exact_numbers
from .plan import Plan, Slot

# Types whose values Python and JSON write alike: strict validation of a dict gives the same either
# way. Not among them: what JSON writes as text (dates, bytes, enums) or as a list (sets, tuples),
# and `Any`, which would hand over the caller's own objects.
_ALIKE = frozenset(
    (
        "call",
        "arguments",
        "int",
        "float",
        "bool",
        "str",
        "none",
        "list",
        "dict",
        "model",
        "model-fields",
        "model-field",
        "typed-dict",
        "typed-dict-field",
        "nullable",
        "literal",
        "default",
        "definitions",
        "definition-ref",
    )
)
_EMPTY = frozenset(("int", "float", "bool", "str", "none"))
"""Kinds of nodes that hold no others, and nothing that matters here."""
_SETS = frozenset(("set", "frozenset"))
_CHOICES = frozenset(("enum", "literal"))
_HOLDERS = frozenset((dict, list, tuple))
# Only one branch of these is used: the input is JSON, and validation is strict.
_BRANCHES = {"lax-or-strict": "strict_schema", "json-or-python": "json_schema"}
_SKIPPED = OPAQUE | {
    "config",
    "serialization",
    "computed_fields",
    "json_schema_input_schema",
    "definitions",
}


class Traits(NamedTuple):
    """What matters about a core schema before anything is validated with it."""

    differs: bool
    """JSON writes values otherwise: arguments cannot be validated as a Python dict."""
    confuses: bool
    """There are enums or literals of numbers: pydantic would accept `true` for 1 there, and 2.0
    for 2."""
    has_sets: bool
    """There are sets, or dicts whose keys are not texts."""
    hands_on: bool
    """Validators of authors hand on Python values to types that JSON writes differently."""
    has_aliases: bool
    """Fields of records are read by other names."""
    own_names: bool
    """Fields of records are written by their names, not their aliases."""
    loose: bool
    """Constraints do not fit every value of their type."""
    misfit: str
    """A constraint that does not fit its type."""

    def joined(self, other: Traits) -> Traits:
        """Return the traits of two schemas together."""
        return Traits._make(own or others for own, others in zip(self, other, strict=True))


def traits_of(schema: Any, opened: frozenset[Any] = frozenset()) -> Traits:
    """Walk a core schema once; models are walked once for all tools, except those in `opened`."""
    differs = confuses = has_sets = handing_on = has_aliases = False
    own_names, loose, wrong = False, False, ""
    models: list[Traits] = []
    by_ref: dict[str, Any] = {}
    if schema["type"] == "definitions":
        by_ref = {definition["ref"]: definition for definition in schema["definitions"]}
    for node, below in _nodes(schema, by_ref, models, opened):
        kind = node["type"]
        if kind in _CHOICES:
            confuses = confuses or has_numbers(node)
        elif kind == "dict":
            has_sets = has_sets or _has_other_keys(node)
        elif kind not in _ALIKE:
            has_sets = has_sets or kind in _SETS
            fit = fit_of(node, by_ref)
            loose = loose or fit.loose
            wrong = wrong or fit.misfit
        differs = differs or kind not in _ALIKE
        handing_on = handing_on or (below and is_read_otherwise(node))
        has_aliases = has_aliases or "validation_alias" in node
        own_names = own_names or is_written_by_name(node)
    traits = Traits(differs, confuses, has_sets, handing_on, has_aliases, own_names, loose, wrong)
    for model in models:
        if model != traits:
            traits = traits.joined(model)
    return traits if traits.misfit else _shared.setdefault(traits, traits)


_shared: dict[Traits, Traits] = {}
"""Each combination once: most tools have the same, and there are 128 at most."""


def _of_model(model: Any, opened: frozenset[Any]) -> Traits | None:
    """Return the traits of a model, as it is by itself; None if it must be walked here."""
    schema = model.__dict__.get("__pydantic_core_schema__")
    if model in opened or not is_object(schema):  # it holds itself, or is not complete yet
        return None
    entry = _models.get(model)
    if entry is None or entry[0] != id(schema):
        entry = _models[model] = id(schema), traits_of(schema, opened | {model})
    return entry[1]


_models: WeakKeyDictionary[Any, tuple[int, Traits]] = WeakKeyDictionary()
"""By model: the id of its core schema, as it may be rebuilt, and the traits of that."""


def _nodes(
    schema: Any, known: dict[str, Any], models: list[Traits], opened: frozenset[Any]
) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the nodes that strict validation of JSON goes through.

    Each comes with whether a validator of the author may already have changed the value. The traits
    of models whose values are unchanged are added to `models` instead.
    """
    visited: set[tuple[str, bool]] = set()
    todo: list[tuple[Any, bool]] = [(schema, False)]
    while todo:
        part, below = todo.pop()
        if is_object(part):
            kind = part.get("type")
            if not isinstance(kind, str):  # a map of names, such as a model's fields
                todo.extend((value, below) for value in part.values())
            elif kind == "definition-ref":
                place = (part["schema_ref"], below)
                if place not in visited and place[0] in known:
                    visited.add(place)
                    todo.append((known[place[0]], below))
            elif (
                kind == "model"
                and not below
                and (traits := _of_model(part["cls"], opened)) is not None
            ):
                models.append(traits)
            elif kind not in _EMPTY:
                yield part, below
                below = below or hands_on(part)
                todo.extend([(below_part, below) for below_part in _inside(part)])
        elif isinstance(part, list | tuple):
            todo.extend((member, below) for member in cast("list[Any]", part))


def _inside(node: dict[str, Any]) -> Iterable[Any]:
    branch = _BRANCHES.get(node["type"])
    if branch is not None:
        return (node[branch],)
    return [
        part for word, part in node.items() if part.__class__ in _HOLDERS and word not in _SKIPPED
    ]


def _has_other_keys(node: dict[str, Any]) -> bool:
    return node["type"] == "dict" and node.get("keys_schema", _TEXT)["type"] != "str"


_TEXT = {"type": "str"}


# JSON has neither bytes nor NaN.
_CONFIG = ConfigDict(**BASE64, allow_inf_nan=False)
# Types that pydantic does not know cannot be sent; each is settled on its own.
_ARGUMENTS = ConfigDict(**BASE64, allow_inf_nan=False, arbitrary_types_allowed=True)
_CORE: Any = {**BASE64, "allow_inf_nan": False}


def arguments_adapter(planned: Plan) -> TypeAdapter[Any]:
    """Make the adapter of a tool's arguments."""
    stand_in: Any = StandIn(planned, _arguments, _CORE)
    adapter = TypeAdapter[Any](stand_in, config=_ARGUMENTS)
    if not adapter.pydantic_complete:
        adapter.rebuild(force=True)  # raises, with the unknown name
    return adapter


def arguments_schema(planned: Plan) -> tuple[JsonObject, dict[str, Any]]:
    """Return the schema of a plan's arguments as it is before any style, and its definitions.

    It is made again for this: only calls that are repaired or refused need it, and if it were kept,
    it would take more memory than everything else that is known about a tool.
    """
    adapter = arguments_adapter(planned)
    schemas, definitions = TypeAdapter.json_schemas(
        [(0, "validation", adapter)], schema_generator=Generator
    )
    return schemas[0, "validation"], definitions.get("$defs", {})


def _arguments(**validated: Any) -> dict[str, Any]:
    return validated


def forget_schema(adapter: TypeAdapter[Any]) -> None:
    """Empty the schema of an adapter for arguments, which its validator would otherwise keep.

    The validator needs it only to be pickled, which ours never is. It takes a few kilobytes.
    """
    schema: Any = adapter.core_schema
    schema.clear()


def remove_arguments(adapter: TypeAdapter[Any], names: Collection[str]) -> None:
    """Take arguments out of an adapter; the empty name stands for unknown ones."""
    adapter.core_schema = _without_arguments(adapter.core_schema, names)
    adapter.validator = SchemaValidator(adapter.core_schema, _CORE)


def _without_arguments(schema: Any, names: Collection[str]) -> Any:
    if schema["type"] == "definitions":
        return {**schema, "schema": _without_arguments(schema["schema"], names)}
    if schema["type"] == "call":
        arguments = _without_arguments(schema["arguments_schema"], names)
        return {**schema, "arguments_schema": arguments}
    parameters = [
        parameter for parameter in schema["arguments_schema"] if parameter["name"] not in names
    ]
    changed = {**schema, "arguments_schema": parameters}
    if "" in names:
        changed.pop("var_kwargs_schema", None)
        changed.pop("var_kwargs_mode", None)
    return changed


def known_adapter(hint: Any) -> TypeAdapter[Any] | None:
    """Return the adapter of a return type that means the same for all tools; None if it may not."""
    key = key_of(hint)
    if key is None:
        return None
    adapter = _known_adapters.get(key)
    if adapter is None:
        if len(_known_adapters) >= MOST_KNOWN:
            _known_adapters.clear()
        adapter = _known_adapters[key] = value_adapter(hint)
    return adapter


_known_adapters: dict[Any, TypeAdapter[Any]] = {}


def value_adapter(hint: Any) -> TypeAdapter[Any]:
    """Make the adapter of a return type."""
    scalar: Any = scalar_type(hint, _CORE)
    if scalar is not None:
        return TypeAdapter[Any](scalar)
    try:
        return TypeAdapter(hint, config=_CONFIG)
    except PydanticUserError as error:
        if error.code != "type-adapter-config-unused":
            raise
    bare = strip_annotated(hint)
    if hasattr(bare, "__pydantic_complete__"):
        return TypeAdapter(hint)
    # A dataclass or TypedDict without configuration of its own takes ours through an alias.
    make: Any = TypeAliasType
    return TypeAdapter(make(bare.__name__, hint), config=_CONFIG)


def validator_of(
    adapter: TypeAdapter[Any],
    *,
    own_bytes: bool,
    hands_on: bool = False,
    leaves_out: bool = False,
    exact_numbers: bool = False,
) -> Any:
    """Return the validator of JSON values.

    With `own_bytes`, it reads base64 inside models too: JSON has no bytes, and a model that does
    not say how it reads them would take any text. With `hands_on`, the rules of JSON hold below
    the validators of authors too, and a value that a constraint does not fit is refused. With
    `leaves_out`, nothing can be sent for the fields that are left out. With `exact_numbers`, no
    boolean is taken for a number in an enum or a literal.
    """
    if not (own_bytes or hands_on or leaves_out or exact_numbers):
        return adapter.validator
    schema: Any = adapter.core_schema
    if leaves_out:
        schema = refusing(schema)
    if own_bytes:
        schema = with_base64(schema)
    if exact_numbers:
        schema = with_exact_numbers(schema)
    if hands_on:
        return JsonRules(schema, _CORE).validator()
    return SchemaValidator(schema, _CORE, _use_prebuilt=False)


class OutputValidator(NamedTuple):
    """Validates values as Python objects, and as their JSON."""

    validate_python: Any
    validate_json: Any


def output_validator_of(adapter: TypeAdapter[Any], traits: Traits, *, own_bytes: bool) -> Any:
    """Return the validator of a tool's values."""
    by_python = validator_of(adapter, own_bytes=own_bytes)
    hands_on = traits.hands_on or traits.loose
    if not (hands_on or traits.has_aliases):
        return by_python
    by_json = validator_of(adapter, own_bytes=own_bytes, hands_on=hands_on)
    if not traits.has_aliases:
        return OutputValidator(by_python.validate_python, by_json.validate_json)
    # A function returns a TypedDict by its own keys; aliases are for JSON.
    return OutputValidator(
        partial(by_python.validate_python, by_name=True, by_alias=True),
        partial(by_json.validate_json, by_name=True, by_alias=True),
    )


def serializer_of(adapter: TypeAdapter[Any], traits: Traits, *, own_bytes: bool) -> Any:
    """Return the serialiser; with `own_bytes`, one that writes base64 inside models too."""
    if not (own_bytes or traits.own_names):
        return adapter.serializer
    schema: Any = adapter.core_schema
    if own_bytes:
        schema = with_base64(schema)
    if traits.own_names:
        schema = with_own_names(schema, {})
    return SchemaSerializer(schema, _CORE, _use_prebuilt=False)


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
    return key is not None and (key in _known_schemas or key in _SCALARS)


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
    schema = _known_schemas.get(key)
    if schema is None:
        if len(_known_schemas) >= MOST_KNOWN:
            _known_schemas.clear()
        schema = _known_schemas[key] = handler.generate_schema(hint)
    return schema


MOST_KNOWN = 500
_known_schemas: dict[Any, Any] = {}
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
