"""What a module imports, and imports only for type checkers."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..source import module_outline, stamp_of, whole_module


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
