"""The tools of another server, included in a toolbox."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet

from ..errors import CallError, SchemaError
from ..tools.decorator import note, raise_or_note, refused_while_loading

if TYPE_CHECKING:
    from ..client import McpClient
    from ..options import ToolOptions
    from ..sources.rules import Rule
    from ..tools.definition import Tool
    from .registry import Registry


class ServerNotRead(SchemaError):
    """A server did not say all that it offers, so that none of it is included yet."""

    def __init__(self, server: str, reason: str) -> None:
        what = f"cannot be included yet, and will be tried again: {reason}"
        super().__init__(what, tool=server)
        self.reason = reason

    def named(self, tool: str) -> ServerNotRead:
        """Return it as it is."""
        return self


def is_client(source: Any) -> bool:
    """Return whether a source is a client of another server: its tools are elsewhere."""
    return hasattr(cast("Any", type(source)), "__mcp_client__")


def include_client(
    registry: Registry,
    client: Any,
    select: str | Sequence[str],
    prefix: str,
    rules: Sequence[Rule] | None,
    options: ToolOptions,
) -> list[Tool]:
    """Add what another server offers, and follow its changes; return the tools.

    Raises `CallError` if it cannot be reached, and `DefinitionError` for tools that are refused.
    While a command imports the program, a server that cannot be reached is noted and waited for.
    """
    from ..client.client import connection_of
    from ..client.mirror import Mirror
    from ..run.loop import background

    mirror = Mirror(client, registry, select, prefix, rules, options)
    registry.mirrors.append(mirror)
    try:
        added, bad = background.run(mirror.begin())
    except CallError as error:
        if refused_while_loading() is None:
            registry.mirrors.remove(mirror)
            raise
        background.start(mirror.wait_for_server())
        raise_or_note([ServerNotRead(str(connection_of(client)), str(error))])
        return []
    if refused_while_loading() is not None:
        bad += [
            SchemaError(f"cannot be used: {why}", tool=prefix + name)
            for name, why in client.problems.items()
        ]
    raise_or_note(bad)
    return added


def include_server(
    registry: Registry,
    server: Any,
    select: str | Sequence[str],
    prefix: str,
    rules: Sequence[Rule] | None,
    options: ToolOptions,
) -> list[Tool]:
    """Add what a server object of FastMCP or the SDK offers; it runs until the toolbox is closed.

    Raises `CallError` if its lifespan fails, and `DefinitionError` for tools that are refused.
    """
    from .._log import logger
    from ..client import connect
    from ..client.mirror import Mirror
    from ..run.loop import background

    # Its questions go to whoever calls. Nothing limits it but the options of the toolbox.
    client = connect(server, ask=False, timeout=None, connect_timeout=None)
    hosted = IncludedServer(client, server)
    if _has_own_sign_in(server):
        what = "%s: its own `auth` does not apply here: say who may call where it is served"
        logger("client").warning(what, hosted.name)
    mirror = Mirror(client, registry, select, prefix, rules, options)
    try:
        added, bad = background.run(mirror.begin())
    except CallError as error:
        if refused_while_loading() is None:
            raise
        note(SchemaError(f"cannot be started: {error}", tool=hosted.name))
        return []
    registry.mirrors.append(mirror)
    registry.hosted.append(hosted)
    raise_or_note(bad)
    return added


class IncludedServer:
    """A server object that runs while one of the toolboxes that include it is open."""

    def __init__(self, client: McpClient, server: Any) -> None:
        from ..client.client import connection_of

        self.server = server
        self._client = client
        self._users: WeakSet[Any] = WeakSet()
        self.name = str(connection_of(client))

    async def enter(self, by: object) -> None:
        """Start it, unless it runs. Raises `CallError` if its lifespan fails."""
        self._users.add(by)
        await self._client.__aenter__()

    def release(self, by: object) -> None:
        """End it, unless other toolboxes need it; the next call starts it again."""
        if self._is_last(by):
            self._client.close()

    async def release_async(self, by: object) -> None:
        """End it from async code."""
        if self._is_last(by):
            await self._client.aclose()

    def _is_last(self, by: object) -> bool:
        self._users.discard(by)
        return not self._users


def _has_own_sign_in(server: Any) -> bool:
    """Return whether FastMCP's `auth=`, or `token_verifier=` of the SDK, was given."""
    return any(getattr(server, name, None) is not None for name in ("auth", "_token_verifier"))
