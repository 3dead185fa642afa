"""Keeps a toolbox true to a server that it includes."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .._log import logger
from ..errors import CallError, SchemaError
from ..options import ToolOptions
from ..run.loop import background
from ..sources.rules import Rule
from .client import McpClient, connection_of, listing_of
from .proxy import (
    ServerSelection,
    described,
    name_of,
    offered_options,
    plain_name,
    proxied_prompt,
    proxied_resource,
    proxied_tools,
)

if TYPE_CHECKING:
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource

_log = logger("client")
_RETRY_SECONDS = (1.0, 2.0, 5.0, 10.0, 30.0)
"""The pauses between attempts to reach a server; the last one is repeated."""
_READ = {"resources": "uri", "templates": "uriTemplate"}
"""What is read at a URI: its lists, and where they name it."""


class Shelf(Protocol):
    """Where a mirror puts what it finds: a toolbox."""

    def put_tool(self, target: Any, options: ToolOptions) -> Any:
        """Add a tool, or replace the one of that name. Raises `SchemaError`."""
        ...

    def take_tool(self, name: str) -> None:
        """Take a tool out."""
        ...

    def put_offered(self, offered: Resource | Prompt, options: ToolOptions) -> None:
        """Add a resource or a prompt. Raises `SchemaError`."""
        ...

    def take_offered(self, kind: str, key: str) -> None:
        """Take a resource or a prompt out."""
        ...

    def note(self, server: str, text: str) -> None:
        """Report what is wrong with what was asked of a server."""
        ...


class Mirror:
    """What one toolbox has from one server, and how it is kept up to date."""

    def __init__(
        self,
        client: McpClient,
        shelf: Shelf,
        select: str | Sequence[str],
        prefix: str,
        rules: Sequence[Rule] | None,
        options: ToolOptions,
    ) -> None:
        self.client = client
        """Held as long as the toolbox has its tools."""
        self._shelf = shelf
        self._selection = ServerSelection(select, rules)
        self._prefix = prefix
        self._options = options
        self._tools: dict[str, Any] = {}
        self._offered: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._busy: asyncio.Task[None] | None = None
        self._again = False
        self._follows = False
        weak_listener = weakref.WeakMethod(self.changed)

        def changed(what: str, uri: str) -> None:
            listener = weak_listener()
            if listener is not None:
                listener(what, uri)

        listing_of(client).listeners.append(changed)

    # -- at first

    async def begin(self) -> tuple[list[Any], list[SchemaError]]:
        """Take over what the server has; return the tools, and what was refused.

        Raises `CallError` if the server cannot be reached, or does not say all that it has; then
        nothing is taken over.
        """
        connection = connection_of(self.client)
        await connection.pass_on()
        await connection.info()  # a new connection says that everything has changed
        self._follows = True
        listed = await listing_of(self.client).everything()
        for text in self._selection.unused_rules(listed):
            self._shelf.note(str(connection), text)
        added, bad = await self._sync_tools()
        bad += await self._sync_offered()
        return added, bad

    async def wait_for_server(self) -> None:
        """Try again until the server can be reached."""
        for number in range(1_000_000):
            await asyncio.sleep(_RETRY_SECONDS[min(number, len(_RETRY_SECONDS) - 1)])
            try:
                _, bad = await self.begin()
            except CallError:
                continue
            _warn(bad)
            return

    # -- changes

    def changed(self, what: str, _uri: str) -> None:
        """Look at the server's lists again; may be called in any thread."""
        if what != "resource" and self._follows:
            background.start(self._look_again())

    async def _look_again(self) -> None:
        """Look at the lists; changes that come meanwhile cause one more look."""
        if self._busy is not None and not self._busy.done():
            self._again = True
            return
        self._busy = asyncio.ensure_future(self._sync())

    async def _sync(self) -> None:
        while True:
            self._again = False
            try:
                _, bad = await self._sync_tools()
                bad += await self._sync_offered()
            except CallError as error:
                _log.warning("the changes of a server cannot be read: %s", error)
            else:
                _warn(bad)
            if not self._again:
                return

    async def _sync_tools(self) -> tuple[list[Any], list[SchemaError]]:
        listing = listing_of(self.client)
        await listing.tools()
        added: list[Any] = []
        bad: list[SchemaError] = []
        definitions: dict[str, Any] = {}
        proxied = proxied_tools(connection_of(self.client), listing.definitions, self._selection)
        for name, target, tool_options in proxied:
            local_name = self._prefix + name
            if isinstance(target, SchemaError):
                bad.append(target)
                continue
            definition = listing.definitions[target.name]
            definitions[local_name] = definition
            if self._tools.get(local_name) == definition:
                continue
            all_options: Any = {
                **tool_options,
                **self._options,
                **target.rule.options,
                "name": local_name,
            }
            try:
                added.append(self._shelf.put_tool(target, described(all_options)))
            except SchemaError as error:
                bad.append(error)
                del definitions[local_name]
        for name in [tool_name for tool_name in self._tools if tool_name not in definitions]:
            self._shelf.take_tool(name)
        self._tools = definitions
        return added, bad

    async def _sync_offered(self) -> list[SchemaError]:
        bad: list[SchemaError] = []
        offered: dict[tuple[str, str], Mapping[str, Any]] = {}
        listing = listing_of(self.client)
        listed = [
            (kind, key, entry, self._selection.rule(entry))
            for kind, key in (*_READ.items(), ("prompts", "name"))
            for entry in (await listing.of(kind, key)).values()
        ]
        # Before a template is offered that hidden ones would be read through.
        self._selection.hold(
            {entry[key]: rule for kind, key, entry, rule in listed if kind in _READ}
        )
        for kind, key, entry, rule in listed:
            name = plain_name(name_of(entry))
            local_key = self._prefix + name if kind == "prompts" else entry[key]
            if rule is None:
                continue
            offered[kind, local_key] = entry
            if self._offered.get((kind, local_key)) == entry:
                continue
            if (kind, local_key) in self._offered:
                self._shelf.take_offered(kind, local_key)
            try:
                self._put(kind, name, entry, rule)
            except SchemaError as error:
                bad.append(error)
                del offered[kind, local_key]
                if kind in _READ:
                    self._selection.hide(entry[key])
        for kind, local_key in [
            offered_key for offered_key in self._offered if offered_key not in offered
        ]:
            self._shelf.take_offered(kind, local_key)
        self._offered = offered
        return bad

    def _put(self, kind: str, name: str, told: Mapping[str, Any], rule: Rule) -> None:
        """Offer a resource, a template or a prompt. Raises `SchemaError`."""
        connection = connection_of(self.client)
        options = offered_options(self._options, name, rule)
        if kind == "prompts":
            item: Any = proxied_prompt(connection, told, rule)
        else:
            item = proxied_resource(connection, told, self._selection, rule)
        self._shelf.put_offered(item, {**options, "name": self._prefix + name})


def _warn(bad: Sequence[SchemaError]) -> None:
    for error in bad:
        _log.warning("%s", error)
