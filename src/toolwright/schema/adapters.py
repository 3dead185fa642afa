"""The pydantic adapters of a tool: of its arguments and values."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any, NamedTuple

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic_core import SchemaSerializer, SchemaValidator
from typing_extensions import TypeAliasType

from .._json_values import JsonObject
from .core_schemas import BASE64, refusing, with_base64, with_own_names
from .generate import Generator
from .json_rules import JsonRules, with_exact_numbers
from .plan import Plan
from .stand_in import MOST_KNOWN, StandIn, key_of, scalar_type
from .traits import Traits
from .types.hints import strip_annotated

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
    adapter = _known.get(key)
    if adapter is None:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        adapter = _known[key] = value_adapter(hint)
    return adapter


_known: dict[Any, TypeAdapter[Any]] = {}


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
