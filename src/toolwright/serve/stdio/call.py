"""One call of a stdio client while it runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ...run.threads import ThreadJob, threads
from ..plain_run import PlainRun

if TYPE_CHECKING:
    from ..short_path import ClientProfile, PlainCall
    from .calls import StdioCalls


class StdioCall(PlainRun):
    """One call that runs."""

    def __init__(
        self,
        task: PlainCall,
        calls: StdioCalls,
        profile: ClientProfile | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(task, calls.box, profile, loop)
        self.calls = calls
        self.held: Any = None
        """What keeps the toolbox open for it."""
        self.job: ThreadJob | None = None
        """The thread that runs it, or"""
        self.running: asyncio.Task[None] | None = None
        """the task that does."""

    def send(self, line: bytes) -> bool:
        """Write a notification, unless too much waits for the client already."""
        return self.calls.writer.notify(line)

    def hand_over(self) -> None:
        """Give the request to the SDK."""
        self.calls.hand_over(self)

    def let_go(self) -> None:
        """Let the toolbox be closed: the call has ended."""
        held, self.held = self.held, None
        if held is not None:
            held.__exit__(None, None, None)

    def cancel(self) -> None:
        """Stop it, if it can be stopped; a cancelled call is not answered."""
        super().cancel()
        if self.running is not None:
            self.running.cancel()
        elif self.job is not None and threads.give_up(self.job):
            self.calls.forget(self)  # it has not started, and never will
