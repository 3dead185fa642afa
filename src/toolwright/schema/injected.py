"""Which parameters are injected, and with what."""

from __future__ import annotations

import dataclasses
import functools
import io
import typing
from collections.abc import Collection, Hashable, Iterator, Mapping
from typing import Annotated, Any, cast, get_args, get_origin

from pydantic_core import PydanticUndefined

from ..call import Call
from ..markers import Fixed, Hidden, Inject
from ..read.foreign import Foreign, foreign_context, foreign_default, foreign_marker, known_marker
from ..read.scope import UnresolvedName
from ..read.signature import EMPTY
from .hints import Factory, arms, effective_default, said_of, unqualify

Wanted = Inject | type[Any]
"""What a parameter is injected with: a provider's value, the `Call`, or a type's value."""


def injection(hint: Any, provided: Collection[Any] = ()) -> Wanted | None:
    """Return what a parameter of this type is injected with; None if a caller sends it.

    `T | None` is injected as `T` is.
    """
    for item in said_of(hint):
        if isinstance(item, Inject):
            return item
        if item is Inject:
            msg = "has `Inject` without a provider"
            raise ValueError(msg)
    for arm in arms(hint):
        if isinstance(arm, type) and (arm is Call or arm in provided):
            return arm
        if not isinstance(arm, type) and any(
            arm is provided_type or arm == provided_type for provided_type in provided
        ):
            return arm
    return None


def foreign(hint: Any, default: Any, *, of_provider: bool = False) -> Foreign | None:
    """Return what another system would inject, if it would fill in a parameter of this type.

    It would if something in `Annotated`, or the default, is a mark of that, or if the type is
    another framework's context. `Hidden` and `Fixed` say that the author fills it in. No caller can
    send what a provider takes: its default may be any object where its hint names no class.
    """
    if isinstance(hint, type) and hint in _PLAIN and (default is EMPTY or type(default) in _PLAIN):
        return None
    annotations = list(said_of(hint))
    if any(isinstance(item, Fixed | Hidden) or item is Hidden for item in annotations):
        return None
    marker = known_marker(default) or next(filter(None, map(foreign_marker, annotations)), None)
    if marker is not None:
        return marker
    for arm in arms(hint):
        if marker := foreign_context(get_origin(arm) or arm):
            return marker
    default = effective_default(hint, default)
    if default is EMPTY or isinstance(default, Factory):
        return None
    classes = _named_classes(hint)
    return None if of_provider and not classes else foreign_default(default, classes)


_PLAIN = frozenset((str, int, float, bool, type(None)))


def _named_classes(hint: Any) -> list[Any]:
    """Return the classes that a hint names: not those that any object may be an instance of."""
    classes: list[Any] = []
    for arm in arms(hint):
        if get_origin(arm) is typing.Literal:
            classes += [type(value) for value in get_args(arm)]
            continue
        cls: Any = get_origin(arm) or arm
        if isinstance(cls, type) and not any(cls is anything for anything in _ANYTHING):
            classes.append(io.IOBase if any(cls is stream for stream in _STREAMS) else cls)
    return classes


_ANYTHING: tuple[Any, ...] = (Any, object, Hashable)
_STREAMS: tuple[Any, ...] = (typing.IO, typing.TextIO, typing.BinaryIO)


def unset_fields(cls: type) -> Mapping[str, Foreign]:
    """Return the fields of a record that no caller may set, and why."""
    is_final = getattr(cls, "__pydantic_complete__", True)
    return _unset_fields(cls) if is_final else _unset_fields.__wrapped__(cls)


@functools.lru_cache(maxsize=256)
def _unset_fields(cls: type) -> Mapping[str, Foreign]:
    reasons = {name: _unset(hint, default) for name, hint, default in _fields(cls)}
    return {name: why for name, why in reasons.items() if why is not None}


def _unset(hint: Any, default: Any) -> Foreign | None:
    for item in said_of(hint):
        marker = item if isinstance(item, type) else type(item)
        if marker is Hidden:
            return HIDDEN
        if marker in (Fixed, Inject):
            what = f"has `{marker.__name__}`, which only the parameters of a tool can have"
            return Foreign(what, "make it a parameter of a function that builds the rest")
    return foreign(hint, default)


HIDDEN = Foreign("is hidden", "give it a default")


def _fields(cls: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield the name, hint and default of each field that the class is made with."""
    if "__pydantic_fields__" in vars(cls):
        for name, field in cls.__pydantic_fields__.items():
            if field.init is not False:
                default = EMPTY if field.default is PydanticUndefined else field.default
                hint = Annotated[(field.annotation, *field.metadata, None)]
                yield name, hint, field if known_marker(field) else default
        return
    from ..read.evaluate import class_hints

    try:
        hints = class_hints(cls, {})[0]
    except UnresolvedName:  # such a class is read with the names around it, and by its constructor
        return
    defaults: Mapping[str, Any] = getattr(cls, "_field_defaults", {})
    fields: Mapping[str, Any] = getattr(cls, "__dataclass_fields__", {})
    for name, hint in hints.items():
        default, made_with = defaults.get(name, EMPTY), True
        if name in fields:
            default, made_with = fields[name].default, fields[name].init
        if made_with and typing.ClassVar not in unqualify(hint)[1]:
            if isinstance(hint, dataclasses.InitVar):
                hint = cast("Any", hint).type  # noqa: PLW2901
            yield name, hint, EMPTY if default is dataclasses.MISSING else default
