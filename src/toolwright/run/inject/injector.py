"""Give parameters what providers make: worked out once for a tool, made anew for each call."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import secrets
import threading
import types
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from typing import Any, NamedTuple, cast

from ...call import Call
from ...errors import SchemaError
from ...options import Inject
from ...read.reader import read
from ...read.scope import scope_of
from ...read.signature import EMPTY, VARIADIC, Parameter
from ...read.target import open_constructor, open_target
from ...schema.injected import Wanted, injection
from ..lifespan import Lifespan
from ..threads import threads
from ..waiting import LOOP, Signal


class Step(NamedTuple):
    """One provider to run: with what, and how."""

    name: str
    make: Callable[..., Any]
    kind: str
    """`call`, or what calling it gives: `value`, `awaitable`, `generator`, `async generator`."""
    needs: tuple[tuple[str, int], ...]
    """Its own parameters, each with the step that gives it."""
    kept: Kept | None
    """Where its value is kept, if it is made once only."""


class Kept:
    """Values that are made once and kept until the toolbox is closed."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.stack = ExitStack()
        self.values: dict[Any, Any] = {}
        self.held: dict[Any, Lifespan] = {}

    def get(self, step: Step, needed: Mapping[str, Any]) -> Any:
        """Return a value, made by the first who asks for it."""
        with self.lock:
            if step.make not in self.values:
                self.values[step.make] = _entered(step, needed, self.stack)
            return self.values[step.make]

    async def get_async(self, step: Step, needed: Mapping[str, Any]) -> Any:
        """Return the value of an async provider; it lives in a task of its own."""
        with self.lock:
            held = self.held.get(step.make)
            if held is None:
                held = self.held[step.make] = Lifespan(lambda: _held(step, needed))
        await held.enter()
        return held.value

    def close(self) -> None:
        """Clean up, the last made first; the next call makes them again."""
        with self.lock:
            stack, self.stack = self.stack, ExitStack()
            held, self.held = self.held, {}
            self.values.clear()
        for each in reversed(held.values()):
            each.leave_soon()
        stack.close()

    async def aclose(self) -> None:
        """Clean up, from async code."""
        with self.lock:
            held, self.held = self.held, {}
        for each in reversed(held.values()):
            await each.leave()
        self.close()


@asynccontextmanager
async def _held(step: Step, needed: Mapping[str, Any]) -> AsyncGenerator[Any]:
    async with AsyncExitStack() as stack:
        yield await _entered_async(step, needed, stack)


