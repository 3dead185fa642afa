"""A module's names, including those that only type checkers see.

What is under `if TYPE_CHECKING:` is run name by name, when a hint needs it, in a namespace of its
own: the module itself never sees it.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from ..source import stamp_of
from .checking import (
    Origin,
    Statements,
    as_module,
    statements_of,
    statements_of_failed,
    used_by,
)
from .unresolved import UnresolvedName

_LONGEST_REASON = 200
_IDENTITY = ("__name__", "__package__", "__spec__", "__path__")


class ModuleNames:
    """What names mean in a module: at run time, or else to type checkers."""

    __slots__ = ("_failed", "_made", "_plain", "_reasons", "aliases", "file", "names")

    def __init__(
        self, names: dict[str, Any], file: str, *, failed: Statements | None = None
    ) -> None:
        self.names = names
        self.file = file
        self._failed = failed
        """The statements of a module that cannot be imported."""
        self._made: dict[str, Any] = {}
        self._plain: dict[str, Any] = {}
        """Values that were looked at and hold no strings."""
        self._reasons: dict[str, str] = {}
        self.aliases: dict[str, tuple[Any, Any]] = {}
        """Aliases that hold strings, each with the type it stands for."""

    @property
    def name(self) -> str:
        """The module's name."""
        return str(self.names.get("__name__", "?"))

    @property
    def statements(self) -> Statements:
        """What the module's source imports, and what it keeps for type checkers."""
        return self._failed or statements_of(self.file)

    def known(self) -> list[tuple[str, Any]]:
        """Return all names whose meaning is known so far."""
        return [*self.names.items(), *self._made.items()]

    def with_strings(self, holds: Callable[[Any], bool]) -> list[tuple[str, Any]]:
        """Return the names whose values hold strings that are yet to be resolved."""
        plain = self._plain
        bindings: list[tuple[str, Any]] = []
        for name, value in self.known():
            if name in plain and plain[name] is value:
                continue
            if isinstance(value, str) or not holds(value):
                plain[name] = value
            else:
                bindings.append((name, value))
        return bindings

    def for_checkers(self, name: str, running: frozenset[str] = frozenset()) -> Any:
        """Return what a name means to type checkers only.

        Raises `KeyError` if it means nothing to them, and `UnresolvedName` if finding out fails.
        """
        if name in self._made:
            return self._made[name]
        if name not in self._reasons:
            statements = self.statements.for_checkers(name)
            if not statements or name in running:
                raise KeyError(name)
            try:
                meaning = self._run(name, statements, running | {name})
            except (Exception, SystemExit) as error:  # noqa: BLE001 - it may run anything
                message = str(error).partition("\n")[0][:_LONGEST_REASON] or type(error).__name__
                text = self.statements.text(name)
                reason = f"`{text}` is for type checkers only, and fails when it is run: {message}"
                self._reasons[name] = reason
            else:
                # Two threads may both get here; the first says what the name means.
                return self._made.setdefault(name, meaning)
        raise UnresolvedName(name, self._reasons[name])

    def _run(self, name: str, statements: list[ast.stmt], running: frozenset[str]) -> Any:
        space = {identity: self.names[identity] for identity in _IDENTITY if identity in self.names}
        for used in used_by(statements):
            if used in self.names:
                space[used] = self.names[used]
            elif used not in vars(builtins):
                try:
                    space[used] = self.for_checkers(used, running)
                except (KeyError, UnresolvedName):
                    continue  # what needs it will fail, and say so
        flags = __future__.annotations.compiler_flag if self.statements.postponed else 0
        code = compile(as_module(statements), self.file, "exec", flags, dont_inherit=True)
        try:
            exec(code, space)  # noqa: S102 - the author's own imports
        except ImportError:
            origin = self.statements.imported.get(name)
            home = self._module_of(origin, load=True) if origin else None
            if home is None or origin is None:
                raise
            try:  # there it may also be for type checkers only
                return home.for_checkers(origin.name)
            except KeyError:
                pass
            raise
        if name not in space:
            msg = f"it binds no `{name}` here"
            raise NameError(msg)
        return space[name]

    def _module_of(self, origin: Origin, *, load: bool = False) -> ModuleNames | None:
        package = self.names.get("__package__") or ""
        try:
            path = importlib.util.resolve_name("." * origin.level + origin.module, package)
        except ImportError:
            return None
        if load:
            try:
                importlib.import_module(path)
            except ImportError:
                return _names_of_failed(path)
        module = sys.modules.get(path)
        return None if module is None else names_of_module(module)

    def home_of(self, name: str) -> tuple[ModuleNames, str]:
        """Return the module in which a name was first bound, and its name there."""
        names, visited = self, {(self.name, name)}
        while (origin := names.statements.imported.get(name)) is not None:
            home = names._module_of(origin)
            if home is None or (home.name, origin.name) in visited:
                break
            names, name = home, origin.name
            visited.add((names.name, name))
        return names, name


_known: WeakKeyDictionary[types.ModuleType, ModuleNames] = WeakKeyDictionary()


def names_of_module(module: types.ModuleType) -> ModuleNames:
    """Return the names of a module; the same object as long as the module lives."""
    module_names = _known.get(module)
    if module_names is None:
        file = getattr(module, "__file__", None) or ""
        module_names = _known.setdefault(module, ModuleNames(vars(module), file))
    return module_names


_failed: dict[tuple[str, Any], ModuleNames] = {}
"""By module and the version of its file, as a server that reloads may find another."""


def _names_of_failed(path: str) -> ModuleNames | None:
    """Return the names of a module that cannot be imported, some of which may be fine."""
    try:
        spec = importlib.util.find_spec(path)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.has_location or spec.origin is None:
        return None
    key = (path, stamp_of(spec.origin))
    if key not in _failed:
        names = {"__name__": path, "__package__": spec.parent, "__spec__": spec}
        failed = statements_of_failed(spec.origin)
        _failed[key] = ModuleNames(names, spec.origin, failed=failed)
    return _failed[key]


def names_around(written: Any) -> ModuleNames:
    """Return the names of the module in which a function or class was written."""
    module = sys.modules.get(getattr(written, "__module__", None) or "")
    names = getattr(written, "__globals__", None)
    if names is not None:
        module = sys.modules.get(names.get("__name__") or "")
    is_own = module is not None and (names is None or vars(module) is names)
    if is_own and module is not None and getattr(module, "__file__", None):
        return names_of_module(module)
    # A notebook's cell, or code that was run with a namespace of its own.
    code = getattr(written, "__code__", None)
    file = code.co_filename if code else ""
    return ModuleNames(vars(module) if names is None and module else names or {}, file)
