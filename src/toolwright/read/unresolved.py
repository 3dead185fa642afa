"""Hints with strings that have yet to be resolved."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Any, ForwardRef, Self, cast


class UnresolvedName(Exception):
    """An annotation names something that does not exist at run time."""

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(name)
        self.name = name
        self.hint = hint
        self.place = ""
        """The field of a class that names it."""

    @property
    def what(self) -> str:
        """What is wrong with the parameter that needs the name."""
        where = f", in `{self.place}`" if self.place else ""
        return f"has a type that is not known: `{self.name}`{where}"

    def inside(self, place: str) -> Self:
        """Note which field of a class names it."""
        self.place = self.place or place
        return self


def needs_scope(annotation: Any) -> bool:
    """Return whether an annotation holds a string that has yet to be resolved."""
    if isinstance(annotation, str | ForwardRef) or annotation is Self:
        return True
    return any(needs_scope(part) for part in arguments_of(annotation))


def arguments_of(hint: Any) -> tuple[Any, ...]:
    """Return the parts of a hint that are hints themselves."""
    if isinstance(hint, types.ModuleType) or (
        isinstance(hint, type) and not isinstance(hint, types.GenericAlias)
    ):
        return ()  # a module may import something on each access
    if typing.get_origin(hint) is typing.Literal:
        return ()  # its strings are values
    arguments: Any = getattr(hint, "__args__", ())
    return cast("tuple[Any, ...]", arguments) if isinstance(arguments, tuple) else ()


def strings_in(hint: Any) -> Iterator[tuple[Any, str]]:
    """Yield the strings inside a hint, each with the object that holds it."""
    if isinstance(hint, ForwardRef):
        yield hint, hint.__forward_arg__
    for part in arguments_of(hint):
        if isinstance(part, str):
            yield hint, part
        else:
            yield from strings_in(part)


def not_a_type(annotation: Any, error: Exception) -> UnresolvedName:
    """Return the error for an annotation that is not a type."""
    text = annotation if isinstance(annotation, str) else repr(annotation)
    return UnresolvedName(text, f"`{text}` is not a type: {error}")
