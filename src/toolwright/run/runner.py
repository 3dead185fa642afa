"""Run one tool: the order of a call, sync and async.

Read the arguments (validate; else repair and validate again; else explain) -> run the target where
it belongs -> await what it returns and drain what it yields -> check, write and cap its value.
A tool that is injected, limited or observed goes through `limited`, which runs the same work.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import types
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from typing import Any, cast

from .._log import log
from ..arguments.reader import Arguments, Reader, Validated
from ..arguments.sample import is_large
from ..call import Call, blocks, current, running
from ..errors import ArgumentError, CallCancelled, CallError, SchemaError
from ..limits import Timeout
from ..options import Options
from ..outcome.failure import failed, is_a
from ..outcome.writer import BareWriter, ResultWriter
from ..read.target import is_async
from ..results import Repair, Result
from ..schema.write import Compiled
from .attempt import (
    PLAIN,
    AttemptInput,
    AwaitOnly,
    GeneratorDrain,
    Invocation,
    Invoker,
    ValueAndResult,
    is_awaitable,
    is_cancelled,
    is_deferred,
    settled_class,
)
from .cache import Cache, version_of
from .current import Outermost, looks_up, new_call
from .injection import Injector
from .limited import LimitedRunner
from .loop import LOOP, ShortWait, background
from .pool import ProcessInvoker
from .shared import Shared
from .threads import Raised
from .throttle import Concurrency, RateLimit


class UnlimitedRunner:
    """Runs the calls of one tool that has no limits."""

    def __init__(
        self,
        name: str,
        reader: Reader,
        work: Callable[[], Invocation],
        failure_of: Callable[..., Result],
    ) -> None:
        self.name = name
        self.reader = reader
        self.work = work
        self.failure_of = failure_of
        self.short_wait = ShortWait()

    def call(self, arguments: Arguments, call: Call | None) -> Result:
        """Run for a sync caller: in their own thread, unless something must be awaited."""
        try:
            work = self.work()
        except CallError as error:
            return failed(error)
        sync = work.sync
        if sync is None:
            return background.run(self.call_async(arguments, call))
        with running(call or new_call(self.name), self.name, None) as tracked:
            if tracked.cancelled:
                return failed(self._cancelled())
            try:
                validated, repairs = self.reader.read(arguments)
            except ArgumentError as error:
                return failed(error)
            except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
                return self.failure_of(error, (), tracked)
            if work.inline:
                blocks(tracked)
            return sync(AttemptInput(validated, arguments, None, repairs, tracked))[1]

    async def call_async(self, arguments: Arguments, call: Call | None) -> Result:
        """Run on the running loop; a sync target in a thread, unless it is inline."""
        try:
            work = self.work()
        except CallError as error:
            return failed(error)
        with running(call or new_call(self.name), self.name, None) as tracked:
            if tracked.cancelled:
                return failed(self._cancelled())
            try:
                large = is_large(arguments)
                read_arguments = self.reader.read_large if large else self.reader.read
                validated, repairs = (
                    await LOOP.use(read_arguments, arguments, blocking=True)
                    if large
                    else read_arguments(arguments)
                )
                job = AttemptInput(validated, arguments, None, repairs, tracked)
            except CallError as error:
                return failed(error)
            except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
                return self.failure_of(error, (), tracked)
            if work.sync is None:
                return await self._awaited(work, job)
            if work.inline:
                blocks(tracked)
                return work.sync(job)[1]
            return await self._in_thread(work, job)

    async def _in_thread(self, work: Invocation, job: AttemptInput) -> Result:
        call, sync = job.call, work.sync
        assert sync is not None  # noqa: S101 - the caller has checked
        try:
            future = self.short_wait.run(lambda: sync(job), caller=call.caller)
        except CallError as error:
            return failed(error, job.repairs)
        forget = call.on_cancel(_on_loop(future.get_loop(), future.cancel))
        try:
            return (await future)[1]
        except asyncio.CancelledError:
            call.cancel()  # so that the thread, which goes on, can see it
            if is_cancelled():
                raise
            return failed(self._cancelled(), job.repairs)
        except Raised as raised:
            return self.failure_of(raised.error, job.repairs, call)
        finally:
            forget()

    async def _awaited(self, work: Invocation, job: AttemptInput) -> Result:
        """Run async work in a task of its own.

        What a tool does with its cancellation must not reach whoever cancels: anyio recognises its
        own cancellations by their text.
        """
        call = job.call
        assert work.waits is not None  # noqa: S101 - one of the two is there
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()

        def wake(ended: Any = None) -> None:
            _running.discard(ended)
            if not over.done():
                over.set_result(None)

        task = loop.create_task(_waking(work.waits, job, wake))
        _running.add(task)
        task.add_done_callback(wake)  # it may be cancelled before it begins
        forget = call.on_cancel(_on_loop(loop, wake))
        try:
            await over
        except asyncio.CancelledError:
            call.cancel()
            task.cancel()
            if work.stops:  # the caller who cancels waits for its end, as if they awaited it
                await asyncio.wait((task,))
            raise
        finally:
            forget()
        if not task.done() or task.cancelled():
            task.cancel()
            return self.failure_of(self._cancelled(), job.repairs, call)
        return task.result()[1]

    def _cancelled(self) -> CallCancelled:
        return CallCancelled(f"{self.name}: the call was cancelled")


async def _waking(
    waits: Callable[[AttemptInput], Coroutine[Any, Any, ValueAndResult]],
    job: AttemptInput,
    wake: Callable[[], object],
) -> ValueAndResult:
    """Wake the caller in the last step of the work: a task does so one round of the loop later."""
    try:
        return await waits(job)
    finally:
        wake()


def _on_loop(
    loop: asyncio.AbstractEventLoop, function: Callable[[], object]
) -> Callable[[], object]:
    """Return a function that schedules another one on a loop, from any thread."""

    def call() -> None:
        with contextlib.suppress(RuntimeError):  # a closed loop: no one is waiting
            loop.call_soon_threadsafe(function)

    return call


_running: set[asyncio.Task[Any]] = set()
"""Tasks whose callers may have given up: the event loop itself holds only weak references."""


class Runner:
    """Runs one tool, and holds everything that can be known before a call."""

    def __init__(
        self,
        name: str,
        target: Callable[..., Any],
        compiled: Compiled,
        options: Options,
        home: Shared | None = None,
        *,
        bare: bool = False,
    ) -> None:
        """Prepare everything; with `bare`, results have the target's own value and nothing else."""
        bare = bare and options.run_on in ("thread", "inline")  # the others send JSON
        if bare and options.cache is not None:
            options = replace(options, cache=None)  # it keeps JSON
        self.name = name
        self.target = target
        self.compiled = compiled
        self.options = options
        self.home = home or Shared()
        self.reader = Reader(name, compiled, repair=options.repair)
        self.read = self.reader.read
        self.bind = None if compiled.plan.by_name_only else compiled.plan.bind
        self.outcome = (BareWriter if bare else ResultWriter)(name, compiled, options)
        self.result_of = self.outcome.of
        self.failure_of = self.outcome.failure_of
        # What was injected is closed when the call ends: a generator may need it until its end.
        waits_only = bare and not compiled.plan.injected
        drain = AwaitOnly if waits_only else GeneratorDrain
        self.drain = drain(name, joins=compiled.text_output, most=options.max_result)
        self.settled = settled_class(compiled.output_hint)
        self.is_async = is_async(target)
        self.outermost = Outermost(name)
        self.short_wait = ShortWait()
        self.inline = options.run_on == "inline" and not self.is_async
        self.is_limited = self._has_limits(options)
        self.is_plain = not self.is_limited and not compiled.plan.injected
        if self.is_limited:
            _ = self.limited  # made now: two threads must never make two, each with its own permits

    def call(self, arguments: Arguments = None, call: Call | None = None) -> Result:
        """Run the tool on the caller's thread; an async one on the background loop."""
        if call is not None or not self.is_plain:
            return self._observed(call).call(arguments, call)
        if self.is_async:
            return background.run(self.call_async(arguments))
        try:
            validated, repairs = self.read(arguments)
        except ArgumentError as error:
            return failed(error)
        except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
            return self.failure_of(error, ())
        token = current.set(self.outermost if current.get() is None else self.name)
        try:
            value = self.target(**validated) if self.bind is None else self.called(validated)
            kind: type[Any] = value.__class__
            if kind not in PLAIN and kind is not self.settled and is_deferred(value):
                value = self.drain.drained(value, None)
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises is a result
            return self.failure_of(error, repairs, _looked_up())
        finally:
            current.reset(token)
        return self.result_of(value, repairs)

    async def call_async(self, arguments: Arguments = None, call: Call | None = None) -> Result:
        """Run the tool: an async one here, a sync one in a thread."""
        if call is not None or not self.is_plain:
            return await self._observed(call).call_async(arguments, call)
        try:
            large = is_large(arguments)
            validated, repairs = (
                await LOOP.use(self.reader.read_large, arguments, blocking=True)
                if large
                else self.read(arguments)
            )
        except ArgumentError as error:
            return failed(error)
        except Exception as error:  # noqa: BLE001 - an author's validator may raise anything
            return self.failure_of(error, ())
        before = current.get()
        current.set(self.outermost if before is None else self.name)
        try:
            if self.is_async or self.inline:
                value = self.target(**validated) if self.bind is None else self.called(validated)
            else:
                value = await self.short_wait.run(lambda: self._in_thread(validated, repairs))
                if type(value) is Result:
                    return value
            if value.__class__ is types.CoroutineType or is_awaitable(value):
                value = await value
            kind: type[Any] = value.__class__
            if kind not in PLAIN and kind is not self.settled:
                value = await self.drain.emptied(value, None)
        except Raised as raised:
            return self.failure_of(raised.error, repairs)
        except BaseException as error:  # noqa: BLE001 - whatever a tool raises is a result
            return self._failed_async(error, repairs)
        finally:
            current.set(before)  # not by a token: what is closed late is closed in another context
        return self.result_of(value, repairs)

    def _failed_async(self, error: BaseException, repairs: tuple[Repair, ...]) -> Result:
        """Return the result of an exception; a cancellation by the caller is raised again."""
        if is_a(error, asyncio.CancelledError) and is_cancelled():
            raise error
        return self.failure_of(error, repairs, _looked_up())

    def called(self, validated: Validated) -> Any:
        """Call the target with validated arguments, and those that were injected."""
        if self.bind is None:
            return self.target(**validated)
        positional, keywords = self.bind(validated)
        return self.target(*positional, **keywords)

    def _in_thread(self, validated: Validated, repairs: tuple[Repair, ...]) -> Any:
        """Run a sync target to its result; only what must be awaited is returned unfinished."""
        value = self.called(validated)
        if isinstance(value, types.GeneratorType):
            value = self.drain.taken(cast("Iterator[Any]", value), None)
        elif is_deferred(value):
            return value
        return self.result_of(value, repairs)

    # -- with injection and limits

    def _observed(self, call: Call | None) -> LimitedRunner | UnlimitedRunner:
        has_deadline = call is not None and call.deadline is not None
        return self.limited if self.is_limited or has_deadline else self.unlimited

    def _has_limits(self, options: Options) -> bool:
        return bool(
            self.timeout
            or options.retry
            or options.cache
            or options.max_concurrency
            or options.rate_limit
            or options.run_on not in ("thread", "inline")
        )

    @property
    def timeout(self) -> Timeout | None:
        """The tool's own timeout, or the toolbox's; what runs inline cannot be stopped."""
        return None if self.inline else self.options.timeout or self.home.timeout

    @functools.cached_property
    def unlimited(self) -> UnlimitedRunner:
        """The runner of calls without limits."""
        return UnlimitedRunner(self.name, self.reader, self.work, self.failure_of)

    @functools.cached_property
    def limited(self) -> LimitedRunner:
        """The runner of calls under all limits."""
        options, home, name = self.options, self.home, self.name
        concurrency = rate_limit = cache = None
        if options.max_concurrency is not None:
            concurrency = Concurrency(name, options.max_concurrency)
        if options.rate_limit is not None:
            rate_limit = RateLimit(name, options.rate_limit, home.rates)
        if options.cache is not None:
            schemas = (self.compiled.input_schema, self.compiled.output_schema)
            version = version_of(self.target, home.version, *schemas)
            cache = Cache(name, version, options.cache, home.store, self.outcome)
        short = None
        if options.retry is not None and not self.compiled.plan.injected:
            unlimited = replace(options, retry=None)
            if not self._has_limits(unlimited):
                short = Runner(name, self.target, self.compiled, unlimited, self.home)
        return LimitedRunner(
            name,
            self.reader,
            self.work,
            self.failure_of,
            timeout=self.timeout,
            retry=options.retry,
            rate_limit=rate_limit,
            concurrency=concurrency,
            cache=cache,
            short=short,
        )

    @property
    def needs_no_loop(self) -> bool:
        """Whether a call is one function in one thread: nothing in it waits or is limited."""
        if self.is_async or self.is_plain:
            return not self.is_async
        if self.is_limited:
            return False
        try:
            return self.work().waits is None
        except CallError:
            return False

    @functools.cached_property
    def sees_call(self) -> bool:
        """Whether the target or one of its providers may get a `Call`, or looks it up itself."""
        return bool(self.compiled.plan.injected) or looks_up(self.target)

    @functools.cached_property
    def may_tell(self) -> bool:
        """Whether a call may report progress: each item of a generator is reported."""
        return (
            self.sees_call
            or self.compiled.may_stream
            or inspect.isgeneratorfunction(self.target)
            or inspect.isasyncgenfunction(self.target)
        )

    @functools.cached_property
    def has_headers(self) -> bool:
        """Whether headers repeat some of its arguments."""
        return b'"x-mcp-header"' in self.compiled.input_schema

    def work(self) -> Invocation:
        """Return how to run it with the present providers. Raises `CallError`."""
        if not self.compiled.plan.injected:
            return self._plain_work
        providers = self.home.providers
        if self._injected is None or self._injected[0] != providers.version:
            try:
                injector = Injector(self.name, self.compiled.plan.injected, providers)
            except (SchemaError, KeyError) as error:
                log.error("%s cannot be injected", self.name, exc_info=error)
                raise CallError(f"{self.name} is not available: it cannot be injected") from error
            self._injected = providers.version, self._work(injector, providers.epoch)
        return self._injected[1]

    _injected: tuple[int, Invocation] | None = None
    """The version of the providers, and the work that was made for it."""

    @functools.cached_property
    def _plain_work(self) -> Invocation:
        return self._work(None, "")

    def _work(self, injector: Injector | None, epoch: str) -> Invocation:
        sees_call = injector is not None and injector.sees_call
        worker = Invoker(
            self.name, self.called, self.drain, self.outcome, injector, is_async=self.is_async
        )
        if self.options.run_on not in ("thread", "inline"):
            apart = ProcessInvoker(
                self.name, self.target, self.options, self.outcome, self.home, epoch
            )
            return Invocation(apart.sync, None, needs_data=True, sees_call=sees_call, epoch=epoch)
        if self.is_async or (injector is not None and injector.is_async):
            return Invocation(
                None, worker.waits, stops=self.is_async, sees_call=sees_call, epoch=epoch
            )
        return Invocation(worker.sync, None, inline=self.inline, sees_call=sees_call, epoch=epoch)


def _looked_up() -> Call | None:
    """Return the call that a plain tool looked up while it ran: its failure has the same id."""
    call = current.get()
    return call if isinstance(call, Call) else None
