"""`connect`: makes a client from anything that names a server."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

from .client import McpClient
from .settings import ConnectOptions, settings_from
from .targets import LocalBox, StartedServer, target_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
