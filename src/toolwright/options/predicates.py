"""Functions of an author that say who may use something."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..refusals import shown

__all__ = ["Predicate", "predicate_from"]

_WANTED = "enabled takes True, False, or a plain function of the Call"


class Predicate:
    """A function of a `Call`, asked for each caller; a failure means no."""

    __slots__ = ("_is_reported", "function")

    def __init__(self, function: Callable[[Any], object]) -> None:
        self.function = function
        self._is_reported = False

    def __repr__(self) -> str:
        return f"<Predicate {_name(self.function)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Predicate) and self.function == other.function

    def __hash__(self) -> int:
        return hash(self.function)

    def holds(self, call: Any, name: str) -> bool:
        """Return what the function says about a caller; an error that it raises is logged, once."""
        try:
            said = self.function(call)
            if hasattr(said, "__await__"):
                close = getattr(said, "close", None)
                if callable(close):
                    close()
                what = "it returned something to await, and nothing awaits it here"
                raise TypeError(what)  # noqa: TRY301 - reported like whatever it raises itself
            return bool(said)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - an author's function
            self._report(name, error)
            return False

    def _report(self, name: str, error: BaseException) -> None:
        if self._is_reported:
            return
        self._is_reported = True
        from .._log import log  # `logging` takes a sixth of the time to import the package

        text = f"{type(error).__name__}: {shown(str(error))}".removesuffix(": ")
        log.error(
            "%s: `enabled` failed, so nobody sees it while it does: %s (%s)",
            name,
            text,
            self._place(error),
        )

    def _place(self, error: BaseException) -> str:
        """Return where the function failed, or where it is defined."""
        raised = None if error.__traceback__ is None else error.__traceback__.tb_next
        if raised is not None:
            return f"{raised.tb_frame.f_code.co_filename}:{raised.tb_lineno}"
        code = getattr(self.function, "__code__", None)
        return _name(self.function) if code is None else f"{code.co_filename}:{code.co_firstlineno}"


def predicate_from(given: Any) -> bool | Predicate:
    """Read the option `enabled`. Raises `TypeError`."""
    if isinstance(given, bool | Predicate):
        return given
    if not callable(given) or isinstance(given, type):
        msg = f"{_WANTED}; got {_described(given)}"
        raise TypeError(msg)
    function: Callable[..., Any] = given
    if _is_lazy(function):
        msg = f"{_WANTED}; `{_name(given)}` is async or a generator, and nothing awaits it there"
        raise TypeError(msg)
    try:
        inspect.signature(given).bind(None)
    except ValueError:  # a builtin that says nothing about its parameters
        pass
    except TypeError:
        msg = f"{_WANTED}; `{_name(given)}` cannot be called with the Call alone"
        raise TypeError(msg) from None
    return Predicate(given)


def _described(given: Any) -> str:
    if isinstance(given, type):
        return f"the class {given.__qualname__}"
    plain = given is None or isinstance(given, str | int | float)
    return repr(given) if plain else f"an object of the type {type(given).__qualname__}"


def _is_lazy(given: Callable[..., Any]) -> bool:
    """Return whether calling it gives something that must be awaited or iterated."""
    kinds = (
        inspect.iscoroutinefunction,
        inspect.isasyncgenfunction,
        inspect.isgeneratorfunction,
    )
    method = given if inspect.isroutine(given) else given.__call__  # of a callable object
    return any(kind(body) for kind in kinds for body in (given, method))


def _name(function: Any) -> str:
    named = getattr(function, "func", function)
    return getattr(named, "__qualname__", None) or type(named).__name__
