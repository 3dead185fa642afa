"""What a server needs of a toolbox."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from ..call import Call
from ..definition import Tool
from ..prompts import Prompt
from ..resources import Resource
from ..results import Result
from ..run.pipeline import Runner
from ..store import Store


class Box(Protocol):
    """A toolbox, as it is served."""

    name: str
    version: str
    instructions: str
    page_size: int | None
    tasks: str | Store | None
    keep_tasks: float
    resources: dict[str, Resource]
    prompts: dict[str, Prompt]

    @property
    def is_live(self) -> bool:
        """Whether it may be exchanged for one that offers other things."""
        ...

    @property
    def has_tasks(self) -> bool:
        """Whether a call of any tool may become a task."""
        ...

    @property
    def sees_calls(self) -> bool:
        """Whether anything here gets a `Call`."""
        ...

    @property
    def is_wrapped(self) -> bool:
        """Whether calls go through hooks or a lifespan."""
        ...

    def __getitem__(self, name: str, /) -> Tool: ...

    def is_enabled(self, name: str) -> bool:
        """Tell whether a tool is listed. Raises `ToolNotFound`."""
        ...

    def runner(self, name: str) -> Runner:
        """Return what runs a tool. Raises `CallError`."""
        ...

    def to_mcp_json(self, protocol: str = ..., roles: Iterable[str] | None = None) -> bytes:
        """Return the list of tools."""
        ...

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
    ) -> Result:
        """Call a tool."""
        ...

    def completions(self, owner: Tool, argument: str, begun: str) -> list[str]:
        """Return what an argument may be that begins so."""
        ...

    def on_change(self, listener: Callable[[str, str], object]) -> None:
        """Tell somebody of changes."""
        ...

    def open_store(self) -> None:
        """Open the store, if one is named. Raises `StoreError`."""
        ...

    async def ready(self) -> None:
        """Enter the lifespan, unless that is done."""
        ...

    def busy(self) -> AbstractContextManager[object]:
        """Keep it open while something of it runs."""
        ...

    def close(self) -> None:
        """Close it, in a thread that may wait."""
        ...

    async def aclose(self) -> None:
        """Close it."""
        ...
