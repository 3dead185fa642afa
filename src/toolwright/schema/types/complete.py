"""Pydantic classes with annotations that were unresolved when defined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import PydanticUndefinedAnnotation
from pydantic.dataclasses import rebuild_dataclass

from ...read.names.evaluate import class_hints
from ...read.names.module_names import names_around
from ...read.names.unresolved import UnresolvedName

_MOST_NAMES = 1000


class Unknown:
    """Refuses a class, with the unknown name in it, once it is really needed."""

    def __init__(self, error: UnresolvedName) -> None:
        self.error = error

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Raise the error that was found before."""
        raise self.error


def complete(cls: Any, names: Mapping[str, Any]) -> None:
    """Let pydantic finish a class, with the names that only we still know.

    Raises `UnresolvedName` for a name that nobody knows.
    """
    namespace = dict(names)
    for _ in range(_MOST_NAMES):
        try:
            if hasattr(cls, "model_rebuild"):
                cls.model_rebuild(_types_namespace=namespace)
            else:
                rebuild_dataclass(cls, _types_namespace=namespace)
        except PydanticUndefinedAnnotation as error:
            name = str(error.name)
            if name in namespace:
                return  # it is known, but not where pydantic looks: it will say so itself
            namespace[name] = _meaning(cls, name, names)
        else:
            return


def _meaning(cls: type, name: str, names: Mapping[str, Any]) -> Any:
    """Find what a name means to a class, or to one that it is made of. Raises `UnresolvedName`."""
    first: UnresolvedName | None = None
    for part in _parts(cls):
        for base in part.__mro__:
            try:
                return names_around(base).for_checkers(name)
            except KeyError:
                continue
            except UnresolvedName as error:
                first = first or error
        try:
            class_hints(part, names)
        except UnresolvedName as error:  # it knows the field
            first = error if error.name == name and error.place else first
    raise first or UnresolvedName(name, f"define or import `{name}` in `{cls.__module__}`")


def _parts(cls: type) -> list[type]:
    """Return a class and the unfinished classes in its fields."""
    unfinished_classes = [cls]
    for part in unfinished_classes:
        hints = [field.annotation for field in getattr(part, "__pydantic_fields__", {}).values()]
        while hints:
            hint = hints.pop()
            hints.extend(get_args(hint))
            unfinished = isinstance(hint, type) and not getattr(hint, "__pydantic_complete__", True)
            if unfinished and hint not in unfinished_classes:
                unfinished_classes.append(hint)
    return unfinished_classes
