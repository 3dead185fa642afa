"""`@tool` leaves options on a target; refusals may be collected."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, overload

from .._door import public
from ..errors import DefinitionError, SchemaError
from ..options import ToolOptions, options_from
from ..read.target import attribute

if TYPE_CHECKING:
    from ..read.target import Target


P = ParamSpec("P")
R = TypeVar("R")
_refused: ContextVar[list[DefinitionError] | None] = ContextVar("_refused", default=None)


class RefusedTarget:
    """Stands for a target that was refused, so that the program that made it can go on."""

    def __init__(self, refusal: SchemaError) -> None:
        self.refusal = refusal

    def __call__(self) -> None:
        """Raise the refusal."""
        raise self.refusal


@contextlib.contextmanager
def loading() -> Generator[list[DefinitionError]]:
    """Collect refusals instead of raising them, so that one bad tool does not stop the others."""
    refused: list[DefinitionError] = []
    token = _refused.set(refused)
    try:
        yield refused
    finally:
        _refused.reset(token)


def refused_while_loading() -> list[DefinitionError] | None:
    """Return the list to which refusals are added; None unless a program is being imported."""
    return _refused.get()


def note(refusal: DefinitionError) -> None:
    """Note a refusal, once, while a program is being imported; raise it otherwise."""
    refused = _refused.get()
    if refused is None:
        raise refusal
    if refusal not in refused:
        refused.append(refusal)


@contextlib.contextmanager
def noted_while_loading() -> Generator[None]:
    """Note a `SchemaError` while a program is being imported; raise it otherwise."""
    try:
        yield
    except SchemaError as error:
        note(error)


def shown_short(function: Callable[P, R]) -> Callable[P, R]:
    """Have a refusal show the author's own line, and not the way on which it was found."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except DefinitionError as error:
            raise error.with_traceback(None)  # noqa: B904 - it is the same error

    return call


def raise_or_note(refused: Sequence[SchemaError]) -> None:
    """Raise all refusals together; note them while a command imports the program."""
    if len(refused) == 1 or refused_while_loading() is not None:
        for error in refused:
            note(error)
    elif refused:
        raise DefinitionError(problems=refused)


__all__ = ["RefusedMark", "is_marked", "marks", "tool", "with_name"]


MARK = "__toolwright__"


class RefusedMark(dict[str, Any]):
    """The mark of a target whose options were refused while a command imports the program.

    It refuses the tool later, by name: without its options the target must not be served.
    """

    def __init__(self, refusal: TypeError | ValueError) -> None:
        super().__init__()
        self.refusal = refusal

    def refusal_of(self, target: Target) -> SchemaError:
        """Return the refusal, with the name and the place of the target."""
        error = self.refusal
        what = error.what if isinstance(error, SchemaError) else f"has a bad option: {error}"
        hint = error.hint if isinstance(error, SchemaError) else ""
        place = target.location
        return SchemaError(what, tool=target.name, hint=hint, file=place.file, line=place.line)


def marks(target: Any) -> Mapping[str, Any]:
    """Return the options that `@tool` left on a target."""
    marked_options: Any = attribute(target, MARK)
    return marked_options if is_marked(target) else {}


def is_marked(target: Any) -> bool:
    """Return whether `@tool` was put on a target."""
    return isinstance(attribute(target, MARK), Mapping)


def with_name(called: str | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with the name that a decorator was given before them. Raises `SchemaError`."""
    if called is None:
        return dict(options)
    option_name = options.get("name")
    if option_name not in (None, called):
        what = f'is also named `{option_name}` by name="{option_name}"'
        raise SchemaError(what, tool=called, hint="give one name")
    return {**options, "name": called}


@overload
def tool(target: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def tool(
    called: str | None = None, /, **options: Unpack[ToolOptions]
) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
@public
def tool(target: Any = None, /, **options: Unpack[ToolOptions]) -> Any:
    """Mark a function, method or class as a tool, with its options; it stays what it is.

    `@tool`, `@tool("name")` and `@tool(read_only=True)` all work. `Toolbox.add` and
    `Toolbox.include` find the mark.

    >>> @tool(read_only=True)
    ... def add(a: int, b: int) -> int:
    ...     return a + b
    >>> add(1, 2)
    3
    """
    if target is None or isinstance(target, str):
        checked = _checked(target, options)

        def decorate(function: Any) -> Any:
            return _mark(function, checked)

        return decorate
    return _mark(target, _checked(None, options))


def _checked(called: str | None, options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the mark for options. A bad one fails at the decorator, not at the toolbox."""
    try:
        complete = with_name(called, options)
        options_from(complete)
    except (TypeError, ValueError) as error:
        if refused_while_loading() is None:
            raise
        return RefusedMark(error)
    return complete


def _mark(target: Any, given: Mapping[str, Any]) -> Any:
    holder = getattr(target, "__func__", target)
    try:
        setattr(holder, MARK, given)
    except (AttributeError, TypeError):
        msg = f"{target!r} cannot carry options; use `Toolbox.add(...)` or `Tool(...)`"
        raise TypeError(msg) from None
    return target
