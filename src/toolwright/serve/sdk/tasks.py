"""Long calls as tasks, which clients poll for (SEP-2663).

A call becomes a task when it has run for a moment; what it asks its caller before that is asked as
in any other call.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import mcp_types as t
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import decode_header_value
from pydantic import Field
from pydantic_core import to_json

from ..._json_values import is_object
from ..._log import log
from ..._protocol import STATELESS_SINCE, TASKS_EXTENSION
from ...errors import CallCancelled, ToolError
from ...questions import Question
from ..access.quotas import TaskShares
from .calls import handed_with
from .questions import AskByRepeating
from .task_records import OVER, TaskRecord, TaskRecords, open_task_records, shown

if TYPE_CHECKING:
    from ..offering import Live

HEADER_MISMATCH = -32020
_HOLD = 0.2
"""Seconds for which a caller waits before their call becomes a task."""
_POLL_MS = 500
_TELL = 0.5
"""Seconds between two progress updates."""
_STOPPED = "the server was stopped while this task ran"


class TaskParams(t.RequestParams):
    """The parameters that every task method takes."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """Answers to what a task has asked."""

    input_responses: dict[str, Any] = Field(default_factory=dict, alias="inputResponses")


class RunningTask:
    """A call that is, or may become, a task of this process; it asks through the task."""

    def __init__(self, tasks: Tasks, ctx: Any, params: Any, abilities: frozenset[str]) -> None:
        self.tasks = tasks
        self.loop = asyncio.get_running_loop()
        self.abilities = abilities
        self.before = AskByRepeating(params)
        self.before.abilities = abilities
        self.number = ""
        self.sender = handed_with(ctx).sender
        self.client, self.owner = self.sender.client, self.sender.principal
        self.becoming: asyncio.Event | None = None
        """Set once it is decided whether the call is a task; None until that decision begins."""
        self.asked: dict[str, Question] = {}
        self.answers: dict[str, Any] = {}
        self.came = asyncio.Event()
        self.used: set[str] = set()
        self.far, self.told, self.is_telling = "", 0.0, False
        self.call = self.sender.made(
            ctx.request_id, tool=params.name, on_progress=self._progress, asker=self
        )
        self.work: asyncio.Task[Any] | None = None

    # -- asking

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Ask as any call does, or, once it is a task, write down what is asked, and wait."""
        if self.becoming is not None:
            await self.becoming.wait()
        if not self.number:
            return await self.before.ask(requests)
        answers: dict[str, Any] = {}
        missing = dict(requests)
        while missing:
            keys = {self._fresh(key): key for key in missing}
            came = await self._answered({name: missing[key] for name, key in keys.items()})
            for name, answer in came.items():
                key = keys[name]
                try:
                    answers[key] = missing[key].answer(answer)
                except ToolError:
                    raise
                except ValueError:
                    continue  # it is asked again, under another name
                del missing[key]
        return answers

    def _fresh(self, key: str) -> str:
        """Return a name that has not been used in this task."""
        name, count = key, 1
        while name in self.used:
            count += 1
            name = f"{key}-{count}"
        self.used.add(name)
        return name

    async def _answered(self, requests: dict[str, Question]) -> dict[str, Any]:
        sent = {
            name: {"method": question.method, "params": question.params()}
            for name, question in requests.items()
        }

        def ask(entry: TaskRecord) -> None:
            entry["status"] = "input_required"
            entry["inputRequests"] = sent

        self.answers = {}
        self.came.clear()
        self.asked = requests
        entry = await self.tasks.write(self.number, ask)
        if entry is None or entry["status"] in OVER:
            raise CallCancelled("the task ended before it was answered")
        while len(self.answers) < len(requests):
            await self.came.wait()
            self.came.clear()
        return self.answers

    def hear(self, answers: Mapping[str, Any]) -> None:
        """Take answers; called in any thread."""
        self.loop.call_soon_threadsafe(self._hear, dict(answers))

    def _hear(self, answers: dict[str, Any]) -> None:
        self.answers.update(
            {name: answer for name, answer in answers.items() if name in self.asked}
        )
        self.came.set()

    # -- telling

    def _progress(self, done: float, total: float | None, said: str) -> None:
        """Say in the status how far it is, but not too often; called in any thread."""
        far = f"{done:g}" if total is None else f"{done:g} of {total:g}"
        self.far = f"{far}: {said}" if said else far
        if self.number and not self.is_telling:
            self.is_telling = True
            self.loop.call_soon_threadsafe(self.tell)

    def tell(self) -> None:
        """Write down how far it is, when that is due; called in the loop."""
        self.is_telling = True
        self.loop.call_later(self.told + _TELL - time.monotonic(), self._tell)

    def _tell(self) -> None:
        self.is_telling = False  # first: what comes from now on is told later
        self.told = time.monotonic()
        far = {"statusMessage": self.far}
        self.tasks.write_soon(self.number, lambda entry: cast("Any", entry).update(far))

    def stop(self) -> None:
        """Stop it; called in the loop."""
        self.call.cancel()
        if self.work is not None:
            self.work.cancel()


