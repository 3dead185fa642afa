"""Requests, and what clients, proxies and sessions need of a connection."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

from ..._json_values import is_object
from ..._log import logger
from ..settings import ClientSettings


class ServerInfo(NamedTuple):
    """What a server says about itself."""

    name: str
    version: str = ""
    title: str = ""
    instructions: str = ""
    protocol: str = ""
    """The version of the protocol that is spoken."""


_log = logger("client")
Answerer = Callable[[str, str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
"""Answers a question of a server: gets a key, a method and its parameters."""


class RequestScope:
    """What belongs to one request while it waits for its answer."""

    __slots__ = (
        "answer",
        "answers",
        "as_task",
        "asked",
        "deadline",
        "is_call",
        "on_log",
        "on_progress",
        "questions",
        "seconds",
        "session",
        "what",
    )

    def __init__(
        self,
        what: str,
        seconds: float | None,
        *,
        on_progress: Callable[..., object] | None = None,
        on_log: Callable[..., object] | None = None,
        answer: Answerer | None = None,
    ) -> None:
        self.what = what
        """Its name in errors."""
        self.seconds = seconds
        self.on_progress = on_progress
        self.on_log = on_log
        self.answer = answer
        """Who answers the server's questions; None means whoever answers for the whole client."""
        self.as_task = False
        """Whether the tool has to be run as a task."""
        self.deadline: asyncio.Timeout | None = None
        self.is_call = False
        """Whether a server may ask something about it."""
        self.session: Any = None
        """The session that it was last sent in."""
        self.asked = 0
        """Questions that wait for an answer."""
        self.answers = 0
        """Questions that were answered, or refused."""
        self.questions = 0
        """Questions that the server has asked: the same ones, in their order, if it runs again."""

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Pass a step of progress on."""
        if self.on_progress is not None:
            await told(self.on_progress, done, total, message or "")

    async def reported(self, params: Mapping[str, Any]) -> None:
        """Pass a step of progress on, as a server has sent it."""
        done, total, text = (params.get(key) for key in ("progress", "total", "message"))
        if isinstance(done, int | float):
            of_all = total if isinstance(total, int | float) else None
            await self.progress(done, of_all, text if isinstance(text, str) else None)

    def pause(self) -> None:
        """Stop the clock: a person who is asked may take their time."""
        if self.deadline is not None and self.asked == 0:
            self.deadline.reschedule(None)
        self.asked += 1

    def go_on(self) -> None:
        """Start the clock again, from the beginning."""
        self.asked -= 1
        if self.deadline is not None and self.asked == 0 and self.seconds is not None:
            self.deadline.reschedule(asyncio.get_running_loop().time() + self.seconds)


current_scope: ContextVar[RequestScope | None] = ContextVar("current_scope", default=None)
"""The request that a message of a server belongs to, where the transport says so."""


def needs_task(definition: Mapping[str, Any]) -> bool:
    """Return whether a tool is run only as a task (2025-11-25, `execution.taskSupport`)."""
    execution = definition.get("execution")
    return is_object(execution) and execution.get("taskSupport") == "required"


async def told(listener: Callable[..., object], *said: Any) -> None:
    """Call a listener, and wait for it if it is async; its failure affects nobody else."""
    try:
        value = listener(*said)
        if inspect.isawaitable(value):
            await value
    except Exception:  # noqa: BLE001
        _log.exception("a listener failed")


class ServerList(NamedTuple):
    """One of a server's lists."""

    items: list[dict[str, Any]]
    """The items, as the server describes them."""
    faults: dict[str, str]
    """How items break the protocol, by name; the rest of the list is not affected."""


class AnyConnection(Protocol):
    """What a client needs of a connection."""

    settings: ClientSettings
    on_change: Callable[[str, str], object]
    is_local: bool
    """Whether it works on any loop, and need not be reached on the background loop."""

    async def info(self) -> ServerInfo:
        """Return what the server says about itself."""
        ...

    async def listed(self, kind: str) -> ServerList:
        """Return all tools, resources, templates or prompts."""
        ...

    async def send(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request from async code of any loop, and return its result."""
        ...

    async def pass_on(self) -> None:
        """Let a toolbox have what the server offers."""
        ...

    async def close(self) -> None:
        """End the connection."""
        ...
