"""Reads a target in full: hints resolved, documentation found."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from ..options import Options
from .docstring_parts import ATTRIBUTES, PARAMETERS, Docstring, doc_of
from .documentation import annotated_text, class_docs, parse
from .scope import Scope, UnresolvedName, needs_scope
from .signature import EMPTY, VAR_KEYWORD, Lost, Parameter, Signature
from .source import RETURN, lines_of, parameter_comments
from .target import Target, with_arguments, with_owner


def read(
    target: Target,
    scope: Scope | None,
    *,
    permissive: bool = False,
    unknown: Callable[[UnresolvedName], Any] | None = None,
) -> Signature:
    """Read a target. Raises `SchemaError` for a parameter whose type cannot be resolved.

    `permissive` takes what cannot be resolved as any value; `unknown` makes a hint for it where
    the parameter has a default.
    """
    hints, problems, names = _hints(target, scope, permissive=permissive, unknown=unknown)
    docs = _Documentation(target)
    own_names = frozenset(p.name for p in target.parameters)
    texts = docs.texts()
    if any(
        not (texts.get(p.name) or _explained(hints[p.name], p.default)) for p in target.parameters
    ):
        texts = {**docs.comments(), **texts}
    elif docs.returns_in_comment():
        texts.setdefault(RETURN, docs.comments().get(RETURN, ""))
    takes_any = any(p.kind is VAR_KEYWORD for p in target.parameters)
    stray = [] if takes_any else docs.stray(own_names | target.reserved)
    problems += [Lost("stray", name) for name in stray]
    problems += docs.unread()
    parameters = tuple(
        Parameter(
            p.name,
            p.kind,
            hints[p.name],
            p.default,
            annotated_text(hints[p.name]) or texts.get(p.name, ""),
            untyped=p.annotation is EMPTY,
        )
        for p in target.parameters
    )
    return Signature(
        name=target.name,
        call=target.call,
        parameters=parameters,
        returns=hints[RETURN],
        description=docs.description(own_names | target.reserved),
        returns_description=annotated_text(hints[RETURN]) or texts.get(RETURN, ""),
        location=target.location,
        reserved=target.reserved,
        unbound=target.unbound,
        namespace=names,
        problems=tuple(problems),
    )


def read_signature(target: Target, scope: Scope | None, options: Options) -> Signature:
    """Read a target as its options say. Raises `SchemaError`."""
    if options.input_schema is None:
        return read(target, scope, permissive=options.on_unsupported == "permissive")
    # The author's schema says what the parameters are: nothing about them is a problem.
    signature = read(target, scope, permissive=True)
    problems = tuple(lost for lost in signature.problems if lost.kind != "any_value")
    return replace(signature, problems=problems)


def _hints(
    target: Target,
    scope: Scope | None,
    *,
    permissive: bool,
    unknown: Callable[[UnresolvedName], Any] | None,
) -> tuple[dict[str, Any], list[Lost], dict[str, Any] | None]:
    """Resolve every hint; the return value's is under `"return"`."""
    hints = {p.name: p.annotation for p in target.parameters}
    hints[RETURN] = target.returns
    problems: list[Lost] = []
    for name in [p.name for p in target.parameters if permissive and p.annotation is EMPTY]:
        hints[name] = Any
        problems.append(Lost("any_value", name, "it has no type hint"))
    if scope is None:
        return _substituted(hints, target), problems, None
    names = scope.local_names()
    optional = {p.name for p in target.parameters if p.default is not EMPTY}
    for name, annotation in hints.items():
        if annotation is EMPTY or not needs_scope(annotation):
            continue
        from .evaluate import resolved_in  # hints that are plain classes need none of this

        try:
            hint = resolved_in(scope, name, annotation, names)
            hints[name] = with_owner(hint, target.owner)
        except UnresolvedName as error:
            if name == RETURN:
                text = f"its return type is not known; {error.hint}"
                problems.append(Lost("no_output", text=text))
                hints[name] = EMPTY
            elif permissive:
                problems.append(Lost("any_value", name, error.hint))
                hints[name] = Any
            elif unknown is not None and name in optional:
                hints[name] = unknown(error)
            else:
                raise _unresolved(target, name, error) from None
    return _substituted(hints, target), problems, dict(names)


def _substituted(hints: dict[str, Any], target: Target) -> dict[str, Any]:
    """Replace the type variables of a generic class in hints by what they stand for."""
    arguments = target.type_arguments
    if not arguments:
        return hints
    return {name: with_arguments(hint, arguments) for name, hint in hints.items()}


def _unresolved(target: Target, name: str, error: UnresolvedName) -> Exception:
    bare = Signature(target.name, target.call, (), location=target.location)
    return bare.refusal(error.what, parameter=name, hint=error.hint)


def _explained(hint: Any, default: Any) -> bool:
    """Return whether a hint or default explains itself (text in `Annotated`, a `Field`)."""
    items = (*getattr(hint, "__metadata__", ()), default)
    return bool(annotated_text(hint)) or any(
        isinstance(getattr(item, "description", None), str) for item in items
    )


