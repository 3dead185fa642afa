"""The public face: a catalog that also takes whole modules and objects, and lists itself."""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, Unpack, cast, overload

from .catalog import Catalog, Problem, matches
from .definition import Tool
from .errors import CallError, DefinitionError, SchemaError, UnexpectedError
from .marks import is_marked, marks
from .options import LATEST_PROTOCOL, ToolOptions

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from .results import Result
    from .run.lifespan import Lifespan

__all__ = ["Toolbox"]

Around = Callable[[Any, Any, Callable[[Any], Awaitable["Result"]]], Awaitable["Result"]]
P = ParamSpec("P")
R = TypeVar("R")


class Toolbox(Mapping[str, Tool]):
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
        eager: bool = False,
    ) -> None:
        self.name = name
        self.version = version
        self.instructions = instructions
        self.eager = eager
        self._catalog = Catalog()
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
        if self.eager:
            tool.compile()
        return self._catalog.insert(tool)

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
        for name, target in _members(source):
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
        return self._catalog.remove(name)

    def disable(self, name: str) -> None:
        """Keep a tool but do not list it. Raises `ToolNotFound`."""
        self._catalog.disable(name)

    def enable(self, name: str) -> None:
        """List a disabled tool again. Raises `ToolNotFound`."""
        self._catalog.enable(name)

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
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool; whatever happens, there is a result.

        Works in scripts, in notebooks and inside a running loop. With `raise_on_error`, what the
        tool raised is raised again.
        """
        if self._around or self._open_lifespan is not None:
            from .run.workers import background

            result = background.run(self._whole(name, arguments))
        else:
            try:
                runner = self._catalog.find(name)
            except CallError as error:
                result = _failed(error)
            else:
                result = runner.call(arguments)
        return _raised(result) if raise_on_error else result

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool from async code: the same path."""
        if self._around or self._open_lifespan is not None:
            result = await self._whole(name, arguments)
        else:
            result = await self._inner(name, arguments)
        return _raised(result) if raise_on_error else result

    async def _inner(self, name: str, arguments: Any) -> Result:
        try:
            runner = self._catalog.find(name)
        except CallError as error:
            return _failed(error)
        return await runner.call_async(arguments)

    async def _whole(self, name: str, arguments: Any) -> Result:
        """Run a call inside the lifespan and every `around` hook, the first one outermost."""
        import asyncio

        from .run.around import run_around

        try:
            await self._entered()
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - what does not open is a failed call
            return _failure(name, error)

        async def innermost(sent: Any) -> Result:
            return await self._inner(name, sent)

        return await run_around(self._around, name, arguments, innermost)

    def around(self, hook: Around) -> Around:
        """Wrap every call: `async (call, arguments, next) -> Result`; audit and metrics use it."""
        self._around.append(hook)
        return hook

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
        """Leave the lifespan; the next call enters it again."""
        if self._lifespan is not None:
            self._lifespan.leave_soon()
            self._lifespan = None

    async def aclose(self) -> None:
        """Leave the lifespan, from async code."""
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

    def to_mcp(self, protocol: str = LATEST_PROTOCOL) -> dict[str, Any]:
        """Return the `tools/list` payload for clients of a protocol version."""
        return json.loads(self.to_mcp_json(protocol))

    def to_mcp_json(self, protocol: str = LATEST_PROTOCOL) -> bytes:
        """Return the `tools/list` payload as JSON; built once, until the toolbox changes."""
        return self._catalog.to_mcp_json(protocol)


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
    raised = error.__cause__ if type(error) in (CallError, UnexpectedError) else None
    raise raised or error


def _members(source: Any) -> list[tuple[str, Any]]:
    """List what a source offers, by name."""
    if isinstance(source, Toolbox | Catalog):
        return list(source.items())
    if isinstance(source, Mapping):
        return [(str(name), target) for name, target in cast("Any", source).items()]
    if isinstance(source, list | tuple | set | frozenset):
        return [(Tool(target).name, target) for target in cast("list[Any]", source)]
    if isinstance(source, Tool) or inspect.isroutine(source):
        msg = "include takes a module, an object, a class, a mapping, a list or a toolbox; use add"
        raise TypeError(msg)
    found = dict(_public(source))
    marked = {
        str(marks(target).get("name") or name): target
        for name, target in found.items()
        if is_marked(target)
    }
    return list((marked or found).items())


def _public(source: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(source, types.ModuleType):
        yield from _of_module(source)
        return
    cls = source if isinstance(source, type) else type(source)
    held: dict[str, Any] = {} if isinstance(source, type) else getattr(source, "__dict__", {})
    for name in {**_names_in_order(cls), **held}:
        if name.startswith("_"):
            continue
        static = inspect.getattr_static(source, name, None)
        if isinstance(source, type) and not isinstance(static, classmethod | staticmethod):
            continue
        if isinstance(static, property | type):
            continue  # reading a property would run it
        value = getattr(source, name, None)
        if callable(value):
            yield name, value


def _of_module(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    listed = getattr(module, "__all__", None)
    for name in listed if listed is not None else list(vars(module)):
        value = getattr(module, name, None)
        if listed is None:
            own = getattr(value, "__module__", None) == module.__name__
            wanted = own and not name.startswith("_") and not isinstance(value, type)
            if not (wanted or is_marked(value)):
                continue
        if callable(value) and not isinstance(value, types.ModuleType):
            yield name, value


def _names_in_order(cls: type) -> dict[str, None]:
    """Return the names of a class and its bases, base classes first, as they were written."""
    return {
        name: None for base in reversed(cls.__mro__) for name in vars(base) if base is not object
    }
