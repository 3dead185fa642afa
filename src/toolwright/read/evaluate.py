"""Evaluates annotations with the names of a module."""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import inspect
import sys
import types
import typing
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ForwardRef, Self, cast

from .module_names import ModuleNames, names_around, names_of_module
from .scope import Scope, UnresolvedName, arguments_of, needs_scope, not_a_type, strings_in


class LazyAlias:
    """Stands for an alias inside its own value: `Json = dict[str, "Json"]`."""

    def __init__(self, name: str, module: str) -> None:
        self.name = name
        self.module = module
        self.value: Any = None
        self._made: Any = None

    def used(self) -> Any:
        """Return the alias as a type, for use inside its own value."""
        if self._made is None:
            self._made = _alias(self.name, self.module, lambda: self.value)
        return self._made

    def resolved_as(self, value: Any) -> Any:
        """Set what it stands for; return that, or the alias if the value needs it."""
        self.value = value
        if self._made is None:
            return value
        if sys.version_info < (3, 12):
            vars(self._made)["__value__"] = value
        return self._made


def _alias(name: str, module: str, value: Any) -> Any:
    if sys.version_info >= (3, 12):
        # Only the statement makes an alias whose value is asked for later.
        space: dict[str, Any] = {"value": value, "__name__": module}
        exec(f"type {name} = value()", space)  # noqa: S102 - `name` is an identifier
        return space[name]
    from typing_extensions import TypeAliasType

    make: Any = TypeAliasType
    alias = make(name, None)
    vars(alias)["__module__"] = module
    return alias


Open = Callable[[Any, str], Any]
"""Returns the type that `value.name` stands for; raises `LookupError` if Python knows it."""
Evaluate = Callable[[ast.expr], Any]


def with_attributes(text: str, evaluate: Evaluate, opened: Open) -> tuple[str, dict[str, Any]]:
    """Replace attributes that must be opened (`module.Alias`) with names; return their meaning."""
    if "." not in text:
        return text, {}
    tree = _parsed(text)
    if tree is None:
        return text, {}
    rewriter = _Attributes(evaluate, opened)
    rewritten = rewriter.visit(tree)
    return (ast.unparse(rewritten), rewriter.found) if rewriter.found else (text, {})


def without_refused_parameters(text: str, evaluate: Evaluate) -> str:
    """Drop the parameters of classes that take none at run time (`pandas.Series[int]`)."""
    tree = _parsed(text)
    return text if tree is None else ast.unparse(_Parameters(evaluate).visit(tree))


def used_names(text: str) -> set[str]:
    """Return the names that an annotation uses."""
    tree = _parsed(text)
    nodes = ast.walk(tree) if tree is not None else ()
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _parsed(text: str) -> ast.Expression | None:
    try:
        return ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return None


class _Attributes(ast.NodeTransformer):
    def __init__(self, evaluate: Evaluate, opened: Open) -> None:
        self.evaluate = evaluate
        self.opened = opened
        self.found: dict[str, Any] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node = ast.Attribute(self.visit(node.value), node.attr, node.ctx)
        try:
            value = self.opened(self._value(node.value), node.attr)
        except (LookupError, AttributeError, NameError):
            return node  # evaluating the whole will say what is wrong
        name = f"_attribute_{len(self.found)}"
        self.found[name] = value
        return ast.Name(name, ast.Load())

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Name) and node.id in self.found:
            return self.found[node.id]
        return self.evaluate(node)


class _Parameters(ast.NodeTransformer):
    def __init__(self, evaluate: Evaluate) -> None:
        self.evaluate = evaluate

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        node = ast.Subscript(self.visit(node.value), self.visit(node.slice), node.ctx)
        try:
            self.evaluate(node)
        except TypeError:
            return node.value
        except Exception:  # noqa: BLE001 - evaluating the whole will say what is wrong
            return node
        return node


