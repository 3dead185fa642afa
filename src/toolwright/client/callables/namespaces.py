"""Calls by name among functions that a program lists: namespaces."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from ..._words import truncate
from ...errors import CallError, ToolNotFound
from ...results import Result
from ...run.runner import Runner
from ...tools.definition import Tool, compiled_of

Namespace = Mapping[str, Any]
"""What may be called, by name."""
Functions = Namespace | Iterable[Any] | Callable[..., Any]
_CLOSED = (
    types.ModuleType,
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    type,
)
"""What no dotted name leads through: from these, everything in the process can be reached."""


def namespace(functions: Functions) -> dict[str, Any]:
    """Return functions by name, given one, several, or a mapping.

    >>> def sums(a, b):
    ...     return a + b
    >>> namespace(sums)["sums"](1, 2)
    3
    """
    if isinstance(functions, Mapping):
        return dict(cast("Namespace", functions))
    sources = [functions] if callable(functions) else list(functions)
    by_name: dict[str, Any] = {}
    for source in sources:
        if isinstance(source, Mapping):
            by_name.update(cast("Namespace", source))
        else:
            by_name[_name_of(source)] = source
    return by_name


def _name_of(target: Any) -> str:
    name = getattr(target, "__name__", None)
    if not callable(target):
        msg = f"{truncate(repr(target), 60)} cannot be called: a namespace holds functions"
        raise TypeError(msg)
    return name if isinstance(name, str) else type(target).__name__


def resolve(name: str, functions: Functions) -> Any:
    """Return what a name means in a namespace; a dotted one leads to a method of an object there.

    Nothing that begins with an underscore is found, and nothing inside modules, classes or
    functions: the name comes from a model. Raises `ToolNotFound`.
    """
    functions_by_name = namespace(functions)
    if name in functions_by_name and not name.startswith("_"):
        function = functions_by_name[name]
    else:
        first, *further = name.split(".")
        if (
            not further
            or first not in functions_by_name
            or any(not _is_open(step) for step in (first, *further))
        ):
            raise ToolNotFound(name)
        function = functions_by_name[first]
        for step in further:
            if isinstance(function, _CLOSED):
                raise ToolNotFound(name)
            try:
                function = getattr(function, step)
            except Exception:  # noqa: BLE001 - a user's property may raise anything
                raise ToolNotFound(name) from None
    if not callable(function):
        raise ToolNotFound(name, hint="it cannot be called")
    return function


def _is_open(step: str) -> bool:
    return step.isidentifier() and not step.startswith("_")


def call(
    name: str,
    arguments: Mapping[str, Any] | str | bytes | None,
    functions: Functions,
    *,
    raise_on_error: bool = True,
) -> Any:
    """Call the function that a name means in a namespace; return the bare value, whatever it is.

    Arguments are validated and repaired as a tool's are; the value is neither checked nor changed.
    What the function raises is raised, or, with `raise_on_error=False`, returned as a text for the
    model.

    >>> call("sums", {"a": 1, "b": 2}, [lambda: None, {"sums": lambda a, b: a + b}])
    3
    """
    try:
        runner = _runner(name, functions)
    except ToolNotFound as error:
        if raise_on_error:
            raise
        return error.for_model()
    return _value(runner.call(arguments), raise_on_error=raise_on_error)


async def call_async(
    name: str,
    arguments: Mapping[str, Any] | str | bytes | None,
    functions: Functions,
    *,
    raise_on_error: bool = True,
) -> Any:
    """Do the same from async code; async functions are awaited, others run in a thread."""
    try:
        runner = _runner(name, functions)
    except ToolNotFound as error:
        if raise_on_error:
            raise
        return error.for_model()
    return _value(await runner.call_async(arguments), raise_on_error=raise_on_error)


def _value(result: Result, *, raise_on_error: bool) -> Any:
    if result.error is None:
        return result.value
    if not raise_on_error:
        return result.text
    raised = result.error.__cause__ if type(result.error) is CallError else None
    raise result.error if raised is None else raised


def _runner(name: str, functions: Functions) -> Runner:
    target = resolve(name, functions)
    # Every exception is told: the program chose these functions, and the model must fix its call.
    tool = Tool(target, name=name, on_unsupported="permissive", speak="all")
    return Runner(name, tool.target, compiled_of(tool), tool.options, bare=True)
