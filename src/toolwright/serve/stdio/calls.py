"""The calls of a stdio client that the short path runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...arguments.sample import is_large
from ...errors import CallError
from ...outcome.failure import failed
from ...refusals import Refused
from ...run.current import asked, asked_by
from ...run.threads import ThreadJob, threads
from ..access.quotas import MOST_RUNNING, too_many
from ..lifecycle import STOPPED, refusal
from ..plain_run import PlainRun
from ..sender import USER

if TYPE_CHECKING:
    from ...call import Call
    from ..offering import Live, Offering
    from ..short_path import ClientProfile, PlainCall, ShortPath
    from .lines import Writer


class StdioCall(PlainRun):
    """One call that runs."""

    held: Any = None
    """The context that keeps the toolbox open for it."""
    job: ThreadJob | None = None
    """The job that runs it, if it runs in a thread."""
    running: asyncio.Task[None] | None = None
    """The task that runs it, if it runs on the loop."""

    def __init__(
        self,
        task: PlainCall,
        calls: StdioCalls,
        profile: ClientProfile | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(task, calls.box, USER, profile, loop)
        self.calls = calls

    def send(self, line: bytes) -> bool:
        """Write a notification, unless too much waits for the client already."""
        return self.calls.writer.notify(line)

    def hand_over(self) -> None:
        """Give the request to the SDK."""
        self.calls.hand_over(self)

    def let_go(self) -> None:
        """Let the toolbox be closed: the call has ended."""
        hold, self.held = self.held, None
        if hold is not None:
            hold.__exit__(None, None, None)

    def cancel(self) -> None:
        """Stop it, if it can be stopped; a cancelled call is not answered."""
        super().cancel()
        if self.running is not None:
            self.running.cancel()
        elif self.job is not None and threads.give_up(self.job):
            self.calls.forget(self)  # it has not started, and never will


class StdioCalls:
    """Starts calls, and answers each in whatever thread it ended.

    A sync tool runs in a thread that writes its answer itself; only what must be awaited needs the
    event loop.
    """

    def __init__(
        self,
        box: Live,
        writer: Writer,
        short_path: ShortPath,
        take_over: Callable[[StdioCall], None],
    ) -> None:
        self.box = box
        self.writer = writer
        self.short_path = short_path
        self.take_over = take_over
        """Gives a call to the SDK."""
        self.running: dict[Any, StdioCall] = {}
        self.unwritten: set[StdioCall] = set()
        """Calls whose answer is not written yet, though they may have ended."""

    def start(
        self, task: PlainCall, profile: ClientProfile | None, loop: asyncio.AbstractEventLoop
    ) -> None:
        """Start a call; the profile of its client is None if its request carries it."""
        if len(self.running) >= MOST_RUNNING:
            busy = too_many()
            self.box.now.refused(Refused("tool", busy.code, task.runner.name))
            self.writer.write(self.short_path.finished(task, failed(busy)))
            return
        run = self.running[task.id] = StdioCall(task, self, profile, loop)
        self.unwritten.add(run)
        box = self.box.now
        if self.box.is_live:  # other toolboxes stay open until the server ends
            run.held = self.box.busy()
            box = run.held.__enter__()
        # A listener to progress, and hooks, need the call from the beginning.
        tells = task.token is not None and task.runner.may_tell
        is_wrapped = box.is_wrapped()
        call = run.made() if tells or is_wrapped else None
        runner = task.runner
        if is_wrapped or not runner.needs_no_loop:
            with asked_by(run):
                loop.call_soon_threadsafe(self._await, run, call, box)
        elif runner.inline and not is_large(task.arguments):
            with asked_by(run):
                result = runner.call(task.arguments, call)
            self.done(run, result)
        else:
            self._start_thread(run, call)

    def _start_thread(self, run: StdioCall, call: Call | None) -> None:
        task, runner = run.task, run.task.runner

        def work() -> Any:
            asked.set(run)  # the context is the job's own
            return runner.call(task.arguments, call)

        def settle(result: Any, failure: BaseException | None) -> None:
            self.done(run, result, failure)

        try:
            run.job = threads.start(work, settle)
        except CallError as error:
            self.done(run, failed(error))

    def _await(self, run: StdioCall, call: Call | None, box: Offering) -> None:
        async def go() -> None:
            try:
                name, sent = run.task.runner.name, run.task.arguments
                self.done(run, await box.call(name, sent, call))
            finally:
                run.running = None  # they refer to each other
                self.forget(run)

        if run.cancelled:  # before it was started
            self.forget(run)
        else:
            run.running = run.loop.create_task(go())

    def done(self, run: StdioCall, result: Any, failure: BaseException | None = None) -> None:
        """Answer a call, in whatever thread it ended; a cancelled one is never answered.

        (2026-07-28, basic/transports/stdio, Cancellation.)
        """
        task = run.task
        if failure is not None:
            result = task.runner.failure_of(failure, ())
        if run.held is not None:
            run.let_go()
        if run.ended(result):
            run.loop.call_soon_threadsafe(self._settle, run, result)
            return
        if self._removed(run) and not run.cancelled:
            if run.unsent and (lost := run.lost()) is not None:
                self.writer.write(lost)
            self.writer.write(self.short_path.finished(task, result))
        self.unwritten.discard(run)

    def _settle(self, run: StdioCall, result: Any) -> None:
        run.settle(result)
        self._removed(run)
        self.unwritten.discard(run)

    def hand_over(self, run: StdioCall) -> None:
        """Give a call to the SDK, which answers it from now on."""
        self._removed(run)
        self.take_over(run)
        self.unwritten.discard(run)

    def forget(self, run: StdioCall) -> None:
        """Forget a call that has ended."""
        self._removed(run)
        run.let_go()
        if not run.is_taken:
            self.unwritten.discard(run)

    def _removed(self, run: StdioCall) -> bool:
        """Remove a call, whose id another one may have by now; return whether it was known."""
        number = run.task.id
        return self.running.get(number) is run and self.running.pop(number, None) is run

    def stop(self) -> None:
        """Answer every call that still runs with an error."""
        for number in list(self.running):
            run = self.running.pop(number, None)
            if run is not None and not run.cancelled:
                run.cancel()
                self.writer.write(refusal(number, STOPPED))

    def cancel(self, number: Any) -> bool:
        """Cancel a call; return whether it runs here."""
        run = self._find(number)
        if run is None:
            return False
        with run.lock:
            if run.is_taken:
                return False
            run.cancelled = True
        run.loop.call_soon_threadsafe(run.cancel)
        return True

    def _find(self, number: Any) -> StdioCall | None:
        """Return a running call; like the SDK, accept its numeric id as text."""
        if isinstance(number, bool) or not isinstance(number, int | str):
            return None
        run = self.running.get(number)
        if run is None and isinstance(number, str) and number.isdecimal():
            run = self.running.get(int(number))
        return run
