"""`Toolbox`, the public face of a set of tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial, wraps
from types import ModuleType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Never,
    ParamSpec,
    Self,
    TypeVar,
    Unpack,
    cast,
    overload,
)

from .._door import public
from .._elsewhere import instead
from .._protocol import LATEST_PROTOCOL
from ..errors import DefinitionError, SchemaError
from ..limits import Timeout, check_count, check_seconds, timeout_from
from ..options import ToolOptions, defaults_from, icon_from, unknown_option
from ..read.target import is_program
from ..run.shared import Shared
from ..serve.offering import Offering, OwnRoute
from ..tools.catalog import Catalog, Problem
from ..tools.decorator import (
    loading,
    note,
    noted_while_loading,
    refused_while_loading,
    shown_short,
    with_name,
)
from ..tools.definition import Tool
from ..tools.members import is_mcp_server, listed, passed_on, server_in
from .registry import Registry, check_options
from .remote import include_client, include_server, is_client
from .runtime import Runtime, Scope

if TYPE_CHECKING:
    from pathlib import Path

    from mcp import Client

    from ..call import Call
    from ..dialects.rendered import Rendered
    from ..doctor.findings import Check
    from ..doctor.report import Report
    from ..refusals import OnRefusal
    from ..results import Result
    from ..run.hooks import Hook
    from ..serve.http.app import Once, Reply
    from ..serve.http.asgi import AsgiApp
    from ..serve.settings import AppSettings, HttpSettings, StdioSettings
    from ..sources.rules import Rule
    from ..stores import Store
    from ..tools.prompt import Prompt, PromptOptions
    from ..tools.resource import Resource, ResourceOptions
    from .runtime import AnyLifespan
    from .tool_calls import Confirm

__all__ = ["Toolbox", "loading", "served"]

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])
H = TypeVar("H", bound="Hook")


_ICON = frozenset(("src", "mimeType", "sizes", "theme"))
"""The members of an icon in the protocol (2025-11-25, basic, Icons)."""
_KEYWORDS = (
    *("version", "instructions", "title", "icons", "website_url", "lifespan", "timeout", "store"),
    *("page_size", "tasks", "keep_tasks", "eager", "defaults"),
)


def _of_instance(method: Callable[P, R]) -> Callable[P, R]:
    """Have a method refuse to be called on the class, and a refusal show the author's own line."""
    name = cast("Any", method).__name__

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not args or not isinstance(args[0], Toolbox):
            msg = f'`{name}` needs a toolbox, and not the class: write `box = Toolbox("name")`'
            raise TypeError(msg)
        try:
            return method(*args, **kwargs)
        except DefinitionError as error:
            raise error.with_traceback(None)  # noqa: B904 - it is the same error

    return call


def _refuse_arguments(unknown: Mapping[str, Any]) -> None:
    name = next(iter(unknown))
    msg = f'arguments are one mapping: box.call("tool", {{"{name}": ...}}); got {name}=...'
    raise TypeError(msg)


