"""Classes that are described by their fields."""

from __future__ import annotations

import inspect
from dataclasses import is_dataclass
from typing import Any


def is_record(cls: Any) -> bool:
    """Return whether a class is described by its fields rather than by its constructor."""
    return is_dataclass(cls) or is_typed_dict(cls) or hasattr(cls, "__pydantic_fields__")


def is_made_by_named_tuple(cls: type) -> bool:
    """Return whether `NamedTuple` made the constructor: it is written in no module."""
    constructor: Any = inspect.unwrap(cls.__new__)
    module = getattr(constructor, "__module__", None) or ""
    return tuple in cls.__mro__ and module.startswith("namedtuple_")


def is_typed_dict(hint: Any) -> bool:
    """Return whether a hint is a TypedDict class, from `typing` or `typing_extensions`."""
    return isinstance(hint, type) and dict in hint.__mro__ and hasattr(hint, "__total__")