class AnnotationNames(Mapping[str, Any]):
    """What names mean inside the annotations of one module.

    Local names come first, those that only type checkers know last.
    """

    def __init__(
        self,
        module: ModuleNames,
        local: Mapping[str, Any],
        *,
        body: Mapping[str, Any] = MappingProxyType({}),
        inside: bool = False,
        above: Mapping[tuple[str, str], LazyAlias] = MappingProxyType({}),
    ) -> None:
        self.module = module
        self.local = local
        self.body = body
        """What a class defines; what its module says takes precedence."""
        self.inside = inside
        """Whether the annotations were written inside a function."""
        self.above = above
        """The aliases that are being resolved."""
        self.found_elsewhere = False
        """Whether a name was found that is neither local nor the module's own."""

    def __getitem__(self, name: str) -> Any:
        if name in self.local:
            return self.local[name]
        if name in self.module.names:
            return self.opened(name, self.module.names[name])
        if name in vars(builtins):
            raise KeyError(name)
        if name in self.body:
            return self.body[name]
        meaning = self.module.for_checkers(name)
        self.found_elsewhere = True
        return self.opened(name, meaning)

    def __iter__(self) -> Iterator[str]:
        return iter(self.local)

    def __len__(self) -> int:
        return len(self.local)

    def resolve(self, annotation: Any) -> Any:
        """Turn an annotation into a type. Raises `UnresolvedName`."""
        try:
            return self._evaluated(annotation)
        except TypeError as error:
            text = annotation
            if isinstance(text, str):
                text = without_refused_parameters(annotation, self._value_of)
            elif not isinstance(text, ForwardRef) and needs_scope(text):
                text = self._by_parts(text)
            if text == annotation:
                raise not_a_type(annotation, error) from None
        try:
            return self._evaluated(text)
        except TypeError as error:
            raise not_a_type(annotation, error) from None

    def _by_parts(self, hint: Any) -> Any:
        """Resolve each string inside a hint by itself."""
        if isinstance(hint, ForwardRef):
            return self.resolve(hint.__forward_arg__)
        if isinstance(hint, str):
            return self.resolve(hint)
        if not needs_scope(hint) or hint is Self:
            return hint
        new_parts = tuple(self._by_parts(part) for part in arguments_of(hint))
        if isinstance(hint, types.UnionType):
            return typing.Union[new_parts]  # noqa: UP007 - as many arms as there were
        return (
            hint.copy_with(new_parts) if hasattr(hint, "copy_with") else hint.__origin__[new_parts]
        )

    def _evaluated(self, annotation: Any) -> Any:
        try:
            if isinstance(annotation, str):
                text, foreign = with_attributes(annotation, self._value_of, self._attribute)
            else:
                text, foreign = annotation, self._foreign(annotation)
            names: Any = ChainMap(foreign, cast("Any", self)) if foreign else self
            if isinstance(text, str):
                value = self._simply(text, names)
                if value is not None:
                    return value
            # A class: `ClassVar` and `Final` are allowed there.
            holder = type("Holder", (), {"__annotations__": {"hint": text}})
            hints = typing.get_type_hints(holder, self.module.names, names, include_extras=True)
        except NameError as error:
            name = error.name or str(error)
            where = f"define or import `{name}` in `{self.module.name}`"
            if self.inside:
                where = f"define `{name}` at module level, or before the tool is registered"
            raise UnresolvedName(name, where) from None
        except (UnresolvedName, TypeError):
            raise
        except Exception as error:  # noqa: BLE001 - a module's own `__getattr__` may raise anything
            raise not_a_type(annotation, error) from None
        for _, name in strings_in(hints["hint"]):
            hint = f'`{name}` refers to itself; write it as `TypeAliasType("{name}", ...)`'
            raise UnresolvedName(name, hint)
        return hints["hint"]

    def _simply(self, text: str, names: Any) -> Any:
        """Evaluate a string; None if only `typing` can tell what its value means as a type.

        `typing` takes five times as long, most of it for strings inside the value.
        """
        code = _code_of(text)
        if code is None:
            return None
        value = eval(code, self.module.names, names)  # noqa: S307 - the author's own hint
        is_class = isinstance(value, type) and value not in _NOT_TYPES
        return value if is_class or (_is_generic(value) and not needs_scope(value)) else None

    def _value_of(self, node: ast.expr) -> Any:
        tree = ast.fix_missing_locations(ast.Expression(node))
        code = compile(tree, "<annotation>", "eval")
        return eval(code, self.module.names, cast("Any", self))  # noqa: S307 - the author's own hint

    def opened(self, name: str, value: Any) -> Any:
        """Resolve an alias where it was written: its strings mean something only there."""
        is_text = isinstance(value, str)
        if not is_text and not needs_scope(value):
            return value
        home, own_name = self.module.home_of(name)
        if is_text and own_name not in home.statements.aliases:
            return value
        self.found_elsewhere |= home is not self.module
        key = (home.name, own_name)
        if key in self.above:
            return self.above[key].used()
        cached = home.aliases.get(own_name)
        if cached is None or cached[0] is not value:
            alias = LazyAlias(own_name, home.name)
            names = AnnotationNames(home, {}, above={**self.above, key: alias})
            cached = home.aliases[own_name] = (value, alias.resolved_as(names.resolve(value)))
        return cached[1]

    def _attribute(self, base: Any, name: str) -> Any:
        """Return what `module.name` stands for, if only type checkers or its own module know."""
        if not isinstance(base, types.ModuleType):
            raise LookupError(name)  # noqa: TRY004 - Python can resolve it itself
        names = AnnotationNames(names_of_module(base), {}, above=self.above)
        if not hasattr(base, name):
            self.found_elsewhere = True
            return names[name]
        opened = names.opened(name, getattr(base, name))
        if opened is getattr(base, name):
            raise LookupError(name)
        return opened

    def _foreign(self, annotation: Any) -> dict[str, Any]:
        """Return what strings mean that an annotation gets from aliases of other modules."""
        foreign: dict[str, Any] = {}
        if getattr(annotation, "__forward_module__", None) is not None:
            return foreign  # a TypedDict's own: it holds the module in which it was written
        holders = [holder for holder, _ in strings_in(annotation)]
        for home, used in self._aliases_of(holders) if holders else ():
            names = AnnotationNames(home, {}, above=self.above)
            for name in used:
                with contextlib.suppress(KeyError, UnresolvedName):
                    foreign[name] = names[name]
        self.found_elsewhere |= bool(foreign)
        return foreign

    def _aliases_of(self, holders: list[Any]) -> Iterator[tuple[ModuleNames, set[str]]]:
        """Find the aliases of other modules that a hint is made of, with the names they use."""
        modules = [self.module]
        for _, value in self.module.known():
            if isinstance(value, types.ModuleType):
                modules.append(names_of_module(value))  # for `module.Alias`
        for module in modules:
            for name, value in module.with_strings(needs_scope):
                texts = [
                    text for holder, text in strings_in(value) if any(holder is h for h in holders)
                ]
                home = module.home_of(name)[0] if texts else self.module
                if home is not self.module:
                    yield home, {used for text in texts for used in used_names(text)}


