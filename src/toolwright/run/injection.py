"""Values of providers: planned for a tool, made for a call."""

from __future__ import annotations

import contextlib
import dis
import functools
import inspect
import itertools
import secrets
import threading
import types
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from typing import Any, NamedTuple, cast

from ..call import Call
from ..errors import SchemaError
from ..markers import Inject
from ..read.reader import read
from ..read.signature import EMPTY, VARIADIC, Parameter
from ..read.target import open_constructor, open_target, scope_of
from ..schema.injected import Wanted, foreign, injection
from .current import outside
from .lifespan import Lifespan, enter_in_thread, in_thread
from .loop import ShortWait

NOTHING_OPEN = ExitStack()
"""For providers that leave nothing to clean up: nothing is ever put on it."""


class Step(NamedTuple):
    """One provider to run, with its parameters."""

    name: str
    make: Callable[..., Any]
    kind: str
    """`call`, or what calling it gives: `value`, `ready` (a value, made without
    anything that could block), `awaitable`, `generator`, `async generator`."""
    needs: tuple[tuple[str, int], ...]
    """Its own parameters, each with the step that gives it."""
    kept: Kept | None
    """Where its value is kept, if it is made only once."""


class Kept:
    """Values that are made once and kept until the toolbox is closed."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.stack = ExitStack()
        self.values: dict[Any, Any] = {}
        self.held: dict[Any, Lifespan] = {}

    def get(self, step: Step, needed: Mapping[str, Any]) -> Any:
        """Return a value; it is made at the first request."""
        with self.lock:
            if step.make not in self.values:
                with outside():
                    self.values[step.make] = entered(step, needed, self.stack)
            return self.values[step.make]

    async def get_async(self, step: Step, needed: Mapping[str, Any]) -> Any:
        """Return the value of an async provider; it lives in a task of its own."""
        with self.lock:
            lifespan = self.held.get(step.make)
            if lifespan is None:
                lifespan = self.held[step.make] = Lifespan(lambda: _held(step, needed))
        await lifespan.enter()
        return lifespan.value

    def close(self) -> None:
        """Clean up the values, last made first; the next call makes them again."""
        with self.lock:
            stack, self.stack = self.stack, ExitStack()
            lifespans, self.held = self.held, {}
            self.values.clear()
        for lifespan in reversed(lifespans.values()):
            lifespan.leave_soon()
        stack.close()

    async def aclose(self) -> None:
        """Clean up, from async code."""
        with self.lock:
            lifespans, self.held = self.held, {}
        for lifespan in reversed(lifespans.values()):
            await lifespan.leave()
        self.close()


@asynccontextmanager
async def _held(step: Step, needed: Mapping[str, Any]) -> AsyncGenerator[Any]:
    async with AsyncExitStack() as stack:
        yield await entered_async(step, needed, stack)


class Providers:
    """The types that have a provider, and the overrides of providers in tests.

    For a tool that was included from another toolbox, both are searched, in order.
    """

    def __init__(self, *bases: Providers) -> None:
        self._bases = bases
        self._types: dict[Any, Inject] = {}
        self._overrides: list[dict[Any, Inject]] = []
        self._version = 0
        self._name = secrets.token_hex(8)
        self._kept = Kept()

    @property
    def version(self) -> int:
        """A number that changes with every provider and every override."""
        if not self._bases:
            return self._version
        return self._version + sum(base.version for base in self._bases)

    @property
    def epoch(self) -> str:
        """Identifies the present overrides of providers; empty if there are none."""
        overridden = self._overrides or any(base.epoch for base in self._bases)
        return f"{self._name}:{self.version}" if overridden else ""

    @property
    def kept(self) -> Kept:
        """The values that are made once and kept."""
        return self._bases[0].kept if self._bases else self._kept

    @property
    def types(self) -> list[Any]:
        """The types that have a provider."""
        return [*self._types, *(kind for base in self._bases for kind in base.types)]

    def provide(self, kind: Any, provider: Inject) -> None:
        """Inject what a provider makes into parameters of a type."""
        self._types[kind] = provider
        self._version += 1

    def knows(self, key: Any) -> bool:
        """Return whether a type has a provider."""
        return self._typed(key) is not None

    def find(self, wanted: Wanted) -> Inject:
        """Return the provider that applies to a parameter. Raises `KeyError`."""
        key = wanted.provider if isinstance(wanted, Inject) else wanted
        override = self._swapped(key)
        if override is not None:
            return override
        inject = wanted if isinstance(wanted, Inject) else self._typed(wanted)
        if inject is None:
            raise KeyError(wanted)
        return self._swapped(inject.provider) or inject

    def _typed(self, kind: Any) -> Inject | None:
        providers = [self._types.get(kind), *(base._typed(kind) for base in self._bases)]  # noqa: SLF001
        return next((provider for provider in providers if provider is not None), None)

    def _swapped(self, key: Any) -> Inject | None:
        for overrides in reversed(self._overrides):
            if key in overrides:
                return overrides[key]
        inherited = (base._swapped(key) for base in self._bases)  # noqa: SLF001 - our own class
        return next((override for override in inherited if override is not None), None)

    @contextlib.contextmanager
    def override(self, others: Mapping[Any, Inject]) -> Generator[None]:
        """Replace providers for a while; values kept for the process are made again inside."""
        override = dict(others)
        outer_store, self._kept = self._kept, Kept()
        self._overrides.append(override)
        self._version += 1
        try:
            yield
        finally:
            self._overrides = [active for active in self._overrides if active is not override]
            self._version += 1
            inner_store, self._kept = self._kept, outer_store
            inner_store.close()


def generator_of(make: Any) -> Any:
    """Return the generator function that `contextmanager` wrapped, or the provider itself."""
    function = inspect.unwrap(getattr(make, "__func__", make))
    if not (inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)):
        return make
    return functools.partial(function, make.__self__) if inspect.ismethod(make) else function


def entered(step: Step, needed: Mapping[str, Any], stack: ExitStack) -> Any:
    """Run a provider; its clean-up goes on the stack."""
    if step.kind == "generator":
        return stack.enter_context(contextmanager(generator_of(step.make))(**needed))
    value = step.make(**needed)
    if inspect.iscoroutine(value):
        value.close()
        msg = f"the provider {step.name} gives a coroutine: write it as `async def`"
        raise TypeError(msg)
    return value


async def entered_async(step: Step, needed: Mapping[str, Any], stack: AsyncExitStack) -> Any:
    """Run a provider from async code; a sync one that opens something does so in a thread."""
    if step.kind == "async generator":
        context = asynccontextmanager(generator_of(step.make))(**needed)
        return await stack.enter_async_context(context)
    if step.kind == "awaitable":
        return await step.make(**needed)
    opened = contextmanager(generator_of(step.make))(**needed)
    return await enter_in_thread(opened, stack)


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
