"""Injection: planned once for each tool, made for each call."""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import types
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack
from typing import Any, NamedTuple, cast

from ...call import Call
from ...errors import SchemaError
from ...read.reader import read
from ...read.scope import scope_of
from ...read.signature import EMPTY, VARIADIC, Parameter
from ...read.target import open_constructor, open_target
from ...schema.injected import Wanted, foreign, injection
from ..lifespan import in_thread
from ..waiting import ShortWait
from .providers import NOTHING_OPEN, Providers, Step, entered, entered_async, generator_of


class StepGroup(NamedTuple):
    """Consecutive steps that are run in the same way."""

    is_sync: bool
    """Whether one function runs them all, in one thread; otherwise they are awaited one by one."""
    steps: tuple[Step, ...]
    short_wait: ShortWait


class Injector:
    """The values injected into one tool, in the order in which they are made."""

    def __init__(self, tool: str, wanted: Mapping[str, Wanted], providers: Providers) -> None:
        self.tool = tool
        self.providers = providers
        self.steps: list[Step] = []
        self._at: dict[Any, int] = {}
        self.gives = [(name, self._plan(want, (), name)) for name, want in wanted.items()]
        self.is_async = any(step.kind.startswith("a") for step in self.steps)
        self.opens = any(step.kind.endswith("generator") and not step.kept for step in self.steps)
        """Whether a provider must be cleaned up after each call."""
        self.sees_call = any(step.kind == "call" for step in self.steps)
        self.groups = [
            StepGroup(is_sync, tuple(steps), ShortWait())
            for is_sync, steps in itertools.groupby(self.steps, _leaves_nothing_open)
        ]

    def enter(self, stack: ExitStack, call: Call) -> dict[str, Any]:
        """Make all values in this thread; the stack cleans up."""
        values: list[Any] = []
        _make(self.steps, values, stack, call)
        return {name: values[index] for name, index in self.gives}

    async def enter_async(self, stack: AsyncExitStack, call: Call) -> dict[str, Any]:
        """Make all values, those of sync providers in a thread; the stack cleans up."""
        values: list[Any] = []
        for is_sync, steps, short_wait in self.groups:
            if is_sync:
                if any(map(_may_block, steps)):
                    sent = (steps, values, NOTHING_OPEN, call)
                    await in_thread(_make, *sent, short_wait=short_wait)
                else:
                    _make(steps, values, NOTHING_OPEN, call)
                continue
            for step in steps:
                needed = {name: values[index] for name, index in step.needs}
                if step.kept is None:
                    values.append(await entered_async(step, needed, stack))
                else:
                    values.append(await step.kept.get_async(step, needed))
        return {name: values[index] for name, index in self.gives}

    # -- planning

    def _plan(self, wanted: Wanted, above: tuple[Any, ...], parameter: str) -> int:
        if wanted is Call:
            return self._step(Call, Step("Call", Call, "call", (), None))
        inject = self.providers.find(wanted)
        make = inject.provider
        if make in above:
            chain = " -> ".join(_name(provider) for provider in (*above[above.index(make) :], make))
            raise self._refusal(parameter, f"asks for itself: {chain}")
        key = (make, inject.scope)
        step_index = self._at.get(key)
        if step_index is not None:
            return step_index
        try:
            parameters = _parameters(make)
        except SchemaError as error:
            what = f"is provided by {_name(make)}, which {error.what}"
            raise self._refusal(parameter, what) from error
        needs: list[tuple[str, int]] = []
        for provider_parameter in parameters:
            nested = injection(provider_parameter.hint, self.providers.types)
            if nested is not None:
                needs.append(
                    (provider_parameter.name, self._plan(nested, (*above, make), parameter))
                )
            elif (
                unfilled := foreign(
                    provider_parameter.hint, provider_parameter.default, of_provider=True
                )
            ) is not None:
                what = f"is provided by {_name(make)}, whose `{provider_parameter.name}` {unfilled.what}"
                raise self._refusal(parameter, what, unfilled.hint)
            elif provider_parameter.default is EMPTY:
                what = f"is provided by {_name(make)}, which needs `{provider_parameter.name}`: nothing gives it"
                raise self._refusal(parameter, what)
        store = self.providers.kept if inject.scope == "process" else None
        if store is not None:
            self._check_kept(needs, make, parameter)
        return self._step(key, Step(_name(make), make, _kind(make), tuple(needs), store))

    def _check_kept(self, needs: list[tuple[str, int]], make: Any, parameter: str) -> None:
        for name, index in needs:
            if self.steps[index].kept is None:
                what = f"is kept for the process by {_name(make)}, but `{name}` is made per call"
                raise self._refusal(parameter, what)

    def _step(self, key: Any, step: Step) -> int:
        if key not in self._at:
            self._at[key] = len(self.steps)
            self.steps.append(step)
        return self._at[key]

    def _refusal(self, parameter: str, what: str, hint: str = "") -> SchemaError:
        return SchemaError(what, tool=self.tool, parameter=parameter, hint=hint)


