"""A toolbox that is served from its lock."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._json_values import compact_json
from .._log import log
from .._protocol import LATEST_PROTOCOL, STATELESS_SINCE, TITLES_SINCE
from .._words import did_you_mean, first_line
from ..call import Call
from ..errors import CallError, ToolNotFound
from ..outcome.failure import failed
from ..serve.offering import Offering
from ..tools.definition import Tool
from ..tools.prompt import Prompt
from ..tools.resource import Resource
from .lock_file import Entry, Lock

if TYPE_CHECKING:
    from ..refusals import OnRefusal
    from ..results import Result
    from ..serve.offering import Roles
    from ..stores import Store


_MOST_LISTS = 100


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


@dataclass
class LockedAbout:
    """What clients are told about the whole."""

    name: str
    version: str
    instructions: str
    page_size: int | None
    tasks: str | Store | None = None
    keep_tasks: float = 3600


def locked_offering(
    lock: Lock,
    loader: CodeLoader,
    *,
    names: Iterable[str] | None = None,
    refused: OnRefusal,
) -> Offering:
    """Return what a lock has, or the named tools of it; the code is loaded when something runs."""
    server = lock.server
    info: Mapping[str, Any] = server.get("info", {})
    selected = set(lock.tools if names is None else names)
    tools = LockedTools(
        {name: lock.tools[name] for name in lock.order["tools"] if name in selected}
    )
    run = LockedRun(loader, tools)
    return Offering(
        about=LockedAbout(
            str(info.get("name", "")),
            str(info.get("version", "")),
            server.get("instructions", ""),
            server.get("page_size"),
        ),
        info=lambda: dict(info),
        tools=tools,
        resources={uri: _resource(uri, lock.resources[uri]) for uri in lock.order["resources"]},
        prompts={name: LockedPrompt(lock.prompts[name]) for name in lock.order["prompts"]},
        call=run.call,
        get=run.get,
        complete=run.complete,
        refused=refused,
        is_wrapped=lambda: True,  # so that calls are made by name
    )


class LockedTools:
    """The tools of a lock, listed as the toolbox itself would list them."""

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = entries
        self.own = {entry["listed"]["name"]: name for name, entry in entries.items()}
        """Names by published names, and by themselves."""
        self.own |= {name: name for name in entries}
        self._tools: dict[str, Tool] = {}
        self._listed: dict[tuple[Any, ...], bytes] = {}
        self._roles = frozenset(
            role for entry in entries.values() for role in entry.get("roles", ())
        )

    def values(self) -> Iterable[Tool]:
        """Return all tools."""
        return [self._tool(name) for name in self.entries]

    def usable(self, name: str, roles: Roles, call: Call | None = None) -> Tool | None:
        """Return a tool that a caller with these roles may use."""
        tool_name = self.own.get(name)
        return (
            None
            if tool_name is None or not _may_use(self.entries[tool_name], roles)
            else self._tool(tool_name)
        )

    def not_found(self, name: str, roles: Roles, call: Call | None = None) -> ToolNotFound:
        """Return the error for a name that a caller with these roles cannot use."""
        usable = [tool_name for tool_name, entry in self.entries.items() if _may_use(entry, roles)]
        return ToolNotFound(name, hint=did_you_mean(name, usable))

    def _tool(self, name: str) -> Tool:
        if name not in self._tools:
            self._tools[name] = LockedTool(name, self.entries[name])
        return self._tools[name]

    def to_mcp_json(self, protocol: str, roles: Roles = None, call: Call | None = None) -> bytes:
        """Return the list of tools."""
        known_roles = None if roles is None or not self._roles else self._roles & frozenset(roles)
        key = (protocol >= STATELESS_SINCE, protocol >= TITLES_SINCE, known_roles)
        if key not in self._listed:
            if len(self._listed) >= _MOST_LISTS:
                self._listed.clear()
            definitions = [
                compact_json(_shown(entry, protocol))
                for entry in self.entries.values()
                if _may_use(entry, known_roles)
            ]
            self._listed[key] = b'{"tools":[' + b",".join(definitions) + b"]}"
        return self._listed[key]


class LockedRun:
    """Loads the code behind a lock when something must run, and runs it on the toolbox itself."""

    def __init__(self, loader: CodeLoader, tools: LockedTools) -> None:
        self.loader = loader
        self.tools = tools

    async def call(self, name: str, arguments: Any, call: Call | None = None) -> Result:
        """Call a tool."""
        try:
            box = await self.loader.loaded()
        except NotLoaded as error:
            return failed(error)
        tool = box.tools.usable(name, None)
        if tool is None:
            return failed(box.tools.not_found(name, None))
        entry = self.tools.entries[self.tools.own[name]]
        roles = set(entry.get("roles", ()))
        if set(tool.options.roles) != roles or tool.options.confirm != entry.get("confirm", False):
            return failed(_changed(name))
        return await box.call(name, arguments, call)

    async def get(
        self,
        offered: Resource | Prompt,
        values: Mapping[str, str] | None,
        call: Call | None = None,
    ) -> Result:
        """Read a resource, or get the messages of a prompt."""
        try:
            box = await self.loader.loaded()
        except NotLoaded as error:
            return failed(error)
        real = _real(offered, box)
        if real is None:
            return failed(_changed(getattr(offered, "uri", offered.tool.name)))
        return await box.get(real, values, call)

    def complete(self, offered: Resource | Prompt, argument: str, typed: str) -> list[str]:
        """Return values of an argument that begin so; called in a thread that may wait."""
        box = self.loader.loaded_blocking()
        real = _real(offered, box)
        return [] if real is None else box.complete(real, argument, typed)


def _real(offered: Resource | Prompt, box: Offering) -> Resource | Prompt | None:
    """Return what a loaded toolbox has in its place; None if that is for other callers."""
    if isinstance(offered, Resource):
        real = box.resources.get(offered.uri)
    else:
        real = box.prompts.get(offered.tool.name)
    is_same = real is not None and set(real.tool.options.roles) == set(offered.tool.options.roles)
    return real if is_same else None


def _may_use(entry: Entry, roles: Iterable[str] | None) -> bool:
    required_roles = entry.get("roles", ())
    return roles is None or not required_roles or not frozenset(required_roles).isdisjoint(roles)


def _changed(name: str) -> CallError:
    return CallError(f"{name} is not what the lock says", hint="call it again")


def _shown(entry: Entry, protocol: str) -> dict[str, Any]:
    """Return a tool as clients of a protocol version see it."""
    listed = entry["listed"]
    definition = dict(listed)
    if protocol < STATELESS_SINCE and "boxed_output" in entry:
        definition["outputSchema"] = entry["boxed_output"]
    if protocol < TITLES_SINCE and listed.get("title"):
        meta = {key: definition.pop(key) for key in ("_meta",) if key in definition}
        noted = {"title": listed["title"], **definition.pop("annotations", {})}
        definition = {**definition, "annotations": noted, **meta}
    return definition


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


class NotLoaded(CallError):
    """The code behind a lock cannot be loaded; the next call tries again."""


class CodeLoader:
    """Loads a toolbox when it is first needed; others that need it wait for the same load."""

    def __init__(
        self, load: Callable[[], Offering], then: Callable[[Offering], Callable[[], None]]
    ) -> None:
        self._load = load
        self._then = then
        """Called with the loaded toolbox before anyone gets it; its result is called afterwards."""
        self._lock = threading.Lock()
        self._loading: Future[Offering] | None = None

    async def loaded(self) -> Offering:
        """Return the toolbox. Raises `NotLoaded`."""
        # Shielded: when one caller is cancelled, others may still be waiting for it.
        return await asyncio.shield(asyncio.wrap_future(self._begun()))

    def loaded_blocking(self) -> Offering:
        """Return the toolbox, in a thread that may wait. Raises `NotLoaded`."""
        return self._begun().result()

    def _begun(self) -> Future[Offering]:
        with self._lock:
            if self._loading is None:
                self._loading = Future()
                # A daemon: an import that never ends must not keep the server from ending.
                work = threading.Thread(target=self._work, args=(self._loading,), daemon=True)
                work.start()
            return self._loading

    def _work(self, loading: Future[Offering]) -> None:
        try:
            box = self._load()
            afterwards = self._then(box)
        except BaseException as error:  # noqa: BLE001 - an author's module may raise anything
            with self._lock:
                self._loading = None  # the next call tries again
            log.debug("the tools cannot be loaded", exc_info=True)
            loading.set_exception(NotLoaded(f"the tools cannot be loaded: {_reason(error)}"))
            return
        loading.set_result(box)
        try:
            afterwards()
        except Exception:  # noqa: BLE001 - it only says what has changed
            log.exception("the loaded tools cannot be compared with the lock")


def _reason(error: BaseException) -> str:
    message = first_line(str(error))
    is_own = type(error).__module__.partition(".")[0] == __name__.partition(".")[0]
    if message and is_own:
        return message
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
