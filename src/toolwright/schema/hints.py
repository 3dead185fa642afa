"""Small functions that take type hints apart."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import typing_extensions
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from .._json_values import is_list
from ..read.signature import EMPTY

UNIONS = (Union, types.UnionType)
_QUALIFIERS = tuple(
    getattr(module, name)
    for module in (typing, typing_extensions)
    for name in ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar")
    if hasattr(module, name)
)
# `typing_extensions.TypeAliasType` is `typing`'s own where that has the newest form.
ALIAS_TYPES: tuple[type, ...] = tuple(
    {m.TypeAliasType for m in (typing, typing_extensions) if hasattr(m, "TypeAliasType")}
)


def strip_annotated(hint: Any) -> Any:
    """Return the type inside `Annotated`."""
    while not isinstance(hint, type) and get_origin(hint) is Annotated:
        hint = hint.__origin__
    return hint


def metadata(hint: Any) -> tuple[Any, ...]:
    """Return what `Annotated` carries."""
    if isinstance(hint, type) or get_origin(hint) is not Annotated:
        return ()
    return tuple(hint.__metadata__)


def unalias(hint: Any) -> Any:
    """Return what an alias (`type X = ...`), a `NewType` or an `Annotated` stands for."""
    while not isinstance(hint, type):
        bare = _opened(strip_annotated(hint))
        if bare is hint:
            return bare
        hint = bare
    return hint


def _opened(bare: Any) -> Any:
    """Return what an alias or a `NewType` was written as; anything else as it is."""
    if isinstance(bare, ALIAS_TYPES):
        return bare.__value__
    if isinstance(get_origin(bare), ALIAS_TYPES):
        return get_origin(bare).__value__[get_args(bare)]
    return bare.__supertype__ if isinstance(bare, typing.NewType) else bare


def said_of(hint: Any) -> Iterator[Any]:
    """Yield what `Annotated` says about a value, also inside aliases and the arms of a union."""
    if isinstance(hint, type):
        return
    bare, _ = unqualify(hint)
    yield from metadata(bare)
    bare = strip_annotated(bare)
    opened = _opened(bare)
    if opened is not bare:
        yield from said_of(opened)
    elif get_origin(bare) in UNIONS:
        for arm in get_args(bare):
            yield from said_of(arm)


def open_alias(hint: Any) -> Any:
    """Write out an alias (`type X = ...`) at the top of a hint, keeping what `Annotated` says."""
    bare = strip_annotated(hint)
    if not isinstance(bare, ALIAS_TYPES):
        return hint
    annotations = metadata(hint)
    return open_alias(Annotated[(bare.__value__, *annotations)] if annotations else bare.__value__)


def unqualify(hint: Any) -> tuple[Any, list[Any]]:
    """Take `Required`, `NotRequired`, `ReadOnly` and `Final` off a hint; return both."""
    qualifiers: list[Any] = []
    while not isinstance(hint, type):
        if get_origin(hint) in _QUALIFIERS:
            qualifiers.append(get_origin(hint))
            hint = get_args(hint)[0]
        elif get_origin(hint) is Annotated and get_origin(hint.__origin__) in _QUALIFIERS:
            qualifiers.append(get_origin(hint.__origin__))
            hint = Annotated[(get_args(hint.__origin__)[0], *hint.__metadata__)]
        else:
            break
    return hint, qualifiers


def is_not_required(qualifier: Any) -> bool:
    """Return whether the hint is `NotRequired`, from typing or typing_extensions."""
    return qualifier in (typing.NotRequired, typing_extensions.NotRequired)


def is_required(qualifier: Any) -> bool:
    """Return whether the hint is `Required`, from typing or typing_extensions."""
    return qualifier in (typing.Required, typing_extensions.Required)


def is_unpack(hint: Any) -> bool:
    """Return whether the hint is `Unpack[...]`, from typing or typing_extensions."""
    return get_origin(hint) in (typing.Unpack, typing_extensions.Unpack)


def arms(hint: Any) -> Iterator[Any]:
    """Yield the alternatives of a union, aliases opened; a plain type is the only one."""
    bare = unalias(hint)
    if not isinstance(bare, type) and get_origin(bare) in UNIONS:
        for arm in get_args(bare):
            yield from arms(arm)
    else:
        yield bare


def admits_none(hint: Any) -> bool:
    """Return whether None is a value of this type."""
    for arm in arms(hint):
        if arm is None or arm is types.NoneType or arm is Any or arm is object:
            return True
        if isinstance(arm, typing.TypeVar):
            return True
        if get_origin(arm) is typing.Literal and None in get_args(arm):
            return True
    return False


def or_none(hint: Any) -> Any:
    """Widen a type by None, keeping what `Annotated` says about the whole."""
    if get_origin(hint) is Annotated:
        return Annotated[(or_none(hint.__origin__), *hint.__metadata__)]
    return Union[hint, None]  # noqa: UP007 - a hint need not be a type


def substitute(hint: Any, known: Mapping[Any, Any]) -> Any:
    """Replace type variables with types."""
    if isinstance(hint, typing.TypeVar):
        return known.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    return hint[tuple(known.get(p, p) for p in parameters)] if parameters and known else hint


def type_text(hint: Any) -> str:
    """Write a type as its author would: no modules, no addresses, nothing that `Annotated` says."""
    bare = strip_annotated(hint)
    origin, arguments = get_origin(bare), get_args(bare)
    if bare is None or bare is types.NoneType:
        return "None"
    if bare is Ellipsis:
        return "..."
    if is_list(bare):
        return f"[{', '.join(map(type_text, bare))}]"
    if origin in UNIONS:
        return " | ".join(map(type_text, arguments))
    if origin is typing.Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if origin is not None and origin is not bare:
        inside = ", ".join(map(type_text, arguments))
        return f"{type_text(origin)}[{inside}]" if inside else type_text(origin)
    name = getattr(bare, "__name__", None)
    return name if isinstance(name, str) else safe_text(bare).replace("typing.", "")


def safe_text(value: Any) -> str:
    """Return the `repr` of a value; only its type, if that fails or contains an address."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - the author's own code
        text = " at 0x"
    return f"{type(value).__name__} object" if " at 0x" in text else text


class Factory(NamedTuple):
    """A default that is created for each call."""

    make: Any


def effective_default(hint: Any, default: Any) -> Any:
    """Return the default that counts: the parameter's, or the one in a `Field`; else `EMPTY`."""
    for item in (default, *reversed(metadata(hint))):
        if isinstance(item, FieldInfo):
            if item.default is not PydanticUndefined:
                return item.default
            if item.default_factory is not None:
                return Factory(item.default_factory)
        elif item is default and default is not EMPTY:
            return Factory(lambda: default) if type(default).__name__ in FACTORIES else default
    return EMPTY


# The placeholders of dataclasses and attrs for a default made by a factory: only the constructor
# understands them.
FACTORIES = frozenset(("_HAS_DEFAULT_FACTORY_CLASS", "_Nothing"))


PLAIN: frozenset[Any] = frozenset(
    # `Any` is a class since Python 3.11.
    (int, str, float, bool, bytes, list, dict, set, tuple, object, type(None), Any)
)
_OF_PLAIN = (list, dict)


def is_plain(hint: Any) -> bool:
    """Return whether a hint is a plain class, or a list, a dict or a union of such."""
    if isinstance(hint, types.GenericAlias):
        return hint.__origin__ in _OF_PLAIN and all(map(is_plain, hint.__args__))
    if isinstance(hint, types.UnionType):
        return all(map(is_plain, hint.__args__))
    return isinstance(hint, type) and hint in PLAIN
