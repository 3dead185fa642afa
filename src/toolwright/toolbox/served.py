"""A toolbox, as servers see it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from .._protocol import LATEST_PROTOCOL
from ..errors import SchemaError
from ..options.tool import icon_from

if TYPE_CHECKING:
    from ..call import Call
    from ..errors import ToolNotFound
    from ..refusals import RequestKind
    from ..results import Result
    from ..run.shared import Shared
    from ..serve.in_process import Once
    from ..serve.routes import OwnRoute
    from ..stores import Store
    from ..tools.definition import Tool
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource
    from .registry import Registry
    from .runtime import Runtime


_ICON = frozenset(("src", "mimeType", "sizes", "theme"))
"""The members of an icon in the protocol (2025-11-25, basic, Icons)."""
_ALWAYS_OPEN = contextlib.nullcontext()


class Described(Protocol):
    """What an author says about a whole toolbox, and may change until it is served."""

    name: str
    version: str
    instructions: str
    title: str | None
    icons: Sequence[Mapping[str, Any]]
    website_url: str | None
    page_size: int | None
    tasks: str | Store | None
    keep_tasks: float

    def close(self) -> None:
        """Close it, in a thread that may wait."""
        ...

    async def aclose(self) -> None:
        """Close it."""
        ...


class Served:
    """What servers need of a toolbox and its users do not: the protocol `Servable`."""

    is_live = False
    """It is never replaced by another toolbox while it is served."""

    def __init__(
        self, box: Described, registry: Registry, runtime: Runtime, shared: Shared
    ) -> None:
        self.resources = registry.resources
        self.prompts = registry.prompts
        self.mirrors = registry.mirrors
        """What keeps the tools of other servers up to date, also of those that are waited for."""
        self.hosted = registry.hosted
        """Server objects that run while the toolbox is open."""
        self.variables = registry.variables
        """Environment variables of the toolbox's programs, where their rules agree."""
        self.routes: list[OwnRoute] = []
        self._box = box
        self._registry = registry
        self._runtime = runtime
        self._shared = shared

    @property
    def runs_programs(self) -> bool:
        """Whether commands of command-line programs are among the tools."""
        return self._registry.runs_programs

    @property
    def name(self) -> str:
        """The name that clients see."""
        return self._box.name

    @property
    def version(self) -> str:
        """The version that clients see."""
        return self._box.version

    @property
    def instructions(self) -> str:
        """What clients are told about the whole."""
        return self._box.instructions

    @property
    def info(self) -> dict[str, Any]:
        """What clients are told about the server itself. Raises `TypeError` or `ValueError`."""
        box = self._box
        told: dict[str, Any] = {"name": box.name, "version": box.version}
        for key, value in (("title", box.title), ("websiteUrl", box.website_url)):
            if value is not None:
                if not isinstance(value, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                    msg = f"{key} of a toolbox must be text; got {value!r}"
                    raise TypeError(msg)
                told[key] = value
        if box.icons:
            told["icons"] = [_icon(icon) for icon in box.icons]
        return told

    def check_info(self) -> None:
        """Refuse what clients cannot be told. Raises `TypeError` or `ValueError`."""
        _ = self.info

    @property
    def page_size(self) -> int | None:
        """The most items on one page of a list; None is all."""
        return self._box.page_size

    @property
    def tasks(self) -> str | Store | None:
        """Where calls that became tasks are recorded."""
        return self._box.tasks

    @property
    def keep_tasks(self) -> float:
        """How many seconds the record of a finished task is kept."""
        return self._box.keep_tasks

    def __getitem__(self, name: str, /) -> Tool:
        return self._registry.catalog[name]

    def values(self) -> Iterable[Tool]:
        """Return all tools."""
        return self._registry.catalog.values()

    @property
    def has_tasks(self) -> bool:
        """Whether a call of any tool may become a task."""
        return any(tool.options.task for tool in self.values())

    @property
    def sees_calls(self) -> bool:
        """Whether anything here gets a `Call`, and so may log."""
        from ..run.current import looks_up
        from ..tools.definition import compiled_of

        for tool in self._registry.tools:
            with contextlib.suppress(SchemaError):
                if compiled_of(tool).plan.injected or looks_up(tool.target):
                    return True
        return False

    @property
    def lifespans(self) -> list[Any]:
        """The lifespans of the toolbox and of those it includes, as their authors gave them."""
        return self._runtime.lifespans

    @property
    def is_wrapped(self) -> bool:
        """Whether calls go through hooks or a lifespan."""
        return self._runtime.is_wrapped

    @cached_property
    def once(self) -> Once:
        """Answers single requests, without a server."""
        from ..serve.in_process import Once

        return Once(self)

    # -- what a caller may use

    @property
    def asks(self) -> bool:
        """Whether what is available depends on more than a caller's roles."""
        return self._registry.asks

    def usable(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> Tool | None:
        """Return a tool that a caller with these roles may use; None if it is hidden or unknown."""
        return self._registry.catalog.usable(name, roles, call)

    def not_found(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> ToolNotFound:
        """Return the error for a name that a caller with these roles cannot use."""
        return self._registry.catalog.not_found(name, roles, call)

    def resources_for(
        self, roles: Iterable[str] | None, call: Call | None = None
    ) -> list[Resource]:
        """Return the resources that a caller with these roles may read."""
        return self._registry.resources_for(roles, call)

    def find_resource(
        self, uri: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> tuple[Resource, dict[str, str]] | None:
        """Return what a caller with these roles reads at a URI, and the variables in it."""
        return self._registry.find_resource(uri, roles, call)

    def is_hidden(self, uri: str, roles: Iterable[str] | None, call: Call | None = None) -> bool:
        """Return whether there is a resource that a caller with these roles may not read."""
        return self._registry.is_hidden(uri, roles, call)

    def prompts_for(self, roles: Iterable[str] | None, call: Call | None = None) -> list[Prompt]:
        """Return the prompts that a caller with these roles may get."""
        return self._registry.prompts_for(roles, call)

    def find_prompt(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> Prompt | None:
        """Return a prompt that a caller with these roles may get."""
        return self._registry.find_prompt(name, roles, call)

    def offers(
        self, offered: Resource | Prompt, roles: Iterable[str] | None, call: Call | None
    ) -> bool:
        """Return whether a caller may use a resource or a prompt."""
        return self._registry.offers(offered, roles, call)

    def completions(self, owner: Tool, argument: str, begun: str) -> list[str]:
        """Return the values of an argument that begin with what was typed."""
        return self._registry.completions(owner, argument, begun)

    def to_mcp_json(
        self,
        protocol: str = LATEST_PROTOCOL,
        roles: Iterable[str] | None = None,
        call: Call | None = None,
    ) -> bytes:
        """Return the `tools/list` payload for a caller with these roles."""
        return self._registry.catalog.to_mcp_json(protocol, roles, call)

    # -- running

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
    ) -> Result:
        """Call a tool that the caller may use: it was found by `usable`."""
        return await self._runtime.call_async(name, arguments, call=call, is_admitted=True)

    async def read_resource(
        self, resource: Resource, values: Mapping[str, str], call: Call | None = None
    ) -> Result:
        """Read a resource."""
        return await self._runtime.read_resource(resource, values, call)

    async def get_prompt(
        self, prompt: Prompt, values: Mapping[str, str] | None, call: Call | None = None
    ) -> Result:
        """Get the messages of a prompt."""
        return await self._runtime.get_prompt(prompt, values, call)

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
        """Notify every listener that a request was refused."""
        self._runtime.refused(kind, code, name, caller=caller, client=client, reason=reason)

    def on_change(self, listener: Callable[[str, str], object]) -> Callable[[], None]:
        """Call a function at each change; return a function that ends this."""
        return self._registry.on_change(listener)

    def open_store(self) -> None:
        """Open the store, if one is named, before the first call does. Raises `StoreError`."""
        self._shared.open_store()

    async def enter(self) -> None:
        """Enter the lifespans, and those of included toolboxes. Raises what entering raises."""
        await self._runtime.open()

    def busy(self) -> contextlib.AbstractContextManager[object]:
        """Keep it open while something in it runs: it stays open until it is closed."""
        return _ALWAYS_OPEN

    def close(self) -> None:
        """Leave the lifespan and clean up providers, in a thread that may wait."""
        self._box.close()  # which a subclass may have extended

    async def aclose(self) -> None:
        """Leave the lifespan and clean up providers."""
        await self._box.aclose()


def _icon(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return an icon in the protocol's form. Raises `TypeError` or `ValueError`."""
    icon = icon_from(given)
    unknown = sorted(icon.keys() - _ICON)
    if unknown:
        msg = f"an icon has no `{unknown[0]}`; it has src, mimeType, sizes and theme"
        raise ValueError(msg)
    return icon
