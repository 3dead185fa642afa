"""Find integers too long to be written, before writing them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from typing import Annotated, Any, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel, SerializeAsAny
from pydantic.fields import FieldInfo

from ..errors import ResultError

MOST_DIGITS = 4300
TOO_MANY_DIGITS = f"the result holds an integer of more than {MOST_DIGITS} digits"
MOST = 10**MOST_DIGITS
LEAST = -MOST
_AT_LEAST: frozenset[type] = frozenset((Ge, Gt))
_AT_MOST: frozenset[type] = frozenset((Le, Lt))
_NO_INTEGERS = frozenset((str, float, bool, bytes, type(None)))
_MOST_MODELS = 500
"""Classes that are remembered; a tool may make new ones all the time."""


class IntegerCheck:
    """Walks values, and remembers which fields of models can hold integers."""

    def __init__(self) -> None:
        self.fields: dict[type[BaseModel], tuple[str, ...]] = {}

    def check(self, value: Any) -> None:
        """Refuse integers that readers of JSON refuse: writing them takes quadratic time.

        Raises `ResultError`. A field of a model is trusted not to hold a long integer if its hint
        admits none.
        """
        if value.__class__ is int and LEAST < value < MOST:
            return
        todo: list[Any] = [(value,)]
        seen: set[int] = set()
        fields = self.fields
        for whole in todo:  # which grows on the way
            if id(whole) in seen:
                continue
            seen.add(id(whole))
            for part in self._parts(whole):
                kind: type[Any] = part.__class__
                # Fields of models at once: lists of models are what most large results are.
                held = [part] if kind not in fields else map(part.__dict__.get, fields[kind])
                for inner in held:
                    if inner.__class__ is int:
                        if not LEAST < inner < MOST:
                            raise ResultError(TOO_MANY_DIGITS)
                    elif inner.__class__ not in _NO_INTEGERS:
                        todo.append(inner)

    def _parts(self, value: Any) -> Iterable[Any]:
        """Return what a value consists of, as far as it is written."""
        if isinstance(value, list | tuple | set | frozenset):
            return cast("Iterable[Any]", value)
        if isinstance(value, dict):
            named = cast("dict[Any, Any]", value)
            return chain(named, named.values())
        if isinstance(value, BaseModel):
            if value.__pydantic_extra__ is None:
                self._learn(value.__class__)
            return chain(value.__dict__.values(), (value.__pydantic_extra__ or {}).values())
        return _others(value)

    def _learn(self, model: type[BaseModel]) -> None:
        if len(self.fields) >= _MOST_MODELS:
            self.fields.clear()
        self.fields[model] = tuple(
            name
            for name, field in model.__pydantic_fields__.items()
            if _field_may(field, frozenset((model,)))
        )


def _others(value: Any) -> Iterable[Any]:
    if isinstance(value, int):  # of a class of its own
        return (int(value),)
    if isinstance(value, Fraction):
        return value.numerator, value.denominator
    if hasattr(value, "__dataclass_fields__"):
        return getattr(value, "__dict__", {}).values()
    return ()


def _may_hold_integers(hint: Any, seen: frozenset[Any] = frozenset()) -> bool:
    """Return whether what is written of a hint's values can hold integers; in doubt it can."""
    if get_origin(hint) is Annotated:
        return _may_hold_integers(get_args(hint)[0], seen)
    if isinstance(hint, type):
        if hint in _NO_INTEGERS:
            return False
        if issubclass(hint, BaseModel):
            if hint in seen or hint.model_config.get("extra") == "allow":
                return True
            return any(
                _field_may(each, seen | {hint}) for each in hint.__pydantic_fields__.values()
            )
    inner = [each for each in get_args(hint) if each is not Ellipsis]
    return not inner or any(_may_hold_integers(each, seen) for each in inner)


def _field_may(field: FieldInfo, seen: frozenset[Any]) -> bool:
    kinds = {each.__class__ for each in field.metadata}
    if kinds & _AT_LEAST and kinds & _AT_MOST:
        return False
    # With `SerializeAsAny`, subclasses are written with all of their fields.
    return SerializeAsAny in kinds or _may_hold_integers(field.annotation, seen)
