"""The public face: a catalog that also takes whole modules and objects, and lists itself."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Unpack, overload

from .._protocol import LATEST_PROTOCOL
from ..errors import DefinitionError, SchemaError
from ..limits import Timeout, check_count, check_seconds
from ..options import ToolOptions
from ..tools.catalog import Catalog, Problem, matches
from ..tools.definition import Tool
from ..tools.members import members
from .runtime import Runtime

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from ..serve.http.app import App
    from ..serve.in_process import Once, Reply
    from ..serve.settings import AppSettings, HttpSettings, StdioSettings
    from ..stores.store import Store

__all__ = ["Toolbox"]

P = ParamSpec("P")
R = TypeVar("R")


_loading: ContextVar[list[SchemaError] | None] = ContextVar("_loading", default=None)


@contextlib.contextmanager
def loading() -> Generator[list[SchemaError]]:
    """Collect what is refused, instead of raising it: one bad tool takes no other down."""
    refused: list[SchemaError] = []
    token = _loading.set(refused)
    try:
        yield refused
    finally:
        _loading.reset(token)


class Toolbox(Runtime, Mapping[str, Tool]):
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
        page_size: int | None = None,
        tasks: str | Store | None = None,
        keep_tasks: float = 3600,
        eager: bool = False,
    ) -> None:
        super().__init__(version=version, timeout=timeout, store=store, lifespan=lifespan)
        self.name = name
        self.version = version
        self.instructions = instructions
        check_count("page_size", page_size)
        self.page_size = page_size
        check_seconds("keep_tasks", keep_tasks)
        self.tasks = tasks
        """Where calls that became tasks are written down; by default in a file of the user's."""
        self.keep_tasks = keep_tasks
        self.eager = eager
        self._once: Once | None = None
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
                self._add_or_note(function, **options)
                return function

            return decorate
        self._add_or_note(target, **options)
        return target

    def add(self, target: Any, **options: Unpack[ToolOptions]) -> Tool:
        """Add anything callable, or a `Tool`, and return its tool. Raises `SchemaError`."""
        if isinstance(target, Tool):
            tool = target.replace(**options) if options else target
        else:
            tool = Tool(target, **options)
        tool = tool.bound_to(self._home)
        if self.eager:
            tool.compile()
        added = self._catalog.insert(tool)
        self.changed("tools")
        return added

    def _add_or_note(self, target: Any, **options: Unpack[ToolOptions]) -> None:
        """Add, or note what is refused if a command imports the program."""
        refused = _loading.get()
        try:
            self.add(target, **options)
        except SchemaError as error:
            if refused is None:
                raise
            refused.append(error)

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
        noted = _loading.get()
        if noted is not None:
            noted += bad
            return added
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
    def has_tasks(self) -> bool:
        """Whether a call of any tool may become a task."""
        return any(tool.options.task for tool in self.values())

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything known to be wrong or lost, tool by tool."""
        return self._catalog.problems

    # -- serving

    @overload
    def serve(
        self, transport: Literal["stdio"] = "stdio", **settings: Unpack[StdioSettings]
    ) -> None: ...
    @overload
    def serve(self, transport: Literal["http"], **settings: Unpack[HttpSettings]) -> None: ...
    def serve(self, transport: Any = "stdio", **settings: Any) -> None:
        """Serve until the client, or the user, ends it.

        While a command imports the program that calls it, it does nothing: the command serves.
        """
        if _loading.get() is not None:
            return
        from ..serve.server import serve

        serve(self, transport, **settings)

    def asgi(self, **settings: Unpack[AppSettings]) -> App:
        """Return an ASGI app: run it with any server, or mount it in another app."""
        from ..serve.http.app import App
        from ..serve.settings import app_config

        return App(self, app_config(settings))

    async def handle(self, body: bytes | str, headers: Mapping[str, str] | None = None) -> Reply:
        """Answer one HTTP request, without a server: for functions that run on demand."""
        from ..serve.in_process import Once

        if self._once is None:
            self._once = Once(self)
        return await self._once.handle(body, headers or {})

    def client(self, mode: Literal["auto", "legacy"] = "auto") -> Any:
        """Return an MCP client that talks to this toolbox in memory, for tests.

        `async with box.client() as client: await client.call_tool(...)`
        """
        from ..serve.in_process import client

        return client(self, mode)

    def to_mcp(self, protocol: str = LATEST_PROTOCOL) -> dict[str, Any]:
        """Return the `tools/list` payload for clients of a protocol version."""
        return json.loads(self.to_mcp_json(protocol))

    def to_mcp_json(
        self, protocol: str = LATEST_PROTOCOL, roles: Iterable[str] | None = None
    ) -> bytes:
        """Return the `tools/list` payload as JSON; built once, until the toolbox changes.

        With `roles`, only what a caller who has these may use.
        """
        return self._catalog.to_mcp_json(protocol, roles)
