"""Calls tools as a client would, and keeps a record."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from ...call import Call
from ...errors import Overloaded, SchemaError
from ...questions import CannotAsk, Question
from ...run.loop import background

if TYPE_CHECKING:
    from ...results import Result
    from ...tools.definition import Tool

TIMEOUT = 30.0
"""How many seconds a call may take by default."""
_MOST_WAITED = 2.0
_MOST_WAITS = 20
MOST_CALLS = 1_000_000
"""How many calls are kept: more would fill the memory in an endless run."""


class TrialBox(Protocol):
    """What these tests need of a toolbox."""

    name: str

    def __getitem__(self, name: str, /) -> Tool:
        """Return a tool. Raises `ToolNotFound`."""
        ...

    def __iter__(self) -> Iterator[str]:
        """Yield the names of all tools."""
        ...

    def is_enabled(self, name: str) -> bool:
        """Return whether a tool is listed."""
        ...

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool."""
        ...


class TrialCall(NamedTuple):
    """One call that was made."""

    tool: str
    given: tuple[str, ...]
    """The names of its arguments."""
    seconds: float
    is_error: bool
    size: int
    """Characters of the text that came back."""


class Watcher(Protocol):
    """Is told before and after each call, for a process that a tool cannot end."""

    def begin(self, tool: str, arguments: Mapping[str, Any], seconds: float) -> None:
        """Note that a call begins, and how long it may take."""
        ...

    def end(self) -> None:
        """Note that the call has returned."""
        ...


class TrialCalls:
    """Calls the tools of a toolbox, each within its time limit, and keeps a record."""

    def __init__(
        self, box: TrialBox, *, timeout: float = TIMEOUT, watcher: Watcher | None = None
    ) -> None:
        self.box = box
        self.timeout = timeout
        self.watcher = watcher
        self.made: list[TrialCall] = []
        self.on_result: Callable[[str, Result], object] | None = None
        """Called with each result."""

    def call(self, name: str, arguments: Mapping[str, Any], timeout: float | None = None) -> Result:
        """Call a tool; wait for a rate limit, as a client would."""
        tool = self.box[name]
        seconds = self.timeout if timeout is None else timeout
        if self.watcher is not None:
            self.watcher.begin(name, arguments, seconds)
        started = time.perf_counter()
        result = self._once(tool, name, arguments, seconds)
        for _ in range(_MOST_WAITS):
            refused = result.error
            if not isinstance(refused, Overloaded) or refused.retry_after > _MOST_WAITED:
                break
            time.sleep(refused.retry_after)
            started = time.perf_counter()
            result = self._once(tool, name, arguments, seconds)
        took = time.perf_counter() - started
        if self.watcher is not None:
            self.watcher.end()
        trial_call = TrialCall(name, tuple(arguments), took, result.is_error, len(result.text))
        if len(self.made) < MOST_CALLS:
            self.made.append(trial_call)
        if self.on_result is not None:
            self.on_result(name, result)
        return result

    def _once(self, tool: Tool, name: str, arguments: Mapping[str, Any], seconds: float) -> Result:
        async def call() -> Result:
            # Whoever tests tools may call all of them.
            roles = tool.options.roles or ()
            context = Call(name, caller="test", roles=roles, timeout=seconds, asker=_Nobody())
            return await self.box.call_async(name, arguments, call=context)

        return background.run(call())


class _Nobody:
    """A client that cannot be asked for anything."""

    abilities = frozenset[str]()

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Refuse."""
        raise CannotAsk(sorted({question.ability for question in requests.values()}))


def usable_tools(box: TrialBox) -> dict[str, Tool]:
    """Return the tools that are listed and compile, by name."""
    usable: dict[str, Tool] = {}
    for name in box:
        if not box.is_enabled(name):
            continue
        tool = box[name]
        try:
            tool.compile()
        except SchemaError:
            continue  # whoever loads a toolbox says so
        usable[name] = tool
    return usable
