"""What clients and proxies need of a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from ..settings import ClientSettings
from .scope import RequestScope
from .server_info import ServerInfo


class AnyConnection(Protocol):
    """What a client needs of a connection."""

    settings: ClientSettings
    on_change: Callable[[str, str], object]
    is_local: bool
    """Whether it works on any loop, and need not be reached on the background loop."""

    async def info(self) -> ServerInfo:
        """Return what the server says about itself."""
        ...

    async def listed(self, kind: str) -> list[dict[str, Any]]:
        """Return all tools, resources, templates or prompts."""
        ...

    async def request(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request and return its result."""
        ...

    async def pass_on(self) -> None:
        """Let a toolbox have what the server offers."""
        ...

    async def close(self) -> None:
        """End the connection."""
        ...