class Providers:
    """The types that have a provider, and what stands in for providers in tests.

    Those of a tool that was included from another toolbox look into both, in order.
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
        """Changes with every provider and every override."""
        return self._version + sum(base.version for base in self._bases)

    @property
    def epoch(self) -> str:
        """Names what stands in for providers right now; empty if nothing does."""
        overridden = self._overrides or any(base.epoch for base in self._bases)
        return f"{self._name}:{self.version}" if overridden else ""

    @property
    def kept(self) -> Kept:
        """What is made once and kept."""
        return self._bases[0].kept if self._bases else self._kept

    @property
    def types(self) -> list[Any]:
        """The types that have a provider."""
        return [*self._types, *(kind for base in self._bases for kind in base.types)]

    def provide(self, kind: Any, provider: Inject) -> None:
        """Give parameters of a type what a provider makes."""
        self._types[kind] = provider
        self._version += 1

    def knows(self, key: Any) -> bool:
        """Tell whether a type has a provider."""
        return self._typed(key) is not None

    def find(self, wanted: Wanted) -> Inject:
        """Return the provider that counts for what a parameter wants. Raises `KeyError`."""
        key = wanted.provider if isinstance(wanted, Inject) else wanted
        found = self._swapped(key)
        if found is not None:
            return found
        inner = wanted if isinstance(wanted, Inject) else self._typed(wanted)
        if inner is None:
            raise KeyError(wanted)
        return self._swapped(inner.provider) or inner

    def _typed(self, kind: Any) -> Inject | None:
        found = [self._types.get(kind), *(base._typed(kind) for base in self._bases)]  # noqa: SLF001
        return next((each for each in found if each is not None), None)

    def _swapped(self, key: Any) -> Inject | None:
        for each in reversed(self._overrides):
            if key in each:
                return each[key]
        found = (base._swapped(key) for base in self._bases)  # noqa: SLF001 - of our own kind
        return next((each for each in found if each is not None), None)

    @contextlib.contextmanager
    def override(self, others: Mapping[Any, Inject]) -> Generator[None]:
        """Let others stand in for providers; what is kept for the process is made anew inside."""
        mine = dict(others)
        kept, self._kept = self._kept, Kept()
        self._overrides.append(mine)
        self._version += 1
        try:
            yield
        finally:
            self._overrides = [each for each in self._overrides if each is not mine]
            self._version += 1
            inner, self._kept = self._kept, kept
            inner.close()


class Injector:
    """What one tool is injected with, in the order in which it is made."""

    def __init__(self, tool: str, wanted: Mapping[str, Wanted], providers: Providers) -> None:
        self.tool = tool
        self.providers = providers
        self.steps: list[Step] = []
        self._at: dict[Any, int] = {}
        self.gives = [(name, self._plan(each, (), name)) for name, each in wanted.items()]
        self.is_async = any(step.kind.startswith("a") for step in self.steps)
        self.sees_call = any(step.kind == "call" for step in self.steps)

    def enter(self, stack: ExitStack, call: Call) -> dict[str, Any]:
        """Make everything, in this thread; the stack cleans up."""
        made: list[Any] = []
        for step in self.steps:
            needed = {name: made[at] for name, at in step.needs}
            if step.kind == "call":
                made.append(call)
            elif step.kept is not None:
                made.append(step.kept.get(step, needed))
            else:
                made.append(_entered(step, needed, stack))
        return {name: made[at] for name, at in self.gives}

    async def enter_async(self, stack: AsyncExitStack, call: Call) -> dict[str, Any]:
        """Make everything, sync providers in a thread; the stack cleans up."""
        made: list[Any] = []
        for step in self.steps:
            needed = {name: made[at] for name, at in step.needs}
            if step.kind == "call":
                made.append(call)
            elif step.kept is None:
                made.append(await _entered_async(step, needed, stack))
            elif step.kind.startswith("a"):
                made.append(await step.kept.get_async(step, needed))
            elif step.make in step.kept.values:
                made.append(step.kept.values[step.make])
            else:
                made.append(await _in_thread(step.kept.get, step, needed))
        return {name: made[at] for name, at in self.gives}

    # -- working it out

    def _plan(self, wanted: Wanted, above: tuple[Any, ...], parameter: str) -> int:
        if wanted is Call:
            return self._step(Call, Step("Call", Call, "call", (), None))
        inject = self.providers.find(wanted)
        make = inject.provider
        if make in above:
            chain = " -> ".join(_name(each) for each in (*above[above.index(make) :], make))
            raise self._refusal(parameter, f"asks for itself: {chain}")
        key = (make, inject.scope)
        known = self._at.get(key)
        if known is not None:
            return known
        try:
            asked = _parameters(make)
        except SchemaError as error:
            what = f"is provided by {_name(make)}, which {error.what}"
            raise self._refusal(parameter, what) from error
        needs: list[tuple[str, int]] = []
        for each in asked:
            inner = injection(each.hint, self.providers.types)
            if inner is not None:
                needs.append((each.name, self._plan(inner, (*above, make), parameter)))
            elif each.default is EMPTY:
                what = f"is provided by {_name(make)}, which needs `{each.name}`: nothing gives it"
                raise self._refusal(parameter, what)
        kept = self.providers.kept if inject.scope == "process" else None
        if kept is not None:
            self._check_kept(needs, make, parameter)
        return self._step(key, Step(_name(make), make, _kind(make), tuple(needs), kept))

    def _check_kept(self, needs: list[tuple[str, int]], make: Any, parameter: str) -> None:
        for name, at in needs:
            if self.steps[at].kept is None:
                what = f"is kept for the process by {_name(make)}, but `{name}` is made per call"
                raise self._refusal(parameter, what)

    def _step(self, key: Any, step: Step) -> int:
        if key not in self._at:
            self._at[key] = len(self.steps)
            self.steps.append(step)
        return self._at[key]

    def _refusal(self, parameter: str, what: str) -> SchemaError:
        return SchemaError(what, tool=self.tool, parameter=parameter)


def _parameters(make: Any) -> list[Parameter]:
    """Read what a provider itself asks for."""
    if inspect.isbuiltin(make) or (isinstance(make, type) and _has_no_constructor(make)):
        return []
    target = open_constructor(make) if isinstance(make, type) else open_target(make)
    signature = read(target, scope_of(target), permissive=True)
    return [each for each in signature.parameters if each.kind not in VARIADIC]


def _has_no_constructor(cls: type) -> bool:
    return cls.__module__ == "builtins" or (
        cls.__init__ is object.__init__ and cls.__new__ is object.__new__
    )


def _kind(make: Any) -> str:
    function = _generator(make)
    if not callable(getattr(function, "__get__", None)) and not isinstance(function, _CALLED):
        function = cast("Any", type(function)).__call__  # an object: its method says
    if inspect.isasyncgenfunction(function):
        return "async generator"
    if inspect.iscoroutinefunction(function):
        return "awaitable"
    return "generator" if inspect.isgeneratorfunction(function) else "value"


_CALLED: Any = (type, functools.partial, types.BuiltinFunctionType)


def _generator(make: Any) -> Any:
    """Return the generator function that `contextmanager` made a provider of; else itself."""
    inner = inspect.unwrap(getattr(make, "__func__", make))
    if not (inspect.isgeneratorfunction(inner) or inspect.isasyncgenfunction(inner)):
        return make
    return functools.partial(inner, make.__self__) if inspect.ismethod(make) else inner


def _name(make: Any) -> str:
    return str(getattr(make, "__name__", type(make).__name__))


def _entered(step: Step, needed: Mapping[str, Any], stack: ExitStack) -> Any:
    if step.kind == "generator":
        return stack.enter_context(contextmanager(_generator(step.make))(**needed))
    made = step.make(**needed)
    if inspect.iscoroutine(made):
        made.close()
        msg = f"the provider {step.name} gives a coroutine: write it as `async def`"
        raise TypeError(msg)
    return made


async def _entered_async(step: Step, needed: Mapping[str, Any], stack: AsyncExitStack) -> Any:
    if step.kind == "async generator":
        manager = asynccontextmanager(_generator(step.make))(**needed)
        return await stack.enter_async_context(manager)
    if step.kind == "awaitable":
        return await step.make(**needed)
    if step.kind == "value":
        return await _in_thread(lambda: _entered(step, needed, ExitStack()))
    held = contextmanager(_generator(step.make))(**needed)

    async def leave(kind: Any, error: Any, trace: Any) -> Any:
        return await _in_thread(held.__exit__, kind, error, trace)

    try:
        value = await _in_thread(held.__enter__)
    except _Opened:
        stack.push_async_exit(leave)
        raise asyncio.CancelledError from None
    stack.push_async_exit(leave)
    return value


async def _in_thread(function: Callable[..., Any], *sent: Any) -> Any:
    """Call a function in a thread, to its end: what it opens must be closed, whoever gives up."""
    ended = Signal()
    outcome: list[tuple[Any, BaseException | None]] = []

    def settle(value: Any, failure: BaseException | None) -> None:
        outcome.append((value, failure))
        ended.set()

    threads.start(lambda: function(*sent), settle, always=True)
    try:
        await LOOP.wait(ended, None)
    except asyncio.CancelledError as cancelled:
        # Asked a second time, the loop is about to end: nothing can wait for the thread.
        await LOOP.wait(ended, None)
        if outcome[0][1] is None:
            raise _Opened from cancelled
        raise
    value, failure = outcome[0]
    if failure is not None:
        raise failure
    return value


class _Opened(asyncio.CancelledError):
    """Somebody gave up while a function ran, and it ran to a good end."""
