"""Providers of injected values, and the values they made."""

from __future__ import annotations

import contextlib
import functools
import inspect
import secrets
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from typing import Any, NamedTuple

from ...markers import Inject
from ...schema.injected import Wanted
from ..current import outside
from ..lifespan import Lifespan, enter_in_thread

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
