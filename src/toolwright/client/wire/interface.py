"""What clients, proxies and sessions need of a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ..settings import ClientSettings
from ..targets import ServerAddress, ServerObject, StartedServer
from .scope import RequestScope
from .server_info import ServerInfo

if TYPE_CHECKING:
    from ..question_handlers import QuestionHandlers


class ServerList(NamedTuple):
    """One of a server's lists."""

    items: list[dict[str, Any]]
    """The items, as the server describes them."""
    faults: dict[str, str]
    """How items break the protocol, by name; the rest of the list is not affected."""


class AnyConnection(Protocol):
    """What a client needs of a connection."""

    settings: ClientSettings
    on_change: Callable[[str, str], object]
    is_local: bool
    """Whether it works on any loop, and need not be reached on the background loop."""

    async def info(self) -> ServerInfo:
        """Return what the server says about itself."""
        ...

    async def listed(self, kind: str) -> ServerList:
        """Return all tools, resources, templates or prompts."""
        ...

    async def send(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request from async code of any loop, and return its result."""
        ...

    async def pass_on(self) -> None:
        """Let a toolbox have what the server offers."""
        ...

    async def close(self) -> None:
        """End the connection."""
        ...


class Owner(Protocol):
    """What a session needs of the connection that it belongs to."""

    target: ServerAddress | StartedServer | ServerObject
    settings: ClientSettings
    handlers: QuestionHandlers
    on_change: Any

    def waiting(self) -> AbstractContextManager[None]:
        """Stop the clocks of all requests while a person signs in."""
        ...

    def scope_of_message(self) -> RequestScope | None:
        """Return the request that a message belongs to."""
        ...

    async def answered(
        self, key: str, asked: Mapping[str, Any], scope: RequestScope | None
    ) -> dict[str, Any]:
        """Return the answer to a question."""
        ...
