"""What kind of hint or class something is."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Mapping
from typing import Annotated, Any, get_args, get_origin

import typing_extensions
from pydantic import AfterValidator, BaseModel, ConfigDict, EncodedBytes
from pydantic_core import PydanticSerializationUnexpectedValue, core_schema

from ...read.names.unresolved import needs_scope
from ...read.records import is_typed_dict
from .choices import Named
from .construct import is_named_tuple
from .encoded import Encoded
from .hints import substitute

_TYPING = frozenset(("typing", "typing_extensions", "annotationlib"))
_PARAMETERS = (typing.ParamSpec, typing_extensions.ParamSpec)


def identifier(hint: Any) -> str:
    """Return the name of a type, or a word that may stand for one."""
    name = getattr(hint, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "Value"


def is_known(cls: Any) -> bool:
    """Return whether pydantic handles a class in its own way."""
    return (
        hasattr(cls, "__pydantic_complete__")
        or has_core_schema(cls)
        or is_typed_dict(cls)
        or dataclasses.is_dataclass(cls)
        or is_named_tuple(cls)
    )


def has_core_schema(cls: Any) -> bool:
    """Return whether a class describes its own values to pydantic; a marker describes others."""
    hook = inspect.getattr_static(cls, "__get_pydantic_core_schema__", None)
    if inspect.isfunction(hook):
        return hook.__code__.co_argcount < _OF_INSTANCE
    return hasattr(cls, "__get_pydantic_core_schema__")


_OF_INSTANCE = 3
"""How many parameters the hook of an object inside `Annotated` has; `self` is the first."""


def with_class_names(union: tuple[Any, ...]) -> tuple[Any, ...]:
    """Replace several classes, as in `type[A] | type[B]`, with one choice by name."""
    class_arms = {
        arm: get_args(arm)[0]
        for arm in union
        if get_origin(arm) is type and isinstance(get_args(arm)[0], type)
    }
    by_class_name = {
        cls.__name__: cls
        for cls in class_arms.values()
        if not is_protocol(cls) and not inspect.isabstract(cls)
    }
    if len(by_class_name) < 2 or len(by_class_name) < len(class_arms):
        return union
    choice = Annotated[Any, Named(by_class_name)]
    return (choice, *(arm for arm in union if arm not in class_arms))


def own_encoding(item: Any) -> Any:
    """Return our form of pydantic's encoder of bytes, within our bounds; else the item itself."""
    return Encoded(item.encoder) if isinstance(item, EncodedBytes) else item


def is_protocol(cls: Any) -> bool:
    """Return whether a class is a protocol that nothing is known to be an instance of."""
    return getattr(cls, "_is_protocol", False) and not getattr(cls, "_is_runtime_protocol", False)


def is_type(hint: Any) -> bool:
    """Return whether a hint that is not a class denotes a type at all."""
    if hint is None or isinstance(hint, str | dataclasses.InitVar):
        return True
    made_by = type(hint).__module__
    is_form = made_by in _TYPING and not isinstance(hint, _PARAMETERS)
    return is_form or hasattr(hint, "__get_pydantic_core_schema__")


def is_refused(typed_dict: Any) -> bool:
    """Return whether pydantic refuses it: before 3.12 it takes only that of `typing_extensions`."""
    return sys.version_info < (3, 12) and type(typed_dict).__module__ == "typing"


def has_local_strings(cls: type) -> bool:
    """Return whether a class defined inside a function has annotations that are still strings:
    pydantic would look for their names in the module only."""
    annotations: Mapping[str, Any] = vars(cls).get("__annotations__") or {}
    return "<locals>" in cls.__qualname__ and any(needs_scope(a) for a in annotations.values())


def named_tuple_twin(cls: Any, fields: Mapping[str, Any]) -> Any:
    """Return a hint that makes a named tuple of fields with other types."""
    make: Any = typing.NamedTuple
    twin = make(cls.__name__, list(fields.items()))
    twin.__new__.__defaults__ = cls.__new__.__defaults__
    _take_identity(twin, cls)

    def convert(value: Any) -> Any:
        return cls(*value)

    return Annotated[twin, AfterValidator(convert)]


def empty_typed_dict(cls: Any) -> Any:
    """Return a TypedDict that stands for another, without fields yet."""
    make: Any = typing_extensions.TypedDict
    twin = make(cls.__name__, {})
    _take_identity(twin, cls)
    if hasattr(cls, "__pydantic_config__"):
        twin.__pydantic_config__ = cls.__pydantic_config__
    return twin


def fill_typed_dict(
    twin: Any, fields: Mapping[str, tuple[Any, bool]], known: Mapping[Any, Any]
) -> None:
    """Give a TypedDict its fields, each with whether it is required."""
    twin.__annotations__ = {key: substitute(hint, known) for key, (hint, _) in fields.items()}
    twin.__required_keys__ = frozenset(key for key, (_, required) in fields.items() if required)
    twin.__optional_keys__ = frozenset(fields) - twin.__required_keys__


def _take_identity(twin: Any, cls: Any) -> None:
    """Let a twin be known, and documented, as the class it stands for."""
    twin.__module__, twin.__qualname__ = cls.__module__, cls.__qualname__
    twin.__doc__ = cls.__doc__


class AnyModel:
    """Stands for `BaseModel` itself: a model that keeps whatever fields are sent."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Make a model of any object; write a model as its own class does."""
        sent = core_schema.no_info_after_validator_function(
            OpenModel.model_validate, handler.generate_schema(dict[str, Any])
        )
        as_name = core_schema.plain_serializer_function_ser_schema(
            _fields_of, info_arg=True, return_schema=core_schema.dict_schema()
        )
        return core_schema.json_or_python_schema(
            json_schema=sent,
            python_schema=core_schema.is_instance_schema(BaseModel),
            serialization=as_name,
        )


class OpenModel(BaseModel):
    """A model with any fields."""

    model_config = ConfigDict(extra="allow")


def _fields_of(value: Any, info: Any) -> dict[str, Any]:
    if not isinstance(value, BaseModel):  # from another arm of a union
        msg = "not a model"
        raise PydanticSerializationUnexpectedValue(msg)
    return value.model_dump(mode=info.mode)
