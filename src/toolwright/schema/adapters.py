"""The pydantic adapters of a tool: of its arguments and values."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import ConfigDict, PydanticUserError, TypeAdapter
from pydantic_core import SchemaSerializer, SchemaValidator
from typing_extensions import TypeAliasType

from .._json_values import is_list, is_object
from .plan import Plan
from .types.encoded import BASE64, OPAQUE, with_base64
from .types.hints import strip_annotated

# JSON has neither bytes nor NaN.
_CONFIG = ConfigDict(**BASE64, allow_inf_nan=False)
# What pydantic does not know cannot be sent, and is settled one by one.
_ARGUMENTS = ConfigDict(**BASE64, allow_inf_nan=False, arbitrary_types_allowed=True)
_CORE: Any = {**BASE64, "allow_inf_nan": False}


def arguments_adapter(planned: Plan) -> TypeAdapter[Any]:
    """Make the adapter of a tool's arguments."""

    def arguments(**validated: Any) -> dict[str, Any]:
        return validated

    stand_in: Any = planned.stand_in(arguments)
    adapter = TypeAdapter[Any](stand_in, config=_ARGUMENTS)
    if not adapter.pydantic_complete:
        adapter.rebuild(force=True)  # raises, with the name that is not known
    return adapter


def remove_arguments(adapter: TypeAdapter[Any], names: Collection[str]) -> None:
    """Take arguments out of an adapter; the empty name stands for unknown ones."""
    adapter.core_schema = _without_arguments(adapter.core_schema, names)
    adapter.validator = SchemaValidator(adapter.core_schema, _CORE)


def _without_arguments(schema: Any, names: Collection[str]) -> Any:
    if schema["type"] == "definitions":
        return {**schema, "schema": _without_arguments(schema["schema"], names)}
    if schema["type"] == "call":
        inner = _without_arguments(schema["arguments_schema"], names)
        return {**schema, "arguments_schema": inner}
    kept = [each for each in schema["arguments_schema"] if each["name"] not in names]
    changed = {**schema, "arguments_schema": kept}
    if "" in names:
        changed.pop("var_kwargs_schema", None)
        changed.pop("var_kwargs_mode", None)
    return changed


def value_adapter(hint: Any) -> TypeAdapter[Any]:
    """Make the adapter of a return type."""
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


# Types whose values Python and JSON write alike: strict validation of a dict gives the same either
# way. Not among them: whatever JSON writes as text (dates, bytes, enums), as a list (sets, tuples),
# and `Any`, which would hand the caller's own objects over.
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


def is_alike(schema: Any) -> bool:
    """Return whether arguments may be validated as a Python dict, without writing them as JSON."""
    if is_list(schema):
        return all(is_alike(item) for item in schema)
    if not is_object(schema):
        return True
    kind = schema.get("type")
    if isinstance(kind, str):
        if kind not in _ALIKE:
            return False
        parts = (v for k, v in schema.items() if k not in OPAQUE and k != "config")
    else:
        parts = iter(schema.values())
    return all(is_alike(part) for part in parts)


def validator_of(adapter: TypeAdapter[Any], *, own_bytes: bool) -> Any:
    """Return the validator; with `own_bytes`, one that reads base64 inside models too.

    JSON has no bytes, and a model that does not say how it reads them would take any text.
    """
    if not own_bytes:
        return adapter.validator
    return SchemaValidator(with_base64(adapter.core_schema, {}), _CORE, _use_prebuilt=False)


def serializer_of(adapter: TypeAdapter[Any], *, own_bytes: bool) -> Any:
    """Return the serialiser; with `own_bytes`, one that writes base64 inside models too."""
    if not own_bytes:
        return adapter.serializer
    return SchemaSerializer(with_base64(adapter.core_schema, {}), _CORE, _use_prebuilt=False)