@public
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

    @shown_short
    def __init__(
        self,
        name: str,
        tools: Iterable[Any] | Mapping[str, Any] = (),
        *,
        version: str = "",
        instructions: str = "",
        title: str | None = None,
        icons: Sequence[Mapping[str, Any]] = (),
        website_url: str | None = None,
        lifespan: AnyLifespan | None = None,
        timeout: float | Timeout | None = None,
        store: str | Store | None = None,
        page_size: int | None = None,
        tasks: str | Store | None = None,
        keep_tasks: float = 3600,
        eager: bool = False,
        defaults: ToolOptions | None = None,
        **unknown: Never,
    ) -> None:
        if unknown:
            what = unknown_option(next(iter(unknown)), _KEYWORDS, "keyword")
            raise TypeError(f"Toolbox(...) has an {what}")
        self._shared = Shared(version=version, timeout=timeout_from(timeout), store=store)
        self._registry = Registry(self._shared, defaults_from(defaults), eager=eager)
        self._runtime = Runtime(self._registry, self._shared, self, lifespan)
        self.name, self.version, self.instructions = name, version, instructions
        self.title, self.icons, self.website_url = title, icons, website_url
        _info(self)  # refuses what clients cannot be told
        check_count("page_size", page_size)
        self.page_size = page_size
        check_seconds("keep_tasks", keep_tasks)
        self.tasks = tasks
        """Where calls that became tasks are recorded; by default in a file of the user's."""
        self.keep_tasks = keep_tasks
        self._offering = self._offered()
        self._once: Once | None = None
        """Answers single requests, without a server: see `handle`."""
        if isinstance(tools, Mapping):
            self.include(tools)
        else:
            for target in listed(name, tools):
                self.add(target)

    if not TYPE_CHECKING:  # a type checker would take it for every name

        def __getattr__(self, name: str) -> Any:
            hint = instead("method", name)
            msg = f"a Toolbox has no `{name}`" + (f": {hint}" if hint else "")
            raise AttributeError(msg, name=name, obj=self)

    def __getitem__(self, name: str) -> Tool:
        return self._registry.catalog[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry.catalog)

    def __len__(self) -> int:
        return len(self._registry.catalog)

    def __repr__(self) -> str:
        return f"<Toolbox {self.name}: {len(self)} tool{'s' * (len(self) != 1)}>"

    @overload
    def tool(self, target: Callable[P, R], /) -> Callable[P, R]: ...
    @overload
    def tool(
        self, called: str | None = None, /, **options: Unpack[ToolOptions]
    ) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
    @_of_instance
    def tool(self, target: Any = None, /, **options: Unpack[ToolOptions]) -> Any:
        """Add a function as a tool; it stays the very same function."""
        if target is None or isinstance(target, str):

            @shown_short
            def decorate(function: Any) -> Any:
                self._registry.add_or_note(function, options, target)
                return function

            return decorate
        self._registry.add_or_note(target, options)
        return target

    @_of_instance
    def add(self, target: Any, **options: Unpack[ToolOptions]) -> Tool:
        """Add anything callable, or a `Tool`; return its tool, bound to this toolbox.

        Raises `SchemaError`. A `Tool` that is added stays as it is.
        """
        return self._registry.add(target, options)

    @_of_instance
    def include(
        self,
        source: Any,
        *,
        select: str | Sequence[str] = "*",
        prefix: str = "",
        rules: Sequence[Rule] | None = None,
        **options: Unpack[ToolOptions],
    ) -> list[Tool]:
        """Add all tools of a module, an object, a class, a mapping or another toolbox.

        A command-line program (an app of Click, Typer, argparse or Cyclopts, or a `CommandLine`)
        gives its commands, a connected server and a server object of FastMCP or the SDK all that
        they offer; `rules` say which, and how they run. Another toolbox also gives its resources and prompts. `select` takes glob patterns on
        the source's own names (`!pattern` leaves out), `prefix` goes before each name; URIs stay.

        Where some members are marked with `@tool`, only those are taken; else a module gives its
        `__all__` or the public functions defined in it, an object its public methods. The good
        ones are added; then `DefinitionError` names all the bad ones.
        """
        if is_client(source):
            return include_client(self._registry, source, select, prefix, rules, options)
        server = server_in(source) if isinstance(source, ModuleType) else source
        if is_mcp_server(server):
            return include_server(self._registry, server, select, prefix, rules, options)
        if rules is not None or is_program(source):
            from .command_lines import include_commands

            add, empty = self._registry.add_one, partial(type(self), self.name)
            included = include_commands(source, select, prefix, rules, options, add, empty)
            self._registry.variables |= included.variables
            self._registry.runs_programs = True
            self._registry.catalog.left_out += included.problems
            return included.tools
        offered: list[Resource | Prompt] = []
        if isinstance(source, Toolbox):
            registry = source.__registry__()
            self._registry.variables |= registry.variables
            self._registry.runs_programs |= registry.runs_programs
            offered = [*source.resources.values(), *source.prompts.values()]
            self._registry.hosted += registry.hosted
        enabled = source.is_enabled if isinstance(source, Toolbox | Catalog) else None
        tools = self._registry.include(source, select, prefix, options, enabled, offered)
        if not tools and isinstance(source, ModuleType):
            self._registry.catalog.left_out += _nothing_in(source)
        return tools

    @property
    def resources(self) -> dict[str, Resource]:
        """The resources by URI, or by template."""
        return self._registry.resources

    @_of_instance
    def resource(self, uri: str, **options: Unpack[ResourceOptions]) -> Callable[[F], F]:
        """Let clients read what a function returns at a URI; `{name}` in it is a parameter.

        With `roles`, only callers who have one of them get it; with `enabled`, only those for whom
        that function of the `Call` says so.
        """
        from ..tools.resource import Resource, ResourceOptions

        if not isinstance(cast("object", uri), str):  # the decorator stands there without a URI
            name = getattr(uri, "__name__", type(uri).__name__)
            hint = 'write `@box.resource("scheme://place")`'
            note(SchemaError("needs a URI to be a resource", tool=name, hint=hint))
            return cast("Any", uri)

        @shown_short
        def decorate(target: F) -> F:
            with noted_while_loading():
                check_options(target, options, ResourceOptions.__annotations__)
                self._registry.add_resource(Resource(uri, target, **options))
            return target

        return decorate

    @property
    def prompts(self) -> dict[str, Prompt]:
        """The prompts by name."""
        return self._registry.prompts

    @overload
    def prompt(self, target: F, /) -> F: ...
    @overload
    def prompt(
        self, called: str | None = None, /, **options: Unpack[PromptOptions]
    ) -> Callable[[F], F]: ...
    @_of_instance
    def prompt(self, target: Any = None, /, **options: Unpack[PromptOptions]) -> Any:
        """Offer the messages that a function writes; bare, or with options.

        With `roles`, only callers who have one of them get it; with `enabled`, only those for whom
        that function of the `Call` says so.
        """
        from ..tools.prompt import Prompt, PromptOptions

        called = target if isinstance(target, str) else None

        @shown_short
        def decorate(function: Any) -> Any:
            with noted_while_loading():
                check_options(function, options, PromptOptions.__annotations__)
                self._registry.add_prompt(Prompt(function, **with_name(called, options)))
            return function

        return decorate if target is None or called is not None else decorate(target)

    def remove(self, name: str) -> Tool:
        """Take a tool out and return it. Raises `ToolNotFound`."""
        return self._registry.remove(name)

    def disable(self, name: str) -> None:
        """Keep a tool but do not list it. Raises `ToolNotFound`."""
        self._registry.disable(name)

    def enable(self, name: str) -> None:
        """List a disabled tool again. Raises `ToolNotFound`."""
        self._registry.enable(name)

    def is_enabled(self, name: str) -> bool:
        """Return whether a tool is listed. Raises `ToolNotFound`."""
        return self._registry.catalog.is_enabled(name)

    @shown_short
    def compile(self) -> None:
        """Compile every tool now. Raises `DefinitionError` with all that fail."""
        self._registry.catalog.compile()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything known to be wrong or lost, tool by tool."""
        return self._registry.catalog.problems

    def on_change(self, listener: Callable[[str, str], object]) -> Callable[[], None]:
        """Call a function at each change: `tools`, `resources`, `prompts`, or one `resource`.

        Return a function that ends this.
        """
        return self._registry.on_change(listener)

    def changed(self, what: str, uri: str = "") -> None:
        """Notify clients and listeners of a change: `changed("resource", uri)` of its content.

        `changed("tools")`, `changed("resources")` or `changed("prompts")` is for a list that has
        changed because an `enabled` function now says something else. Raises `ValueError`.
        """
        if what not in ("tools", "resources", "prompts") and not (what == "resource" and uri):
            choices = '"tools", "resources", "prompts", or "resource" with its URI'
            msg = f"what has changed is {choices}; got {what!r}"
            raise ValueError(msg)
        self._registry.changed(what, uri)

    # -- running

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
        **unknown: Never,
    ) -> Result:
        """Call a tool; whatever happens, there is a result.

        Works in scripts, in notebooks and inside a running loop. A `Call` says who asks and until
        when, and listens to progress. With `raise_on_error`, what the tool raised is raised again.
        """
        if unknown:
            _refuse_arguments(unknown)
        return self._runtime.call(name, arguments, call=call, raise_on_error=raise_on_error)

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
        **unknown: Never,
    ) -> Result:
        """Call a tool from async code: the same path."""
        if unknown:
            _refuse_arguments(unknown)
        return await self._runtime.call_async(
            name, arguments, call=call, raise_on_error=raise_on_error
        )

    def run_tool_calls(
        self,
        message: Any,
        dialect: str | Rendered,
        *,
        strict: bool = False,
        prefix: str = "",
        call: Call | None = None,
        confirm: Confirm | None = None,
    ) -> list[dict[str, Any]]:
        """Run the calls that a provider's message asks for; return the messages to append.

        The message is a dict or an object of the provider's SDK; the calls run side by side. Give the
        dialect with the same `strict` and `prefix` as `render` had, or what `render` returned. A
        `Call` says who asks and until when; `confirm` is asked, with name and arguments, about tools
        that need confirmation. Whatever is wrong with a call becomes an answer for the model; a
        message without calls has no answers. Raises `ValueError` for a message from another provider.
        """
        from ..run.loop import background

        return background.run(
            self.run_tool_calls_async(
                message, dialect, strict=strict, prefix=prefix, call=call, confirm=confirm
            )
        )

    async def run_tool_calls_async(
        self,
        message: Any,
        dialect: str | Rendered,
        *,
        strict: bool = False,
        prefix: str = "",
        call: Call | None = None,
        confirm: Confirm | None = None,
    ) -> list[dict[str, Any]]:
        """Run the calls of a provider's message from async code: the same path."""
        from .tool_calls import answers_to

        # Rendered only to decode: examples would be checked for each message.
        render = partial(self.render, strict=strict, prefix=prefix, input_examples=False)
        return await answers_to(
            message, dialect, render, self._offering, self.call_async, call, confirm
        )

    def around(self, hook: H) -> H:
        """Wrap every call: `async (call, arguments, next) -> Result`; audit and metrics use it.

        Reading a resource and getting a prompt are also calls: `call.kind` says which. A hook that
        has a method `refused` is also told of requests that were refused: see `on_refusal`.
        """
        self._runtime.around(hook)
        return hook

    def on_refusal(self, listener: OnRefusal) -> None:
        """Call a function for each request that a server refuses before anything runs."""
        self._runtime.on_refusal(listener)

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
        self._runtime.provide(kind, provider, scope)

    def override(self, others: Mapping[Any, Any]) -> AbstractContextManager[None]:
        """Let others stand in for providers, or for the providers of types, in tests.

        What is callable is called as a provider; anything else is the value itself.
        """
        return self._runtime.override(others)

    @property
    def state(self) -> Any:
        """What the lifespan gave; None while it is not open."""
        return self._runtime.state

    def close(self) -> None:
        """Leave the lifespan and clean up providers; the next call enters and makes them again."""
        self._runtime.close()

    async def aclose(self) -> None:
        """Close from async code."""
        await self._runtime.aclose()

    def __enter__(self) -> Self:
        self._runtime.open_blocking()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        await self._runtime.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    # -- serving

    def __servable__(self) -> Offering:
        return self._offering

    def __registry__(self) -> Registry:
        return self._registry

    def _offered(self) -> Offering:
        """Return what servers get of it, which follows it."""
        registry, runtime = self._registry, self._runtime
        return Offering(
            about=self,
            info=partial(_info, self),
            tools=registry.catalog,
            resources=registry.resources,
            prompts=registry.prompts,
            call=runtime.call_admitted,
            get=runtime.get,
            refused=runtime.refused,
            asks=lambda: registry.asks,
            is_wrapped=runtime.is_wrapped,
            on_change=registry.on_change,
            open_store=self._shared.open_store,
            enter=runtime.open,
            close=self.close,  # which a subclass may have extended
            aclose=self.aclose,
        )

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
        if refused_while_loading() is not None:
            return
        try:
            from ..serve.server import serve

            serve(self._served(settings), transport, **settings)
        except KeyboardInterrupt:
            return  # Ctrl-C came before there was a server to end by itself

    @overload
    async def serve_async(
        self, transport: Literal["stdio"] = "stdio", **settings: Unpack[StdioSettings]
    ) -> None: ...
    @overload
    async def serve_async(
        self, transport: Literal["http"], **settings: Unpack[HttpSettings]
    ) -> None: ...
    async def serve_async(self, transport: Any = "stdio", **settings: Any) -> None:
        """Serve inside a running program, until it is cancelled or the client ends it.

        Signals belong to the program. When cancelled, it answers what is running before it ends, as
        `serve` does at a signal; when cancelled again, it stops waiting. If it is all that
        `asyncio.run` runs, Ctrl-C ends it without a traceback.
        """
        if refused_while_loading() is not None:
            return
        from ..serve.server import ended_by_ctrl_c, serve_async

        with ended_by_ctrl_c(Toolbox.serve_async.__code__):
            await serve_async(self._served(settings), transport, **settings)

    def asgi(self, **settings: Unpack[AppSettings]) -> AsgiApp:
        """Return an ASGI app: run it with any server, or mount it in another app."""
        from ..serve.http.app import App
        from ..serve.settings import server_config

        return App(self._served(settings), server_config("asgi", settings))

    def _served(self, settings: Mapping[str, Any]) -> Offering:
        """Return what servers get of it: with the console, if it is wanted."""
        if not settings.get("console"):
            return self._offering
        from ..console import with_console
        from ..console.figures import Figures

        role = settings.get("console_role")
        figures = Figures(keeps_arguments=role is not None)
        self.around(figures)
        return with_console(self._offering, figures=figures.snapshot, role=role)

    async def handle(self, body: bytes | str, headers: Mapping[str, str] | None = None) -> Reply:
        """Answer one HTTP request, without a server: for functions that run on demand."""
        if self._once is None:
            from ..serve.http.app import Once

            self._once = Once(self._offering)
        return await self._once.handle(body, headers or {})

    def client(self, mode: Literal["auto", "legacy"] = "auto", *, search: bool = False) -> Client:
        """Return an MCP client that talks to this toolbox in memory, for tests.

        `async with box.client() as client: await client.call_tool(...)`
        """
        from ..serve.sdk.server import client

        return client(self._offering, mode, search=search)

    def route(
        self, path: str, *, methods: Sequence[str] = ("GET",), public: bool = False
    ) -> Callable[[F], F]:
        """Let a function answer HTTP requests to a path: it maps a Starlette request to a response.

        Callers must sign in as they do for tools, unless it is `public`.
        """
        if not isinstance(cast("object", path), str):
            msg = '`route` needs a path: write `@box.route("/path")`'
            raise TypeError(msg)

        def decorate(endpoint: F) -> F:
            self._offering.routes.append(OwnRoute(path, endpoint, methods, public))
            return endpoint

        return decorate

    # -- showing

    def check(
        self,
        *,
        select: Sequence[str] | str | None = None,
        ignore: Sequence[str] | str | None = None,
        severity: Mapping[str, str] | None = None,
        config: str | Path | Mapping[str, Any] | None = None,
        checks: Iterable[Check | ModuleType] = (),
    ) -> Report:
        """Look for what a model, a client or a provider would stumble over; `toolwright doctor` prints it.

        `select` and `ignore` take ids of checks, groups, and patterns of them; `severity` gives a check
        another severity, or `off`; `config` is a `pyproject.toml`, or its table for the doctor itself;
        `checks` are checks of your own. Raises `ValueError` for an unknown name.
        """
        from ..doctor.configuration import settings_from, with_given
        from ..doctor.examine import examine

        settings = settings_from(config)
        settings = with_given(settings, select=select, ignore=ignore, severity=severity)
        tools = [tool for name, tool in self.items() if self.is_enabled(name)]
        lifespans = self._registry.lifespans
        return examine(self.name, tools, settings, checks=checks, lifespans=lifespans)

    def render(
        self,
        dialect: str,
        *,
        strict: bool = False,
        prefix: str = "",
        input_examples: bool = True,
        defer_loading: bool | str | Sequence[str] = False,
    ) -> Rendered:
        """Return the enabled tools as a provider or client takes them, with the way back.

        `strict` asks the provider to enforce the schemas; `prefix` is what an MCP client puts before
        names. Examples of the schema and the docstring are sent where a provider takes them, unless
        `input_examples` is False. `defer_loading` has a provider with a search of its own load tools,
        all or those whose names match a pattern, only when they are found. Raises `ValueError` for an unknown dialect.
        """
        from ..dialects.facts import dialect_named
        from ..dialects.rendering import render

        tools = [tool for name, tool in self.items() if self.is_enabled(name)]
        if self._registry.asks:  # `enabled` functions are asked as for any list
            listed_names = {tool["name"] for tool in self.to_mcp()["tools"]}
            tools = [tool for tool in tools if tool.published_name in listed_names]
        examples = None
        if input_examples and dialect_named(dialect).examples:
            from ..contract.trials.docstrings import written_arguments as examples
        return render(
            tools,
            dialect,
            strict=strict,
            prefix=prefix,
            input_examples=input_examples,
            defer_loading=defer_loading,
            examples=examples,
        )

    def to_mcp(
        self, protocol: str = LATEST_PROTOCOL, *, call: Call | None = None
    ) -> dict[str, Any]:
        """Return the `tools/list` payload for clients of a protocol version."""
        return json.loads(self.to_mcp_json(protocol, call=call))

    def to_mcp_json(
        self,
        protocol: str = LATEST_PROTOCOL,
        roles: Iterable[str] | None = None,
        *,
        call: Call | None = None,
    ) -> bytes:
        """Return the `tools/list` payload as JSON; built once, until the toolbox changes.

        With `roles`, only what a caller with these may use. Tools with an `enabled` function are
        included if it says so for the `call`, or without one, for an unknown caller.
        """
        return self._registry.catalog.to_mcp_json(protocol, roles, self._runtime.view(call))