def _make(steps: Sequence[Step], values: list[Any], stack: ExitStack, call: Call) -> None:
    """Make the values of sync steps in this thread, and append them to those made before."""
    for step in steps:
        needed = {name: values[index] for name, index in step.needs}
        if step.kind == "call":
            values.append(call)
        elif step.kept is not None:
            values.append(step.kept.get(step, needed))
        else:
            values.append(entered(step, needed, stack))


def _leaves_nothing_open(step: Step) -> bool:
    """Return whether a step is sync, and nothing is cleaned up after it when the call ends."""
    if step.kept is not None:
        return not step.kind.startswith("a")
    return step.kind in ("call", "ready", "value")


def _may_block(step: Step) -> bool:
    if step.kept is not None:
        return step.make not in step.kept.values
    return step.kind == "value"


def _parameters(make: Any) -> list[Parameter]:
    """Read the parameters of a provider."""
    if inspect.isbuiltin(make) or (isinstance(make, type) and _has_no_constructor(make)):
        return []
    target = open_constructor(make) if isinstance(make, type) else open_target(make)
    signature = read(target, scope_of(target), permissive=True)
    return [parameter for parameter in signature.parameters if parameter.kind not in VARIADIC]


def _has_no_constructor(cls: type) -> bool:
    return cls.__module__ == "builtins" or (
        cls.__init__ is object.__init__ and cls.__new__ is object.__new__
    )


def _kind(make: Any) -> str:
    function = generator_of(make)
    if not callable(getattr(function, "__get__", None)) and not isinstance(function, _CALLED):
        function = cast("Any", type(function)).__call__  # an object: its `__call__` decides
    if inspect.isasyncgenfunction(function):
        return "async generator"
    if inspect.iscoroutinefunction(function):
        return "awaitable"
    if inspect.isgeneratorfunction(function):
        return "generator"
    return "ready" if _hands_out(make) else "value"


def _hands_out(make: Any) -> bool:
    """Return whether a provider only returns what already exists, such as a pool in its module.

    It calls nothing and looks up no attribute, so it cannot block an event loop, and needs no
    thread.
    """
    if not isinstance(make, types.FunctionType):
        return False
    return all(step.opname in _HANDING_OUT for step in dis.get_instructions(make))


_HANDING_OUT = frozenset(
    (
        *("RESUME", "NOP", "CACHE", "COPY_FREE_VARS", "MAKE_CELL"),
        *("LOAD_CONST", "LOAD_GLOBAL", "LOAD_DEREF"),
        *("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_LOAD_FAST"),
        *("BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP", "BUILD_CONST_KEY_MAP"),
        *("RETURN_VALUE", "RETURN_CONST"),
    )
)
_CALLED: Any = (type, functools.partial, types.BuiltinFunctionType)


def _name(make: Any) -> str:
    return str(getattr(make, "__name__", type(make).__name__))
