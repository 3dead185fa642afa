"""The public face: a catalog that also takes whole modules and objects, and lists itself."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Self, TypeVar, Unpack, overload

from .catalog import Catalog, Problem, matches
from .definition import Tool
from .errors import CallError, DefinitionError, SchemaError, UnexpectedError
from .limits import Timeout, timeout_from
from .members import members
from .offers import Offers
from .options import LATEST_PROTOCOL, Inject, ToolOptions
from .run.home import Home

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from .call import Call
    from .results import Result
    from .run.lifespan import Lifespan
    from .run.pipeline import Runner
    from .serve.http import App
    from .store import Store

__all__ = ["Toolbox"]

Around = Callable[[Any, Any, Callable[[Any], Awaitable["Result"]]], Awaitable["Result"]]
Scope = Literal["call", "process"]
P = ParamSpec("P")
R = TypeVar("R")


class Toolbox(Offers, Mapping[str, Tool]):
    """A named, ordered set of tools; a mapping of name to `Tool`.

    >>> box = Toolbox("sums")
    >>> @box.tool
    ... def add(a: int, b: int = 1) -> int:
    ...     "Add two numbers."
    ...     return a + b
    >>> list(box)
    ['add']
    """

    def __init__(
        self,
        name: str,
        tools: Iterable[Any] | Mapping[str, Any] = (),
        *,
        version: str = "",
        instructions: str = "",
        lifespan: Callable[[], AbstractAsyncContextManager[Any]] | None = None,
        timeout: float | Timeout | None = None,
        store: str | Store | None = None,
        eager: bool = False,
    ) -> None:
        super().__init__()
        self.name = name
        self.version = version
        self.instructions = instructions
        self.eager = eager
        self._catalog = Catalog()
        self._home = Home(version=version, timeout=timeout_from(timeout), store=store)
        self._around: list[Around] = []
        self._open_lifespan = lifespan
        self._lifespan: Lifespan | None = None
        if isinstance(tools, Mapping):
            self.include(tools)
        else:
            for target in tools:
                self.add(target)

    def __getitem__(self, name: str) -> Tool:
        return self._catalog[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._catalog)

    def __len__(self) -> int:
        return len(self._catalog)

    def __repr__(self) -> str:
        return f"<Toolbox {self.name}: {len(self)} tools>"

    @overload
    def tool(self, target: Callable[P, R], /) -> Callable[P, R]: ...
    @overload
    def tool(
        self, called: str | None = None, /, **options: Unpack[ToolOptions]
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
    def tool(self, target: Any = None, /, **options: Unpack[ToolOptions]) -> Any:
        """Add a function as a tool; it stays the very same function."""
        if target is None or isinstance(target, str):
            if target:
                options["name"] = target

            def decorate(function: Any) -> Any:
                self.add(function, **options)
                return function

            return decorate
        self.add(target, **options)
        return target

    def add(self, target: Any, **options: Unpack[ToolOptions]) -> Tool:
        """Add anything callable, or a `Tool`, and return its tool. Raises `SchemaError`."""
        if isinstance(target, Tool):
            tool = target.replace(**options) if options else target
        else:
            tool = Tool(target, **options)
        tool = tool.at_home(self._home)
        if self.eager:
            tool.compile()
        added = self._catalog.insert(tool)
        self.changed("tools")
        return added

    def include(
        self,
        source: Any,
        *,
        select: str | Sequence[str] = "*",
        prefix: str = "",
        **options: Unpack[ToolOptions],
    ) -> list[Tool]:
        """Add all tools of a module, an object, a class, a mapping or another toolbox.

        `select` takes glob patterns on the source's own names (`!pattern` leaves out), `prefix`
        goes before each name. Where some members are marked with `@tool`, only those are taken;
        else a module gives its `__all__` or the public functions defined in it, an object its
        public methods. The good ones are added; then `DefinitionError` names all the bad ones.
        """
        added: list[Tool] = []
        bad: list[SchemaError] = []
        for name, target in members(source):
            if not matches(name, select):
                continue
            try:
                given: ToolOptions = {"name": prefix + name, **options}
                added.append(self.add(target, **given))
                if isinstance(source, Toolbox | Catalog) and not source.is_enabled(name):
                    self.disable(prefix + name)
            except SchemaError as error:
                bad.append(error)
        if len(bad) == 1:
            raise bad[0]
        if bad:
            raise DefinitionError(problems=bad)
        return added

    def remove(self, name: str) -> Tool:
        """Take a tool out and return it. Raises `ToolNotFound`."""
        removed = self._catalog.remove(name)
        self.changed("tools")
        return removed

    def disable(self, name: str) -> None:
        """Keep a tool but do not list it. Raises `ToolNotFound`."""
        self._catalog.disable(name)
        self.changed("tools")

    def enable(self, name: str) -> None:
        """List a disabled tool again. Raises `ToolNotFound`."""
        self._catalog.enable(name)
        self.changed("tools")

    def is_enabled(self, name: str) -> bool:
        """Tell whether a tool is listed. Raises `ToolNotFound`."""
        return self._catalog.is_enabled(name)

    def compile(self) -> None:
        """Compile every tool now. Raises `DefinitionError` with all that cannot be."""
        self._catalog.compile()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything known to be wrong or lost, tool by tool."""
        return self._catalog.problems

    # -- calling

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool; whatever happens, there is a result.

        Works in scripts, in notebooks and inside a running loop. A `Call` says who asks and until
        when, and listens to progress. With `raise_on_error`, what the tool raised is raised again.
        """
        if self._around or self._open_lifespan is not None:
            from .run.workers import background

            result = background.run(self._whole(name, arguments, call))
        else:
            try:
                runner = self._catalog.find(name)
            except CallError as error:
                result = _failed(error)
            else:
                result = runner.call(arguments, call)
        return _raised(result) if raise_on_error else result

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool from async code: the same path."""
        if self._around or self._open_lifespan is not None:
            result = await self._whole(name, arguments, call)
        else:
            result = await self._inner(name, arguments, call)
        return _raised(result) if raise_on_error else result

    async def _inner(self, name: str, arguments: Any, call: Call | None) -> Result:
        try:
            runner = self._catalog.find(name)
        except CallError as error:
            return _failed(error)
        return await runner.call_async(arguments, call)

    async def _whole(self, name: str, arguments: Any, call: Call | None) -> Result:
        """Run a call inside the lifespan and every `around` hook, the first one outermost."""
        import asyncio

        from .call import Call
        from .run.around import run_around

        call = call or Call(name)
        call.tool = call.tool or name
        try:
            await self._entered()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - what does not open is a failed call
            return _failure(name, error)

        async def innermost(sent: Any) -> Result:
            return await self._inner(name, sent, call)

        return await run_around(self._around, call, arguments, innermost)

    def around(self, hook: Around) -> Around:
        """Wrap every call: `async (call, arguments, next) -> Result`; audit and metrics use it."""
        self._around.append(hook)
        return hook

    def offered(self) -> list[Tool]:
        """Return everything that can be run: tools, and what is behind resources and prompts."""
        return [*self.values(), *super().offered()]

    # -- providers

    def provide(self, kind: Any, provider: Any = None, *, scope: Scope = "call") -> None:
        """Inject every parameter of a type; by default the type itself is called to make it.

        >>> class Settings:
        ...     greeting = "hello"
        >>> box = Toolbox("greeter")
        >>> box.provide(Settings)
        >>> @box.tool
        ... def greet(name: str, settings: Settings) -> str:
        ...     return f"{settings.greeting} {name}"
        >>> box.call("greet", {"name": "Ada"}).value
        'hello Ada'
        """
        self._home.providers.provide(kind, _inject(kind if provider is None else provider, scope))
        self._catalog.forget()

    @contextlib.contextmanager
    def override(self, others: Mapping[Any, Any]) -> Generator[None]:
        """Let others stand in for providers, or for the providers of types, in tests.

        What is callable is called as a provider; anything else is the value itself.
        """
        providers = self._home.providers
        for key in others:
            if not callable(key) and not providers.knows(key):
                msg = f"{key!r} is neither a provider nor a type that has one"
                raise TypeError(msg)
        with providers.override({key: _inject(other, "call") for key, other in others.items()}):
            yield

    # -- the lifespan

    @property
    def state(self) -> Any:
        """What the lifespan gave; None while it is not open."""
        return None if self._lifespan is None else self._lifespan.value

    async def _entered(self) -> None:
        if self._open_lifespan is None:
            return
        if self._lifespan is None:
            from .run.lifespan import Lifespan

            self._lifespan = Lifespan(self._open_lifespan)
        await self._lifespan.enter()

    def close(self) -> None:
        """Leave the lifespan and clean up providers; the next call enters and makes them again."""
        self._home.close()
        if self._lifespan is not None:
            self._lifespan.leave_soon()
            self._lifespan = None

    async def aclose(self) -> None:
        """Close from async code."""
        await self._home.aclose()
        if self._lifespan is not None:
            await self._lifespan.leave()
            self._lifespan = None

    def __enter__(self) -> Self:
        if self._open_lifespan is not None:
            from .run.workers import background

            background.run(self._entered())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self._entered()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # -- serving

    def runner(self, name: str) -> Runner:
        """Return what runs a tool. Raises `CallError`: unknown, disabled, or refused."""
        return self._catalog.find(name)

    def serve(self, transport: Literal["stdio", "http"] = "stdio", **settings: Any) -> None:
        """Serve until the client, or the user, ends it."""
        from .serve.run import serve

        serve(self, transport, **settings)

    def asgi(self, **settings: Any) -> App:
        """Return an ASGI app: run it with any server, or mount it in another app."""
        from .serve.http import App

        return App(self, **settings)

    def to_mcp(self, protocol: str = LATEST_PROTOCOL) -> dict[str, Any]:
        """Return the `tools/list` payload for clients of a protocol version."""
        return json.loads(self.to_mcp_json(protocol))

    def to_mcp_json(self, protocol: str = LATEST_PROTOCOL) -> bytes:
        """Return the `tools/list` payload as JSON; built once, until the toolbox changes."""
        return self._catalog.to_mcp_json(protocol)


def _inject(provider: Any, scope: Scope) -> Inject:
    if isinstance(provider, Inject):
        return provider
    return Inject(provider if callable(provider) else lambda: provider, scope=scope)


def _failed(error: CallError) -> Result:
    from .run.failure import failed

    return failed(error)


def _failure(name: str, error: BaseException) -> Result:
    from .run.failure import failure_of

    return failure_of(name, error, ())


def _raised(result: Result) -> Result:
    """Raise what the tool raised, or our own error; return a result that is none."""
    error = result.error
    if error is None:
        return result
    from .run.failure import Remote

    raised = error.__cause__ if type(error) in (CallError, UnexpectedError) else None
    raise error if raised is None or isinstance(raised, Remote) else raised
