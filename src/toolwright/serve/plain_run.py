"""A running plain call, and its way to the SDK.

Whether a tool asks its client shows only while it runs. Until then the short path runs it, and
writes its progress and log messages. When it asks, the SDK gets the request as if it had just come,
with this object beside it: the SDK then does not run the tool but waits for its result, and the
question goes out as if the SDK had run it from the beginning.
"""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from .._protocol import STATELESS_SINCE
from ..call import end
from ..errors import CallCancelled, CallError
from ..questions import CannotAsk, InputNeeded, Question
from ..run.pipe import sendable
from .short_path import ClientProfile, PlainCall, logged, progress

if TYPE_CHECKING:
    from ..call import Call
    from ..results import Result
    from .offering import Live
    from .sender import Sender


class PlainRun(ABC):
    """One plain call that runs; it is the asker of its `Call`, and asks for what runs (`Asking`)."""

    call: Call | None = None
    """Made when something first needs it."""
    cancelled = False
    answered = False
    is_taken = False
    """Whether the SDK answers it."""
    adopter: Call | None = None
    """The call that the SDK has made for it: this one reports and asks through it."""
    unsent = 0
    """How many log messages were dropped because the client reads too slowly."""
    _adopted: asyncio.Future[Call | None] | None = None
    _result: asyncio.Future[Result] | None = None

    def __init__(
        self,
        task: PlainCall,
        box: Live,
        sender: Sender,
        profile: ClientProfile | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.task = task
        self.box = box
        self.sender = sender
        self.holder = sender.holder
        self.loop = loop
        self.lock = threading.Lock()
        """Held while anything is sent, so that nothing follows the answer."""
        self._profile = profile

    # -- what a transport does

    @abstractmethod
    def send(self, line: bytes) -> bool:
        """Send a notification soon; return False if it is dropped. Called in any thread."""

    @abstractmethod
    def hand_over(self) -> None:
        """Give the request to the SDK, on the event loop."""

    @property
    def leaving(self) -> Callable[[], Awaitable[object]] | None:
        """What hangs up, for clients that come back for the result."""
        return None

    def ended(self, result: Result) -> bool:
        """Stop reporting; return whether the SDK must be given the result."""
        # The two refer to each other: let go, so that nothing waits for the garbage collector.
        if (call := self.call) is not None:
            self.call = None
            end(call)
        with self.lock:
            if result.error is not None and needs_sdk(self.task, result):
                self.is_taken = True
            self.answered = not self.is_taken
            return self.is_taken

    # -- the call

    def made(self) -> Call:
        """Return the call."""
        with self.lock:
            if self.call is None:
                task = self.task
                self.call = self.sender.made(
                    task.id,
                    on_progress=None if task.token is None else self._progress,
                    # A server declares beforehand whether it sends log messages (2025-11-25,
                    # server/utilities/logging), but not for what only a helper of a tool might log.
                    on_log=self._log if task.runner.sees_call else None,
                    asker=self,
                    hang_up=self.leaving,
                )
                if self.cancelled:
                    self.call.cancel()
            return self.call

    def cancel(self) -> None:
        """Stop it, if it can be stopped."""
        with self.lock:
            self.cancelled = True
            call = self.call
        if call is not None:
            call.cancel()

    # -- reporting

    @property
    def profile(self) -> ClientProfile:
        """What its client wants."""
        if self._profile is None:
            self._profile = self.task.profile()
        return self._profile

    def _progress(self, done: float, total: float | None, said: str) -> None:
        if self.adopter is None:
            line = progress(self.task.token, done, total, said)
            with self.lock:
                if self.adopter is None:
                    self._send(line)
                    return
        self.adopter.progress(done, total, said)

    def _log(self, level: Any, said: Any, logger: str | None = None) -> None:
        if self.adopter is None:
            is_wanted = self.profile.wants(level)
            line = (
                logged(level, sendable(said), logger or self.box.now.about.name)
                if is_wanted
                else b""
            )
            with self.lock:
                if self.adopter is None:
                    self.unsent += is_wanted and not self._send(line)
                    return
        self.adopter.log(said, level, logger)

    def _send(self, line: bytes) -> bool:
        # A token may belong to another call once this one is answered (2026-07-28,
        # basic/patterns/progress).
        return self.answered or self.cancelled or self.send(line)

    def lost(self) -> bytes | None:
        """Return a log message that says how many were dropped; None if none was."""
        if not self.unsent:
            return None
        notice = f"{self.unsent} log messages were not sent: the client reads too slowly"
        return logged("warning", notice, self.box.now.about.name)

    # -- asking

    @property
    def abilities(self) -> frozenset[str]:
        """What its client can be asked for."""
        return self.profile.abilities

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Let the SDK take over, and ask. Raises `InputNeeded` or `CallError`."""
        if asyncio.get_running_loop() is self.loop:
            return await self._ask(requests)
        # A sync tool may have returned a coroutine, which another loop runs.
        future = asyncio.run_coroutine_threadsafe(self._ask(requests), self.loop)
        return await asyncio.wrap_future(future)

    async def _ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        call = await self.taken_over()
        if call is None:
            raise CallError("the client could not be asked")
        return await call.request(**requests)

    async def taken_over(self) -> Call | None:
        """Wait until the SDK has taken over; return its call, or None if it did not.

        Raises `CallCancelled`.
        """
        if self._adopted is None:
            with self.lock:
                if self.answered or self.cancelled:
                    raise CallCancelled("the call has ended, nobody can be asked")
                self.is_taken = True
            self._adopted = self.loop.create_future()
            self._result = self.loop.create_future()
            self.hand_over()
        return await asyncio.shield(self._adopted)

    # -- what the SDK does with it

    async def go_on(self, _params: Any, call: Call) -> Result:
        """Return the result once the tool has ended; until then it reports through `call`."""
        assert self._adopted is not None  # noqa: S101 - it was handed over
        assert self._result is not None  # noqa: S101
        with self.lock:
            self.adopter = call
        if not self._adopted.done():
            self._adopted.set_result(call)
        try:
            return await self._result
        except asyncio.CancelledError:
            self.cancel()
            raise

    def settle(self, result: Result) -> None:
        """Give the SDK the result, on the event loop, and the request if it does not have it."""
        if self._adopted is None:  # nothing was asked, but only the SDK can answer it
            if self.cancelled:
                return
            self._adopted = self.loop.create_future()
            self._result = self.loop.create_future()
            self.hand_over()
        if self._result is not None and not self._result.done():
            self._result.set_result(result)

    def abandon(self) -> None:
        """End it if the SDK has answered the request, or given it up, without taking over."""
        if self._adopted is not None and not self._adopted.done():
            self._adopted.set_result(None)
            self.cancel()


def needs_sdk(task: PlainCall, result: Result) -> bool:
    """Return whether a result is to be written as a question, or as an error of the protocol."""
    error = result.error
    if error is None:
        return False
    if isinstance(error, CannotAsk):
        return task.protocol >= STATELESS_SINCE
    return type(error.__cause__) is InputNeeded
