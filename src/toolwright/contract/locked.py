"""A toolbox that is served from its lock."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._json_values import compact_json
from .._protocol import LATEST_PROTOCOL, STATELESS_SINCE, TITLES_SINCE
from .._words import did_you_mean
from ..call import Call
from ..errors import CallError, ToolNotFound
from ..outcome.failure import failed
from ..tools.definition import Tool
from ..tools.prompt import Prompt
from ..tools.resource import Resource
from .loading import CodeLoader, NotLoaded
from .lock_file import Entry, Lock

if TYPE_CHECKING:
    from ..refusals import RequestKind
    from ..results import Result
    from ..serve.routes import OwnRoute
    from ..stores import Store

_MOST_LISTS = 100
_ALWAYS_OPEN = contextlib.nullcontext()


async def stand_in(call: Call, **arguments: Any) -> Any:
    """Stand for a function that is not imported yet: calls are made by name, and never reach it."""
    raise CallError(f"{call.tool} is not loaded yet: call it again")


class LockedTool(Tool):
    """A tool as its lock shows it."""

    __slots__ = ("_entry",)

    if TYPE_CHECKING:
        _entry: Entry

    def __init__(self, name: str, entry: Entry) -> None:
        listed = entry["listed"]
        super().__init__(
            stand_in,
            name=name,
            title=listed.get("title"),
            description=listed.get("description", ""),
            input_schema=listed["inputSchema"],
            roles=entry.get("roles", ()),
            confirm=bool(entry.get("confirm", False)),
        )
        object.__setattr__(self, "_entry", entry)  # a tool is frozen

    @property
    def published_name(self) -> str:
        """The name in lists."""
        return self._entry["listed"]["name"]

    def to_mcp_json(self, protocol: str = LATEST_PROTOCOL) -> bytes:
        """Return the tool as `tools/list` shows it, as JSON."""
        return compact_json(_shown(self._entry, protocol))


class LockedPrompt(Prompt):
    """A prompt as its lock shows it."""

    def __init__(self, entry: Entry) -> None:
        listed = entry["listed"]
        super().__init__(
            stand_in,
            name=listed["name"],
            title=listed.get("title"),
            description=listed.get("description", ""),
            roles=entry.get("roles", ()),
        )
        self._listed = listed

    def to_mcp(self) -> dict[str, Any]:
        """Return the prompt as lists show it."""
        return dict(self._listed)


class LockedBox:
    """A `Servable` that lists what a lock has, and loads the code when something must run."""

    is_live = True
    """It is replaced by the toolbox itself."""
    asks = False
    has_tasks = False
    sees_calls = True
    is_wrapped = True
    """Calls go through `call_async`, by name."""
    tasks: str | Store | None = None
    keep_tasks: float = 3600

    def __init__(
        self,
        lock: Lock,
        loader: CodeLoader,
        *,
        names: Iterable[str] | None = None,
        refused: Callable[..., None],
    ) -> None:
        self.lock = lock
        self.loader = loader
        self._refused = refused
        kept = set(lock.tools if names is None else names)
        self._entries = {name: lock.tools[name] for name in lock.order["tools"] if name in kept}
        self._own = {entry["listed"]["name"]: name for name, entry in self._entries.items()}
        self._own |= {name: name for name in self._entries}
        self._tools: dict[str, Tool] = {}
        self._listed: dict[tuple[Any, ...], bytes] = {}
        self._roles = frozenset(
            role for entry in self._entries.values() for role in entry.get("roles", ())
        )
        self.routes: list[OwnRoute] = []
        self.resources = {
            uri: _resource(uri, lock.resources[uri]) for uri in lock.order["resources"]
        }
        self.prompts: dict[str, Prompt] = {
            name: LockedPrompt(lock.prompts[name]) for name in lock.order["prompts"]
        }

    # -- what clients are told

    @property
    def name(self) -> str:
        """The name that clients see."""
        return str(self.info.get("name", ""))

    @property
    def version(self) -> str:
        """The version that clients see."""
        return str(self.info.get("version", ""))

    @property
    def instructions(self) -> str:
        """What clients are told about the whole."""
        return self.lock.server.get("instructions", "")

    @property
    def info(self) -> dict[str, Any]:
        """What clients are told of the server itself."""
        return dict(self.lock.server.get("info", {}))

    @property
    def page_size(self) -> int | None:
        """The most items on one page of a list; None is all."""
        return self.lock.server.get("page_size")

    def __getitem__(self, name: str, /) -> Tool:
        return self._tool(self._own[name])

    def values(self) -> Iterable[Tool]:
        """Return all tools."""
        return [self._tool(name) for name in self._entries]

    def directed(self, name: str, arguments: Any, /) -> tuple[str, Any]:
        """Return the tool that a call is for, and its arguments, unchanged."""
        return name, arguments

    def usable(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> Tool | None:
        """Return a tool that a caller with these roles may use."""
        own = self._own.get(name)
        return None if own is None or not _may_use(self._entries[own], roles) else self._tool(own)

    def not_found(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> ToolNotFound:
        """Return the error for a name that a caller with these roles cannot use."""
        known = [own for own, entry in self._entries.items() if _may_use(entry, roles)]
        return ToolNotFound(name, hint=did_you_mean(name, known))

    def _tool(self, name: str) -> Tool:
        if name not in self._tools:
            self._tools[name] = LockedTool(name, self._entries[name])
        return self._tools[name]

    def to_mcp_json(
        self,
        protocol: str = LATEST_PROTOCOL,
        roles: Iterable[str] | None = None,
        call: Call | None = None,
    ) -> bytes:
        """Return the list of tools, as the toolbox itself would write it."""
        known = None if roles is None or not self._roles else self._roles & frozenset(roles)
        key = (protocol >= STATELESS_SINCE, protocol >= TITLES_SINCE, known)
        if key not in self._listed:
            if len(self._listed) >= _MOST_LISTS:
                self._listed.clear()
            shown = [
                compact_json(_shown(entry, protocol))
                for entry in self._entries.values()
                if _may_use(entry, known)
            ]
            self._listed[key] = b'{"tools":[' + b",".join(shown) + b"]}"
        return self._listed[key]

    # -- resources and prompts

    def resources_for(
        self, roles: Iterable[str] | None, call: Call | None = None
    ) -> list[Resource]:
        """Return the resources that a caller with these roles may read."""
        return [each for each in self.resources.values() if self.offers(each, roles, call)]

    def find_resource(
        self, uri: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> tuple[Resource, dict[str, str]] | None:
        """Return the resource that a caller with these roles reads at a URI, and its variables."""
        from ..tools.resource import found_at

        return found_at(self.resources, uri, lambda each: self.offers(each, roles, call))

    def is_hidden(self, uri: str, roles: Iterable[str] | None, call: Call | None = None) -> bool:
        """Return whether a resource exists that a caller with these roles may not read."""
        if self.find_resource(uri, roles, call) is not None:
            return False
        return self.find_resource(uri, None) is not None

    def prompts_for(self, roles: Iterable[str] | None, call: Call | None = None) -> list[Prompt]:
        """Return the prompts that a caller with these roles may get."""
        return [each for each in self.prompts.values() if self.offers(each, roles, call)]

    def find_prompt(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> Prompt | None:
        """Return a prompt that a caller with these roles may get."""
        prompt = self.prompts.get(name)
        return prompt if prompt is not None and self.offers(prompt, roles, call) else None

    def offers(
        self, offered: Resource | Prompt, roles: Iterable[str] | None, call: Call | None
    ) -> bool:
        """Return whether a caller may use a resource or a prompt."""
        wanted = offered.tool.options.roles
        return roles is None or not wanted or not frozenset(wanted).isdisjoint(roles)

    # -- running: on the toolbox itself

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
    ) -> Result:
        """Load the code if necessary, and call one of its tools."""
        try:
            box = await self.loader.loaded()
        except NotLoaded as error:
            return failed(error)
        tool = box.usable(name, None)
        if tool is None:
            return failed(box.not_found(name, None))
        entry = self._entries[self._own[name]]
        wanted = set(entry.get("roles", ()))
        if set(tool.options.roles) != wanted or tool.options.confirm != entry.get("confirm", False):
            return failed(_changed(name))
        return await box.call_async(name, arguments, call=call)

    async def read_resource(
        self, resource: Resource, values: Mapping[str, str], call: Call | None = None
    ) -> Result:
        """Load the code if necessary, and read one of its resources."""
        try:
            box = await self.loader.loaded()
        except NotLoaded as error:
            return failed(error)
        real = box.resources.get(resource.uri)
        if real is None or not _same_roles(real, resource):
            return failed(_changed(resource.uri))
        return await box.read_resource(real, values, call)

    async def get_prompt(
        self, prompt: Prompt, values: Mapping[str, str] | None, call: Call | None = None
    ) -> Result:
        """Load the code if necessary, and get the messages of one of its prompts."""
        try:
            box = await self.loader.loaded()
        except NotLoaded as error:
            return failed(error)
        real = box.prompts.get(prompt.tool.name)
        if real is None or not _same_roles(real, prompt):
            return failed(_changed(prompt.tool.name))
        return await box.get_prompt(real, values, call)

    def completions(self, owner: Tool, argument: str, begun: str) -> list[str]:
        """Return values of an argument that begin so; called in a thread that may wait."""
        box = self.loader.loaded_blocking()
        for ours, theirs in ((self.resources, box.resources), (self.prompts, box.prompts)):
            for key, offered in ours.items():
                real = theirs.get(key)
                if offered.tool is owner and real is not None and _same_roles(real, offered):
                    return box.completions(real.tool, argument, begun)
        return []

    def refused(
        self,
        kind: RequestKind,
        code: str,
        name: str = "",
        *,
        caller: str | None = None,
        client: str = "",
        reason: str = "",
    ) -> None:
        """Report a refused request to the audit log and the metrics."""
        self._refused(kind, code, name, caller=caller, client=client, reason=reason)

    # -- lifecycle: that of the toolbox begins when it is loaded

    def on_change(self, listener: Callable[[str, str], object]) -> Callable[[], None]:
        """Do nothing: a lock does not change."""
        return lambda: None

    def open_store(self) -> None:
        """Do nothing."""

    async def enter(self) -> None:
        """Do nothing."""

    def busy(self) -> contextlib.AbstractContextManager[object]:
        """Keep it open while something in it runs: it is always open."""
        return _ALWAYS_OPEN

    def close(self) -> None:
        """Do nothing."""

    async def aclose(self) -> None:
        """Do nothing."""


def _may_use(entry: Entry, roles: Iterable[str] | None) -> bool:
    wanted = entry.get("roles", ())
    return roles is None or not wanted or not frozenset(wanted).isdisjoint(roles)


def _same_roles(one: Resource | Prompt, other: Resource | Prompt) -> bool:
    return set(one.tool.options.roles) == set(other.tool.options.roles)


def _changed(name: str) -> CallError:
    return CallError(f"{name} is not what the lock says", hint="call it again")


def _shown(entry: Entry, protocol: str) -> dict[str, Any]:
    """Return a tool as clients of a protocol version see it."""
    listed = entry["listed"]
    shown = dict(listed)
    if protocol < STATELESS_SINCE and "boxed_output" in entry:
        shown["outputSchema"] = entry["boxed_output"]
    if protocol < TITLES_SINCE and listed.get("title"):
        meta = {key: shown.pop(key) for key in ("_meta",) if key in shown}
        noted = {"title": listed["title"], **shown.pop("annotations", {})}
        shown = {**shown, "annotations": noted, **meta}
    return shown


def _resource(uri: str, entry: Entry) -> Resource:
    listed = entry["listed"]
    return Resource(
        uri,
        stand_in,
        name=listed["name"],
        title=listed.get("title"),
        description=listed.get("description", ""),
        mime_type=listed.get("mimeType"),
        roles=entry.get("roles", ()),
    )
