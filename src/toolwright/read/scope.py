"""Resolves annotations in the scope they were written in."""

from __future__ import annotations

import ast
import inspect
import sys
import types
import typing
from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from typing import Any, ForwardRef, Self

from .source import module_tree
from .target import Target


class UnresolvedName(Exception):
    """An annotation names something that does not exist at run time."""

    def __init__(self, name: str, hint: str) -> None:
        super().__init__(name)
        self.name = name
        self.hint = hint


class Scope:
    """The names an annotation of one function may use: its module's, its closure's, its class's
    and those of the functions it was defined in, as long as these are still running."""

    __slots__ = ("frames", "function", "owner")

    def __init__(self, function: Any, owner: type | None) -> None:
        self.function = function
        self.owner = owner
        # Kept only until the hints are resolved, so that names defined after the function count.
        self.frames = _defining_frames(function)

    @property
    def module_names(self) -> dict[str, Any]:
        """Return the globals of the function's, or class's, module."""
        names = getattr(self.function, "__globals__", None)
        if names is None:
            module = sys.modules.get(getattr(self.function, "__module__", None) or "")
            names = vars(module) if module else {}
        return names

    def local_names(self) -> MutableMapping[str, Any]:
        """Return the names of the scopes between an annotation and its module, nearest first."""
        layers: list[dict[str, Any]] = [{}]
        parameters = getattr(self.function, "__type_params__", ())
        layers.append({parameter.__name__: parameter for parameter in parameters})
        layers.append(_closure(self.function))
        if self.owner is not None:
            layers.append({self.owner.__name__: self.owner})
            # Names of the class body only: a base class may define `int`.
            layers.append({k: v for k, v in vars(self.owner).items() if not k.startswith("__")})
            layers.append({p.__name__: p for p in getattr(self.owner, "__type_params__", ())})
        layers.extend(dict(frame.f_locals) for frame in self.frames)
        return ChainMap(*layers)

    def resolve(self, annotation: Any, names: Mapping[str, Any]) -> Any:
        """Turn an annotation into a type. Raises `UnresolvedName`."""
        if isinstance(annotation, type) and not isinstance(annotation, types.GenericAlias):
            return annotation
        holder = types.SimpleNamespace(__annotations__={"hint": annotation})
        try:
            return typing.get_type_hints(
                holder, self.module_names, typing.cast(Any, names), include_extras=True
            )["hint"]
        except NameError as error:
            raise self._unresolved(error.name or str(error)) from None
        except (SyntaxError, TypeError, AttributeError) as error:
            text = annotation if isinstance(annotation, str) else repr(annotation)
            raise UnresolvedName(text, f"`{text}` is not a type: {error}") from None

    def _unresolved(self, name: str) -> UnresolvedName:
        statement = _type_checking_import(self.function, name)
        if statement:
            hint = f"`{name}` is imported for type checkers only; move `{statement}` out of `if TYPE_CHECKING:`"
        elif "<locals>" in getattr(self.function, "__qualname__", ""):
            hint = f"define `{name}` at module level, or before the tool is registered"
        else:
            hint = f"define or import `{name}` in `{getattr(self.function, '__module__', '?')}`"
        return UnresolvedName(name, hint)


def scope_of(target: Target) -> Scope | None:
    """Capture the scope that a target's annotations need, while its frames still run."""
    annotations = [target.returns, *(p.annotation for p in target.parameters)]
    if "<locals>" in getattr(target.function, "__qualname__", "") or any(
        needs_scope(annotation) for annotation in annotations
    ):
        return Scope(target.function, target.owner)
    return None


def needs_scope(annotation: Any) -> bool:
    """Return whether an annotation holds a string that has yet to be resolved."""
    if isinstance(annotation, str | ForwardRef) or annotation is Self:
        return True
    return any(needs_scope(part) for part in getattr(annotation, "__args__", ()))


def _closure(function: Any) -> dict[str, Any]:
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None)
    found: dict[str, Any] = {}
    for name, cell in zip(code.co_freevars if code else (), cells or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    return found


def _defining_frames(function: Any) -> tuple[types.FrameType, ...]:
    """Find the running functions and class bodies in which a local function was defined."""
    parts = getattr(function, "__qualname__", "").split(".")
    if len(parts) < 2:
        return ()
    parents = {".".join(parts[:end]).removesuffix(".<locals>") for end in range(1, len(parts))}
    names = getattr(function, "__globals__", None)
    found: list[types.FrameType] = []
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_globals is names and frame.f_code.co_qualname in parents:
            found.append(frame)
        frame = frame.f_back
    return tuple(found)


def _type_checking_import(function: Any, name: str) -> str:
    """Find the import of `name` that only a type checker sees, as source text."""
    code = getattr(function, "__code__", None)
    tree = module_tree(code.co_filename) if code else None
    for node in ast.walk(tree) if tree else ():
        if not isinstance(node, ast.If) or "TYPE_CHECKING" not in ast.dump(node.test):
            continue
        for statement in node.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                for alias in statement.names:
                    if (alias.asname or alias.name).split(".")[0] == name:
                        return ast.unparse(_only(statement, alias))
    return ""


def _only(statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.AST:
    if isinstance(statement, ast.Import):
        return ast.Import([alias])
    return ast.ImportFrom(statement.module, [alias], statement.level)
