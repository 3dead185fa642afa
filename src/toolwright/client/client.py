"""A client: the tools of a server as attributes and items."""

# The functions below the class belong to it: the rest of the package does not need its insides.
# ruff: noqa: SLF001
# pyright: reportPrivateUsage=false

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Self, Unpack

from .._log import logger
from ..errors import CallError
from ..run.loop import background
from .answers import contents_value
from .bounds import short
from .callables.shapes import python_name
from .listing import Listing, RemoteTool
from .settings import ConnectOptions, settings_from
from .targets import LocalBox, StartedServer, target_of
from .wire.interface import AnyConnection, RequestScope

if TYPE_CHECKING:
    from ..call import OnLog, OnProgress
    from ..results import Result
    from .wire.interface import ServerInfo

_log = logger("client")
_UNSET: Any = object()


class McpClient:
    """A connected server; its tools are attributes and items.

    Its own names win: `client["close"]` is a tool of that name. It connects when it is first
    used, and again after the connection was lost; `with`, `async with` or `close` end it. Use
    `connect` to make one.
    """

    __mcp_client__ = True

    def __init__(self, connection: AnyConnection) -> None:
        self._connection = connection
        self._listing = Listing(connection)
        connection.on_change = self._listing.changed
        self._finalizer = weakref.finalize(self, _abandon, connection)
        self._finalizer.atexit = False

    # -- what the server has

    @property
    def server(self) -> ServerInfo:
        """What the server says about itself: `name`, `version`, `title`, `protocol`."""
        return background.run(self._listing.info())

    @property
    def instructions(self) -> str:
        """The server's instructions for models; empty if there are none."""
        return self.server.instructions

    @property
    def tools(self) -> dict[str, RemoteTool]:
        """The tools, by the server's own names."""
        tools = self._listing.known_tools()  # each `client.name` comes here: not worth a thread
        return background.run(self._listing.tools()) if tools is None else tools

    @property
    def resources(self) -> dict[str, dict[str, Any]]:
        """What the server says about each resource, by URI."""
        return background.run(self._listing.of("resources", "uri"))

    @property
    def templates(self) -> dict[str, dict[str, Any]]:
        """What the server says about each resource template, by URI template."""
        return background.run(self._listing.of("templates", "uriTemplate"))

    @property
    def prompts(self) -> dict[str, dict[str, Any]]:
        """What the server says about each prompt, by name."""
        return background.run(self._listing.of("prompts", "name"))

    @property
    def problems(self) -> dict[str, str]:
        """Why a tool of the server cannot be used, by its name."""
        return dict(self._listing.problems)

    def refresh(self) -> None:
        """Ask the server again what it has, when that is next needed."""
        self._listing.forget()

    def __getitem__(self, name: str) -> RemoteTool:
        """Return a tool by the server's own name for it. Raises `ToolNotFound`."""
        tools = self._listing.known_tools() or {}
        return tools[name] if name in tools else background.run(self._listing.tool(name))

    def __getattr__(self, name: str) -> RemoteTool:
        # Nothing that Python or a notebook looks for by itself is asked of a server.
        if name.startswith(("__", "_repr_", "_ipython_", "_finalizer", "_connection")):
            msg = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(msg)
        tools = self.tools
        if name in tools:
            return tools[name]
        matches = [tool_name for tool_name in tools if python_name(tool_name) == name]
        if len(matches) == 1:
            return tools[matches[0]]
        if matches:
            names = " and ".join(f"`{match}`" for match in matches[:5])
            msg = f"{names} are both called {name} in Python; take client[{matches[0]!r}]"
            raise AttributeError(msg)
        hint = self._listing.near(name)
        msg = f"the server has no tool `{name}`" + (f"; did you mean `{hint}`?" if hint else "")
        raise AttributeError(msg)

    def __contains__(self, name: object) -> bool:
        return name in self.tools

    def __iter__(self) -> Iterator[str]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self.tools)

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        try:
            names = [python_name(tool_name) for tool_name in self.tools]
        except CallError:
            names = []
        return sorted({*super().__dir__(), *names})

    def __repr__(self) -> str:
        return f"<McpClient {self._connection}>"

    # -- using it

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = _UNSET,
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool with JSON arguments; whatever happens, there is a result."""
        return background.run(
            self.call_async(
                name,
                arguments,
                timeout=timeout,
                on_progress=on_progress,
                on_log=on_log,
                raise_on_error=raise_on_error,
            )
        )

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        timeout: float | None = _UNSET,  # noqa: ASYNC109 - the server is told of it, too
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
        raise_on_error: bool = False,
    ) -> Result:
        """Do the same from async code; if it is cancelled, so is the call at the server."""
        from ..outcome.failure import failed

        scope = self._scope(name, timeout, on_progress, on_log)
        try:
            tool = (self._listing.known_tools() or {}).get(name)
            if tool is None:
                lookup = self._listing.tool(name)
                is_local = self._connection.is_local
                tool = await (lookup if is_local else background.run_async(lookup))
            result = await self._listing.called(tool, tool.checked(arguments or {}), scope)
        except CallError as error:
            result = failed(error)
        if raise_on_error and result.error is not None:
            raise result.error
        return result

    def read(self, uri: str, *, timeout: float | None = _UNSET) -> Any:
        """Return what is at a URI: text, bytes, or a list of them."""
        return background.run(self.read_async(uri, timeout=timeout))

    async def read_async(
        self,
        uri: str,
        *,
        timeout: float | None = _UNSET,  # noqa: ASYNC109 - the server is told of it, too
    ) -> Any:
        """Do the same from async code."""
        scope = self._scope(short(uri, 200), timeout)
        reply = await self._connection.send("resources/read", {"uri": uri}, scope)
        return contents_value(reply.get("contents") or ())

    def prompt(self, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
        """Return the messages of a prompt, each with a `role` and `content`."""
        return background.run(self.prompt_async(name, **arguments))

    async def prompt_async(self, name: str, /, **arguments: Any) -> list[dict[str, Any]]:
        """Do the same from async code."""
        texts = {
            key: argument if isinstance(argument, str) else str(argument)
            for key, argument in arguments.items()
        }
        params = {"name": name, "arguments": texts}
        reply = await self._connection.send("prompts/get", params, self._scope(name, _UNSET))
        return list(reply.get("messages") or ())

    def _scope(
        self,
        what: str,
        timeout: float | None,
        on_progress: OnProgress | None = None,
        on_log: OnLog | None = None,
    ) -> RequestScope:
        settings = self._connection.settings
        seconds = settings.timeout if timeout is _UNSET else timeout
        return RequestScope(
            what,
            seconds,
            on_progress=on_progress or settings.on_progress,
            on_log=on_log or settings.on_log,
        )

    # -- its end

    def close(self) -> None:
        """Disconnect; a server that was started is ended. If used again, it connects again."""
        background.run(self._connection.close())

    async def aclose(self) -> None:
        """Do the same from async code."""
        await background.run_async(self._connection.close())

    def __enter__(self) -> Self:
        try:
            background.run(self._listing.tools())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        try:
            await background.run_async(self._listing.tools())
        except BaseException:
            await self.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _abandon(connection: AnyConnection) -> None:
    """End the connection of a client that nobody holds any more."""
    loop = background.loop
    if loop is not None and not loop.is_closed():
        import asyncio

        with contextlib.suppress(RuntimeError):
            asyncio.run_coroutine_threadsafe(connection.close(), loop)


def connect(
    target: str | PathLike[str] | Sequence[str | PathLike[str]] | Mapping[str, Any] | Any,
    name: str | None = None,
    /,
    **options: Unpack[ConnectOptions],
) -> McpClient:
    """Return a client of a server: at a URL, started by a command, or in this process.

    A text is a URL, else an existing path (of a script, or of an `mcp.json`, from which
    `name` chooses a server), else the words of a command, which no shell sees. A
    `Toolbox`, and a server object of FastMCP or the SDK, are reached in memory. Nothing is sent or
    started before the client is used. Raises `TypeError` or `ValueError` if no server is named.
    """
    settings = settings_from(options)
    address = target_of(target, name)
    if isinstance(address, LocalBox):
        from .wire.local import LocalConnection

        return McpClient(LocalConnection(address.box, settings))
    if isinstance(address, StartedServer):
        env = {**address.env, **settings.env}
        address = replace(address, env=env, folder=settings.folder or address.folder)
    from .wire.connection import Connection

    return McpClient(Connection(address, settings))


# -- what other modules of the package need of a client, and users do not


def connection_of(client: McpClient) -> AnyConnection:
    """Return the connection of a client."""
    return client._connection


def listing_of(client: McpClient) -> Listing:
    """Return what a client knows about its server."""
    return client._listing
