"""`@tool`: leaves options on a target, which stays what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, overload

from .._door import public
from ..errors import SchemaError
from ..options import ToolOptions, options_from
from ..read.target import attribute
from .loading import refused_while_loading

if TYPE_CHECKING:
    from ..read.target import Target

__all__ = ["RefusedMark", "is_marked", "marks", "tool", "with_name"]

P = ParamSpec("P")
R = TypeVar("R")

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
