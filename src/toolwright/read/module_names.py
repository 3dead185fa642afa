"""A module's names, including those that only type checkers see.

What is under `if TYPE_CHECKING:` is run name by name, when a hint needs it, in a namespace of its
own: the module itself never sees it.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import copy
import functools
import importlib
import importlib.util
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from .scope import UnresolvedName
from .source import module_outline, stamp_of, whole_module


class Origin(NamedTuple):
    """Where an import takes a name from: dots, module, and its name there."""

    level: int
    module: str
    name: str


class Statements:
    """The top level of one source file, as far as hints need it.

    If the file cannot be imported, all of it is run name by name, as what type checkers see is.
    """

    def __init__(self, tree: ast.Module | None, *, importable: bool = True) -> None:
        self.imported: dict[str, Origin] = {}
        """Names bound by `from ... import`, at run time or else for type checkers."""
        self.aliases: set[str] = set()
        """Names declared as `name: TypeAlias = ...`."""
        self.postponed = False
        """Whether annotations are kept as text (`from __future__ import annotations`)."""
        self._checked: dict[str, list[ast.stmt]] = {}
        self._stars: list[ast.stmt] = []
        if tree is not None:
            for_checkers: dict[str, Origin] = {}
            self._read(tree.body, for_checkers, checking=not importable)
            if not importable:
                self._keep(tree.body)
            self.imported = {**for_checkers, **self.imported}

    def for_checkers(self, name: str) -> list[ast.stmt]:
        """Return the statements for type checkers that bind a name, cut down to just that."""
        statements = self._checked.get(name) or self._stars
        return [part for statement in statements for part in _pruned(statement, name)]

    def text(self, name: str) -> str:
        """Return the source that binds a name for type checkers, on one line."""
        statements = self._checked.get(name) or self._stars
        for node in (node for statement in statements for node in ast.walk(statement)):
            if isinstance(node, ast.Import | ast.ImportFrom) and name in _bound(node):
                return ast.unparse(_only(node, name))
        return ast.unparse(statements[0]).partition("\n")[0] if statements else name

    def _read(
        self, body: Iterable[ast.stmt], for_checkers: dict[str, Origin], *, checking: bool
    ) -> None:
        imported = for_checkers if checking else self.imported
        for statement in body:
            if isinstance(statement, ast.If) and (answer := _asks_for_checkers(statement.test)):
                for_checker, at_runtime = statement.body, statement.orelse
                if answer == "not":
                    for_checker, at_runtime = at_runtime, for_checker
                self._read(for_checker, for_checkers, checking=True)
                self._keep(for_checker)
                if not checking:
                    self._read(at_runtime, for_checkers, checking=False)
                continue
            for block in _parts(statement):
                self._read(block, for_checkers, checking=checking)
            if isinstance(statement, ast.ImportFrom):
                self._read_import(statement, imported)
            elif not isinstance(statement, ast.If | ast.Try):
                for name in _bound(statement):
                    imported.pop(name, None)  # bound again: no longer what was imported
            if isinstance(statement, ast.AnnAssign) and _is_alias(statement):
                self.aliases.update(_bound(statement))

    def _read_import(self, statement: ast.ImportFrom, imported: dict[str, Origin]) -> None:
        module = statement.module or ""
        if module == "__future__":
            self.postponed |= any(alias.name == "annotations" for alias in statement.names)
        for alias in statement.names:
            imported[alias.asname or alias.name] = Origin(statement.level, module, alias.name)

    def _keep(self, block: list[ast.stmt]) -> None:
        for statement in block:
            for name in _bound(statement):
                if name == "*":
                    self._stars.append(statement)
                else:
                    self._checked.setdefault(name, []).append(statement)


def statements_of(file: str) -> Statements:
    """Read a file's statements, once for each version of it."""
    stamp = stamp_of(file)
    return Statements(module_outline(file)) if stamp is None else _statements(file, stamp)


@functools.lru_cache(maxsize=512)
def _statements(file: str, _stamp: tuple[int, float | None]) -> Statements:
    return Statements(module_outline(file))