class _Source(NamedTuple):
    """A docstring, taken apart, and what it belongs to."""

    documented: Any
    docstring: Docstring

    @property
    def of_class(self) -> bool:
        return isinstance(self.documented, type)


class _Documentation:
    """Everything that documents one target; the best description comes first."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.names = frozenset(p.name for p in target.parameters)
        self.own = list(_sources(target.documented, self.names))
        self.inherited = list(_sources(_inherited(target), self.names))

    def texts(self) -> dict[str, str]:
        """Return the text about each parameter: a function's takes precedence over a class's."""
        sources = [*sorted(self.own, key=lambda source: source.of_class), *self.inherited]
        texts_by_name: dict[str, str] = {}
        for source in reversed(sources):
            elsewhere = self._made_with(source)
            texts = source.docstring.texts
            texts_by_name.update(
                {name: text for name, text in texts.items() if name not in elsewhere}
            )
        return texts_by_name

    def _made_with(self, source: _Source) -> frozenset[str]:
        """Return the names an instance was made with: its class describes them, not the call's."""
        is_instance = source.documented is type(self.target.call)
        return _constructor_names(source.documented) if is_instance else frozenset()

    def description(self, gone: frozenset[str]) -> str:
        own_names = gone | {"self", "cls"}
        if isinstance(self.target.documented[0], type):
            own_names |= class_docs(self.target.documented[0]).attributes.keys()
        # An inherited text may document parameters that this target does not have.
        texts = [
            *(source.docstring.without(own_names | self._made_with(source)) for source in self.own),
            *(source.docstring.without(source.docstring.names) for source in self.inherited),
        ]
        return next((text for text in texts if text), "")

    def stray(self, known: frozenset[str]) -> list[str]:
        if isinstance(self.target.documented[0], type):
            return []  # a class may document attributes that its constructor does not take
        names = next((source.docstring.names for source in self.own if not source.of_class), ())
        return [name for name in names if name not in known and name not in ("self", "cls")]

    def unread(self) -> list[Lost]:
        """Return lines that should describe a parameter, but could not be read."""
        lines = list(dict.fromkeys(line for source in self.own for line in source.docstring.unread))
        unread = [Lost("unread", text=line) for line in lines[:MOST_UNREAD]]
        more = len(lines) - MOST_UNREAD
        return [*unread, Lost("more_unread", text=str(more))] if more > 0 else unread

    def comments(self) -> dict[str, str]:
        comments: dict[str, str] = {}
        for function in reversed([f for f in _functions(self.target) if _has_comment(f)]):
            comments.update(parameter_comments(function))
        return comments

    def returns_in_comment(self) -> bool:
        return _has_comment(self.target.function)


MOST_UNREAD = 5


def _sources(documented: Iterable[Any], names: frozenset[str]) -> Iterator[_Source]:
    for owner in documented:
        doc = doc_of(owner)
        if doc.strip() and not _generated(owner, doc):
            headings = ATTRIBUTES if isinstance(owner, type) else PARAMETERS
            yield _Source(owner, parse(doc, headings, names))


def _constructor_names(cls: type) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(cls).parameters)
    except (ValueError, TypeError):
        return frozenset()


def _inherited(target: Target) -> Iterator[Any]:
    """Yield other objects that may document a target: those it overrides or delegates to."""
    yield from _overridden(target)
    delegate = getattr(target.function, "__delwrap__", None)
    if callable(delegate):
        yield delegate


def _overridden(target: Target) -> Iterator[Any]:
    if target.owner is None or isinstance(target.documented[0], type):
        return
    for base in target.owner.__mro__:
        method = vars(base).get(getattr(target.function, "__name__", ""))
        method = getattr(method, "__func__", method)
        if callable(method) and method is not target.function:
            yield method


def _functions(target: Target) -> Iterator[Any]:
    yield target.function
    yield from (inspect.unwrap(f) for f in _overridden(target))
    delegate = getattr(target.function, "__delwrap__", None)
    if callable(delegate):
        yield inspect.unwrap(delegate)


def _generated(documented: Any, doc: str) -> bool:
    """Return whether a docstring was generated: `object`'s, or the signature of a dataclass."""
    if isinstance(documented, type):
        return doc.startswith(f"{documented.__name__}(") or doc == object.__doc__
    if isinstance(documented, types.WrapperDescriptorType):
        return True
    # An instance without a text of its own shows its class's.
    return not inspect.isroutine(documented) and doc == doc_of(type(documented))


def _has_comment(function: Any) -> bool:
    """Return whether a function's header holds any comment: a cheap test before tokenising."""
    code = getattr(function, "__code__", None)
    if code is None:
        return False
    seen_def = False
    for line in islice(lines_of(code.co_filename), max(code.co_firstlineno - 1, 0), None):
        if "#" in line:
            return True
        seen_def = seen_def or "def " in line
        if seen_def and (line.rstrip().endswith(":") or "):" in line or '"""' in line):
            return False
    return False
