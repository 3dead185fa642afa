"""What annotations may name, and names that are not known yet."""

from __future__ import annotations

import inspect
import types
import typing
from collections import ChainMap
from collections.abc import Iterator, MutableMapping
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


class Scope:
    """The names that an annotation of one function may use.

    These are its module's, its closure's, its class's and those of the functions it was defined
    in, as long as these are still running.
    """

    __slots__ = ("frames", "owner", "writers")

    def __init__(self, writers: tuple[Any, ...], owner: type | None) -> None:
        self.writers = writers
        """A function and what it wraps, innermost first: each may have written annotations."""
        self.owner = owner
        # Kept only until the hints are resolved, so that names defined after the function count.
        self.frames = _defining_frames(writers[0])

    def local_names(self) -> MutableMapping[str, Any]:
        """Return the names of the scopes between an annotation and its module, nearest first."""
        layers: list[dict[str, Any]] = [{}]
        for function in self.writers:
            parameters = getattr(function, "__type_params__", ())
            layers.append({parameter.__name__: parameter for parameter in parameters})
            layers.append(_closure(function))
        if self.owner is not None:
            layers.append({self.owner.__name__: self.owner})
            # Only names in the class body: a base may define `int`. A method `list` is not a type.
            layers.append({k: v for k, v in vars(self.owner).items() if _is_hint(v)})
            layers.append({p.__name__: p for p in getattr(self.owner, "__type_params__", ())})
        layers.extend(dict(frame.f_locals) for frame in self.frames)
        return ChainMap(*layers)

    def writer(self, parameter: str, annotation: Any) -> Any:
        """Find the function that an annotation was written for; `wraps` copies annotations."""
        for function in self.writers:
            if getattr(function, "__annotations__", {}).get(parameter) == annotation:
                return function
        return self.writers[-1]


def _is_hint(value: Any) -> bool:
    """Return whether a value in a class body may be meant as a type."""
    return isinstance(value, type | typing.TypeVar | typing.NewType) or (
        typing.get_origin(value) is not None or hasattr(value, "__value__")
    )


def _closure(function: Any) -> dict[str, Any]:
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    contents: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=True):
        try:
            contents[name] = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    return contents


def _defining_frames(function: Any) -> tuple[types.FrameType, ...]:
    """Find the running functions and class bodies in which a local function was defined."""
    parts = getattr(function, "__qualname__", "").split(".")
    if len(parts) < 2:
        return ()
    parents = {".".join(parts[:end]).removesuffix(".<locals>") for end in range(1, len(parts))}
    names = getattr(function, "__globals__", None)
    frames: list[types.FrameType] = []
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_globals is names and frame.f_code.co_qualname in parents:
            frames.append(frame)
        frame = frame.f_back
    return tuple(frames)