def statements_of_failed(file: str) -> Statements:
    """Read the statements of a file that cannot be imported."""
    return Statements(whole_module(file), importable=False)


def used_by(statements: Iterable[ast.stmt]) -> set[str]:
    """Return the names that statements use."""
    nodes = (node for statement in statements for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _asks_for_checkers(test: ast.expr) -> str:
    """Return "yes" if a test is true for type checkers only, "not" if it is false for them only."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return "not" if _asks_for_checkers(test.operand) == "yes" else ""
    if isinstance(test, ast.BoolOp):
        return "yes" if any(_asks_for_checkers(operand) == "yes" for operand in test.values) else ""
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return "yes" if name == "TYPE_CHECKING" else ""


class _AsChecker(ast.NodeTransformer):
    """Answers `TYPE_CHECKING` as a type checker does."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(value=True) if node.id == "TYPE_CHECKING" else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr == "TYPE_CHECKING":
            return ast.Constant(value=True)
        return self.generic_visit(node)


def as_module(statements: list[ast.stmt]) -> ast.Module:
    """Return statements as a module that can be compiled; they stay as they are."""
    tree = ast.Module(
        [_AsChecker().visit(copy.deepcopy(statement)) for statement in statements], []
    )
    return ast.fix_missing_locations(tree)


def _parts(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a statement that are still at its module's top level."""
    if isinstance(statement, ast.If | ast.Try | ast.With):
        for handler in getattr(statement, "handlers", ()):
            yield handler.body
        for field in ("body", "orelse", "finalbody"):
            yield getattr(statement, field, [])


def _bound(statement: ast.AST) -> set[str]:
    """Return the names that a statement binds at its own level; `*` stands for any."""
    if isinstance(statement, ast.Import):
        return {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    if isinstance(statement, ast.ImportFrom):
        return {alias.asname or alias.name for alias in statement.names}
    if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return {statement.name}
    if isinstance(statement, ast.If | ast.Try | ast.With):
        return {name for part in _parts(statement) for child in part for name in _bound(child)}
    # Not those of its value: it may be long, and few values bind a name.
    nodes = (node for target in _targets(statement) for node in ast.walk(target))
    return {node.id for node in nodes if isinstance(node, ast.Name) and _is_stored(node)}


def _targets(statement: ast.AST) -> Sequence[ast.AST]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return (statement.target,)
    return () if isinstance(statement, ast.Expr) else (statement,)


def _is_stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _is_alias(statement: ast.AnnAssign) -> bool:
    hint = statement.annotation
    return (hint.attr if isinstance(hint, ast.Attribute) else getattr(hint, "id", "")) == (
        "TypeAlias"
    )


def _pruned(statement: ast.stmt, name: str) -> list[ast.stmt]:
    """Cut a statement down to what binds one name."""
    if not _bound(statement) & {name, "*"}:
        return []
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [_only(statement, name)]
    if not isinstance(statement, ast.If | ast.Try):
        return [statement]
    cut = copy.copy(statement)
    cut.body = _pruned_block(statement.body, name) or [ast.Pass()]
    cut.orelse = _pruned_block(statement.orelse, name)
    if isinstance(cut, ast.Try) and isinstance(statement, ast.Try):
        cut.finalbody = _pruned_block(statement.finalbody, name)
        cut.handlers = [copy.copy(handler) for handler in statement.handlers]
        for handler in cut.handlers:
            handler.body = _pruned_block(handler.body, name) or [ast.Pass()]
    return [cut]


def _pruned_block(block: list[ast.stmt], name: str) -> list[ast.stmt]:
    return [part for statement in block for part in _pruned(statement, name)]


def _only(statement: ast.Import | ast.ImportFrom, name: str) -> ast.stmt:
    if isinstance(statement, ast.Import):
        return ast.Import([a for a in statement.names if name in _bound(ast.Import([a]))])
    aliases = [a for a in statement.names if (a.asname or a.name) in (name, "*")]
    return ast.ImportFrom(statement.module, aliases, statement.level)


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
    if file.startswith("<") and module is not None:  # the code that attrs writes for a class
        file = getattr(module, "__file__", None) or file
    return ModuleNames(vars(module) if names is None and module else names or {}, file)