class Tasks:
    """The tasks of one server."""

    def __init__(self, box: Live) -> None:
        self.box = box
        self.running: dict[str, RunningTask] = {}
        self.shares = TaskShares(box.now.about.keep_tasks)
        self._records: TaskRecords | None = None
        self._background: set[asyncio.Task[Any]] = set()

    async def records(self) -> TaskRecords:
        """Return the task records, which are opened when first needed."""
        if self._records is None:
            about = self.box.now.about
            where, keep = about.tasks, about.keep_tasks
            opened = await asyncio.to_thread(open_task_records, where, about.name, keep)
            self._records = self._records or opened
        return self._records

    # -- running

    async def run(
        self, running: RunningTask, work: Callable[[], Awaitable[Any]], finish: Callable[[Any], Any]
    ) -> Any:
        """Run a call; return its result, or the task that it has become."""
        future = running.work = asyncio.ensure_future(work())
        future.add_done_callback(lambda _: self.shares.end(running.client))
        try:
            await asyncio.wait({future}, timeout=_HOLD)
            if future.done():
                return finish(await future)
            entry = await self._begun(running)
            if entry is None or future.done():
                return finish(await future)
        except BaseException:  # the client has left: it could not ask for the task
            running.stop()
            raise
        number = entry["taskId"]
        self.running[number] = running
        (await self.records()).beat(self._look)
        self._keep(self._finished(number, future, finish))
        return {"resultType": "task", **shown(entry)}

    async def _begun(self, running: RunningTask) -> TaskRecord | None:
        """Write a task down; None if that fails or the call ended: its caller gets the result."""
        running.becoming = asyncio.Event()  # what it asks from now on waits for this
        try:
            records = await self.records()
            far = running.far
            entry = await asyncio.to_thread(records.create, running.owner, _POLL_MS, far)
            if running.work is not None and running.work.done():
                await asyncio.to_thread(records.forget, entry["taskId"])
                return None
            running.number = entry["taskId"]
            if running.far != far:
                running.tell()
        except OSError as error:
            log.error("a task cannot be saved: %s", error)
            return None
        finally:
            running.becoming.set()
        return entry

    async def _finished(
        self, number: str, work: asyncio.Future[Any], finish: Callable[[Any], Any]
    ) -> None:
        """Write down how a task ended."""
        try:
            result = finish(await work)
            result.pop("resultType", None)
            status, more = "completed", {"result": result}
        except asyncio.CancelledError:
            status, more = "cancelled", {}
        except MCPError as error:
            status, more = "failed", {"error": error.error.model_dump(exclude_none=True)}
        except Exception as error:  # noqa: BLE001 - a task always ends
            log.error("a task failed unexpectedly", exc_info=error)
            failure = {"code": t.INTERNAL_ERROR, "message": "the task failed unexpectedly"}
            status, more = "failed", {"error": failure}
        try:
            await self._end(number, status, more)
        finally:
            task = self.running.pop(number)
            self.shares.keep(task.client, len(to_json(more, fallback=str)))

    async def _end(self, number: str, status: str, more: dict[str, Any]) -> None:
        """Write down how a task ended, trying again for as long as that fails."""
        records = await self.records()
        pause = 0.5
        while True:
            try:
                await asyncio.to_thread(lambda: records.end(number, status, **more))
            except OSError as error:
                log.error("the end of a task cannot be saved yet: %s", error)
                await asyncio.sleep(pause)
                pause = min(pause * 2, 30)
            else:
                return

    def _keep(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    async def write(self, number: str, make: Callable[[TaskRecord], None]) -> TaskRecord | None:
        """Change what is written about a task; return it as it is then."""
        records = await self.records()
        return await asyncio.to_thread(records.change, number, make)

    def write_soon(self, number: str, make: Callable[[TaskRecord], None]) -> None:
        """Change it without waiting; called in the loop."""
        self._keep(self.write(number, make))

    def _look(self) -> bool:
        """Check what another process has written about our tasks; called in the beating thread.

        Return whether any tasks run.
        """
        records = self._records
        for number, running in list(self.running.items()):
            entry = None if records is None else records.read(number, running.owner)
            if entry is None or entry["status"] in OVER:
                running.loop.call_soon_threadsafe(running.stop)
            elif entry["_answers"]:
                running.hear(entry["_answers"])
        return bool(self.running)

    async def close(self) -> None:
        """End the server's tasks: those that still run have failed."""
        records = self._records
        if records is None:
            return
        error = {"code": t.INTERNAL_ERROR, "message": _STOPPED}
        for number, running in list(self.running.items()):
            await asyncio.to_thread(records.end, number, "failed", error=error)
            running.stop()
        for task in list(self._background):
            await asyncio.wait({task}, timeout=1)
        await asyncio.to_thread(records.close)

    # -- methods

    async def get(self, ctx: Any, params: TaskParams) -> Any:
        """Answer `tasks/get`."""
        _, entry = await self._found(ctx, params)
        return shown(entry)

    async def update(self, ctx: Any, params: UpdateParams) -> Any:
        """Answer `tasks/update`: take answers to what the task has asked."""
        records, entry = await self._found(ctx, params)
        responses = params.input_responses
        requests = entry.get("inputRequests", {})
        answers = {
            name: response
            for name, response in responses.items()
            if name in requests and is_object(response)
        }

        def take(entry: TaskRecord) -> None:
            open_requests = entry.get("inputRequests", {})
            for name, answer in answers.items():
                if open_requests.pop(name, None) is not None:
                    entry["_answers"][name] = answer
            if not open_requests and entry["status"] == "input_required":
                entry["status"] = "working"
                entry.pop("inputRequests", None)

        if answers:
            await _told(records.change, params.task_id, take)
            running = self.running.get(params.task_id)
            if running is not None:
                running.hear(answers)
        return {}

    async def cancel(self, ctx: Any, params: TaskParams) -> Any:
        """Answer `tasks/cancel`; a task that has ended stays as it is."""
        records, entry = await self._found(ctx, params)
        if entry["status"] not in OVER:
            await _told(records.end, params.task_id, "cancelled")
        running = self.running.get(params.task_id)
        if running is not None:
            running.stop()
        return {}

    async def _found(self, ctx: Any, params: TaskParams) -> tuple[TaskRecords, TaskRecord]:
        """Return a task of the caller. Raises `MCPError`."""
        if ctx.protocol_version < STATELESS_SINCE:
            raise MCPError(code=t.METHOD_NOT_FOUND, message="Method not found")
        if not can_take_tasks(ctx):
            raise needs_tasks()
        headers = getattr(ctx.request, "headers", None)
        if headers is not None:  # HTTP, where `Mcp-Name` has to repeat the id (SEP-2663)
            header = headers.get("mcp-name")
            if header is None or decode_header_value(header) != params.task_id:
                raise MCPError(code=HEADER_MISMATCH, message="Mcp-Name is not the task's id")
        try:
            records = await self.records()
        except OSError as error:
            raise _unreadable(error) from error
        entry = await _told(records.read, params.task_id, handed_with(ctx).sender.principal)
        if entry is None:
            raise MCPError(code=t.INVALID_PARAMS, message="Task not found")
        return records, entry


async def _told(work: Callable[..., Any], *given: Any) -> Any:
    """Do something with the store for a client. Raises `MCPError`."""
    try:
        return await asyncio.to_thread(work, *given)
    except OSError as error:
        raise _unreadable(error) from error


def _unreadable(error: OSError) -> MCPError:
    log.error("tasks cannot be read or written: %s", error)
    return MCPError(code=t.INTERNAL_ERROR, message="tasks cannot be read now: try again later")


def can_take_tasks(ctx: Any) -> bool:
    """Return whether a request says that its client supports tasks (SEP-2663)."""
    if ctx.protocol_version < STATELESS_SINCE:
        return False
    capabilities = ctx.session.client_capabilities
    return capabilities is not None and TASKS_EXTENSION in (capabilities.extensions or {})


def needs_tasks(tool: str = "") -> MCPError:
    """Return the error for a client that has not declared tasks: -32021 (SEP-2663)."""
    wait = 'with task=True instead of task="required" it would wait'
    reason = f"`{tool}` runs only as a task, and this client does not know tasks: {wait}"
    return MCPError(
        code=t.MISSING_REQUIRED_CLIENT_CAPABILITY,
        message=reason if tool else "this needs a client that knows tasks",
        data={"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}},
    )
