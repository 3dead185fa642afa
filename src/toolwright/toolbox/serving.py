"""The methods of a toolbox that serve it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, Unpack, cast, overload

from ..tools.loading import refused_while_loading

if TYPE_CHECKING:
    from mcp import Client

    from ..serve.http.asgi import AsgiApp
    from ..serve.in_process import Once, Reply
    from ..serve.offering import Offering
    from ..serve.settings import AppSettings, HttpSettings, StdioSettings


F = TypeVar("F", bound=Callable[..., Any])


class Box(Protocol):
    """What these methods of a `Toolbox` need of it."""

    __once__: Once | None

    def __servable__(self) -> Offering:
        """Return what servers get of it."""
        ...


@overload
def serve(
    box: Box, transport: Literal["stdio"] = "stdio", **settings: Unpack[StdioSettings]
) -> None: ...
@overload
def serve(box: Box, transport: Literal["http"], **settings: Unpack[HttpSettings]) -> None: ...
def serve(box: Box, transport: Any = "stdio", **settings: Any) -> None:
    """Serve until the client, or the user, ends it.

    While a command imports the program that calls it, it does nothing: the command serves.
    """
    if refused_while_loading() is not None:
        return
    try:
        from ..serve.server import serve

        serve(box.__servable__(), transport, **settings)
    except KeyboardInterrupt:
        return  # Ctrl-C came before there was a server to end by itself


@overload
async def serve_async(
    box: Box, transport: Literal["stdio"] = "stdio", **settings: Unpack[StdioSettings]
) -> None: ...
@overload
async def serve_async(
    box: Box, transport: Literal["http"], **settings: Unpack[HttpSettings]
) -> None: ...
async def serve_async(box: Box, transport: Any = "stdio", **settings: Any) -> None:
    """Serve inside a running program, until it is cancelled or the client ends it.

    Signals belong to the program. When cancelled, it answers what is running before it ends, as
    `serve` does at a signal; when cancelled again, it stops waiting. If it is all that
    `asyncio.run` runs, Ctrl-C ends it without a traceback.
    """
    if refused_while_loading() is not None:
        return
    from ..serve.server import ended_by_ctrl_c
    from ..serve.server import serve_async as serve

    with ended_by_ctrl_c(serve_async.__code__):
        await serve(box.__servable__(), transport, **settings)


def asgi(box: Box, **settings: Unpack[AppSettings]) -> AsgiApp:
    """Return an ASGI app: run it with any server, or mount it in another app."""
    from ..serve.http.app import App
    from ..serve.settings import server_config

    return App(box.__servable__(), server_config("asgi", settings))


async def handle(box: Box, body: bytes | str, headers: Mapping[str, str] | None = None) -> Reply:
    """Answer one HTTP request, without a server: for functions that run on demand."""
    if box.__once__ is None:
        from ..serve.in_process import Once

        box.__once__ = Once(box.__servable__())
    return await box.__once__.handle(body, headers or {})


def client(box: Box, mode: Literal["auto", "legacy"] = "auto", *, search: bool = False) -> Client:
    """Return an MCP client that talks to this toolbox in memory, for tests.

    `async with box.client() as client: await client.call_tool(...)`
    """
    from ..serve.in_process import client

    return client(box.__servable__(), mode, search=search)


def route(
    box: Box, path: str, *, methods: Sequence[str] = ("GET",), public: bool = False
) -> Callable[[F], F]:
    """Let a function answer HTTP requests to a path: it maps a Starlette request to a response.

    Callers must sign in as they do for tools, unless it is `public`.
    """
    from ..serve.offering import OwnRoute

    if not isinstance(cast("object", path), str):
        msg = '`route` needs a path: write `@box.route("/path")`'
        raise TypeError(msg)

    def decorate(endpoint: F) -> F:
        box.__servable__().routes.append(OwnRoute(path, endpoint, methods, public))
        return endpoint

    return decorate