def served(box: Toolbox) -> Offering:
    """Return what servers get of a toolbox: always the same value for one toolbox."""
    return box.__servable__()


def registry_of(box: Toolbox) -> Registry:
    """Return what was put into a toolbox, and where it came from."""
    return box.__registry__()


def _info(box: Toolbox) -> dict[str, Any]:
    """Return what clients are told about the server itself. Raises `TypeError` or `ValueError`."""
    info: dict[str, Any] = {"name": box.name, "version": box.version}
    for key, value in (("title", box.title), ("websiteUrl", box.website_url)):
        if value is not None:
            if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                msg = f"{key} of a toolbox must be text; got {value!r}"
                raise TypeError(msg)
            info[key] = value
    if box.icons:
        info["icons"] = [_icon(icon) for icon in box.icons]
    return info


def _icon(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an icon in the protocol's form. Raises `TypeError` or `ValueError`."""
    icon = icon_from(given)
    unknown = sorted(icon.keys() - _ICON)
    if unknown:
        msg = f"an icon has no `{unknown[0]}`; it has src, mimeType, sizes and theme"
        raise ValueError(msg)
    return icon


def _nothing_in(module: ModuleType) -> list[Problem]:
    """Return why a module gives no tools, if it passes on functions of other modules."""
    reason = passed_on(module)
    text = f"{module.__name__} gives no tools: {reason}"
    return [Problem(module.__name__, text, fatal=True)] if reason else []
