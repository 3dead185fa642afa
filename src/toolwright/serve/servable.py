"""What a server needs from a toolbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import ToolNotFound

if TYPE_CHECKING:
    from ..call import Call
    from ..refusals import RequestKind
    from ..results import Result
    from ..stores import Store
    from ..tools.definition import Tool
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource
    from .routes import OwnRoute


class Servable(Protocol):
    """A toolbox, as it is served."""

    resources: dict[str, Resource]
    prompts: dict[str, Prompt]
    routes: list[OwnRoute]

    @property
    def name(self) -> str:
        """The name that clients see."""
        ...

    @property
    def version(self) -> str:
        """The version that clients see."""
        ...

    @property
    def instructions(self) -> str:
        """What clients are told about the toolbox as a whole."""
        ...

    @property
    def info(self) -> dict[str, Any]:
        """What clients are told about the server itself, in the protocol's form."""
        ...

    @property
    def page_size(self) -> int | None:
        """The most items on one page of a list; None for all."""
        ...

    @property
    def tasks(self) -> str | Store | None:
        """Where calls that became tasks are recorded."""
        ...

    @property
    def keep_tasks(self) -> float:
        """How many seconds the record of a finished task is kept."""
        ...

    @property
    def is_live(self) -> bool:
        """Whether it may be exchanged for one that offers other things."""
        ...

    @property
    def has_tasks(self) -> bool:
        """Whether there is a tool whose calls may become tasks."""
        ...

    @property
    def sees_calls(self) -> bool:
        """Whether anything here gets a `Call`."""
        ...

    @property
    def asks(self) -> bool:
        """Whether what is available depends on the caller: then their roles come with a `call`."""
        ...

    @property
    def is_wrapped(self) -> bool:
        """Whether calls go through hooks or a lifespan."""
        ...

    def __getitem__(self, name: str, /) -> Tool: ...

    def values(self) -> Iterable[Tool]:
        """Return all tools."""
        ...

    def usable(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> Tool | None:
        """Return a tool that a caller with these roles may use."""
        ...

    def not_found(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> ToolNotFound:
        """Return the error for a name that a caller with these roles cannot use."""
        ...

    def resources_for(
        self, roles: Iterable[str] | None, call: Call | None = None
    ) -> list[Resource]:
        """Return the resources that a caller with these roles may read."""
        ...

    def find_resource(
        self, uri: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> tuple[Resource, dict[str, str]] | None:
        """Return the resource that a caller with these roles reads at a URI, and its variables."""
        ...

    def is_hidden(self, uri: str, roles: Iterable[str] | None, call: Call | None = None) -> bool:
        """Return whether a URI has a resource that a caller with these roles may not read."""
        ...

    def prompts_for(self, roles: Iterable[str] | None, call: Call | None = None) -> list[Prompt]:
        """Return the prompts that a caller with these roles may get."""
        ...

    def find_prompt(
        self, name: str, roles: Iterable[str] | None, call: Call | None = None
    ) -> Prompt | None:
        """Return a prompt that a caller with these roles may get."""
        ...

    def offers(
        self, offered: Resource | Prompt, roles: Iterable[str] | None, call: Call | None
    ) -> bool:
        """Return whether a caller may use a resource or a prompt."""
        ...

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
        ...

    def to_mcp_json(
        self,
        protocol: str = ...,
        roles: Iterable[str] | None = None,
        call: Call | None = None,
    ) -> bytes:
        """Return the list of tools."""
        ...

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
    ) -> Result:
        """Call a tool that the caller may use: it was found by `usable`."""
        ...

    async def read_resource(
        self, resource: Resource, values: Mapping[str, str], call: Call | None = None
    ) -> Result:
        """Read a resource."""
        ...

    async def get_prompt(
        self, prompt: Prompt, values: Mapping[str, str] | None, call: Call | None = None
    ) -> Result:
        """Get the messages of a prompt."""
        ...

    def completions(self, owner: Tool, argument: str, begun: str) -> list[str]:
        """Return the possible values of an argument that begins with this text."""
        ...

    def on_change(self, listener: Callable[[str, str], object]) -> Callable[[], None]:
        """Call a function at each change; return a function that ends this."""
        ...

    def open_store(self) -> None:
        """Open the store, if one is named. Raises `StoreError`."""
        ...

    async def enter(self) -> None:
        """Enter the lifespan. Raises whatever entering it raises."""
        ...

    def busy(self) -> AbstractContextManager[object]:
        """Keep it open while anything in it runs."""
        ...

    def close(self) -> None:
        """Close it, in a thread that may wait."""
        ...

    async def aclose(self) -> None:
        """Close it."""
        ...