_NOT_TYPES: tuple[Any, ...] = (typing.Generic, typing.Protocol)
_QUALIFIERS: tuple[Any, ...] = (typing.ClassVar, typing.Final)


def _is_generic(value: Any) -> bool:
    origin = typing.get_origin(value)
    return origin is not None and origin not in _QUALIFIERS


@functools.lru_cache(maxsize=512)
def _code_of(text: str) -> types.CodeType | None:
    """Compile an annotation; None if it is not an expression, or not one by itself."""
    try:
        return compile(text, "<annotation>", "eval") if text[:1] != "*" else None
    except (SyntaxError, ValueError):
        return None


def class_hints(cls: type, local: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Resolve the annotations of a class, each base's where it was written.

    Also return whether names were needed that its module does not have. Raises `UnresolvedName`.
    """
    hints: dict[str, Any] = {}
    found_elsewhere = False
    for base in reversed(cls.__mro__):
        annotations = inspect.get_annotations(base)  # `vars` of `type` holds a descriptor
        if not annotations:
            continue
        parameters = {p.__name__: p for p in getattr(base, "__type_params__", ())}
        layers = ChainMap(dict(local), parameters, {base.__name__: base})
        inside = "<locals>" in base.__qualname__
        own_names = AnnotationNames(names_around(base), layers, body=vars(base), inside=inside)
        for name, annotation in annotations.items():
            names = own_names
            module_name = getattr(annotation, "__forward_module__", None)
            if module_name not in (None, base.__module__) and module_name in sys.modules:
                # A TypedDict also holds the annotations of its bases.
                names = AnnotationNames(
                    names_of_module(sys.modules[module_name]), layers, inside=inside
                )
            try:
                hints[name] = names.resolve(annotation) if needs_scope(annotation) else annotation
            except UnresolvedName as error:
                raise error.inside(f"{base.__name__}.{name}") from None
            found_elsewhere |= names.found_elsewhere
    return {name: type(None) if hint is None else hint for name, hint in hints.items()}, (
        found_elsewhere
    )


def type_var_bound(variable: typing.TypeVar) -> Any:
    """Return what a type variable stands for, if its bound or constraints are strings; else None.

    Raises `UnresolvedName`.
    """
    bounds = variable.__constraints__ or (variable.__bound__,)
    module = sys.modules.get(variable.__module__ or "")
    if module is None or not any(needs_scope(bound) for bound in bounds):
        return None
    names = AnnotationNames(names_of_module(module), {})
    return typing.Union[tuple(names.resolve(bound) for bound in bounds)]  # noqa: UP007


def resolved_in(scope: Scope, parameter: str, annotation: Any, names: Mapping[str, Any]) -> Any:
    """Turn the annotation of a parameter into a type. Raises `UnresolvedName`."""
    writer = scope.writer(parameter, annotation)
    inside = "<locals>" in getattr(writer, "__qualname__", "")
    bodies: Any = [vars(base) for base in getattr(scope.owner, "__mro__", ())]
    body = ChainMap(*bodies)
    return AnnotationNames(names_around(writer), names, body=body, inside=inside).resolve(
        annotation
    )
