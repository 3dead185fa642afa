"""Resolves annotations in the scope they were written in."""

from __future__ import annotations

import inspect
import types
import typing
from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from typing import Any

from .target import Target
from .unresolved import needs_scope


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

    def resolve(self, parameter: str, annotation: Any, names: Mapping[str, Any]) -> Any:
        """Turn the annotation of a parameter into a type. Raises `UnresolvedName`."""
        if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
            return annotation
        # Hints that are plain classes need none of this.
        from .evaluate import AnnotationNames
        from .module_names import names_around

        writer = self._writer(parameter, annotation)
        inside = "<locals>" in getattr(writer, "__qualname__", "")
        bodies: Any = [vars(base) for base in getattr(self.owner, "__mro__", ())]
        body = ChainMap(*bodies)
        scope = AnnotationNames(names_around(writer), names, body=body, inside=inside)
        return scope.resolve(annotation)

    def _writer(self, parameter: str, annotation: Any) -> Any:
        """Find the function that an annotation was written for; `wraps` copies annotations."""
        for function in self.writers:
            if getattr(function, "__annotations__", {}).get(parameter) == annotation:
                return function
        return self.writers[-1]


def scope_of(target: Target) -> Scope | None:
    """Capture the scope that a target's annotations need, while its frames still run."""
    annotations = [target.returns, *(p.annotation for p in target.parameters)]
    if "<locals>" in getattr(target.function, "__qualname__", "") or any(
        needs_scope(annotation) for annotation in annotations
    ):
        return Scope(target.writers or (target.function,), target.owner)
    return None


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
