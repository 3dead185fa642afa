"""A toolbox's lifespan: entered once, left where it was entered."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import inspect
import itertools
import threading
import weakref
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from functools import partial
from queue import SimpleQueue
from typing import Any, cast

from .._log import log
from .current import outside
from .loop import LOOP, Pending, ShortWait, Signal, background
from .threads import threads

_FORM = "write `async def lifespan():` with one `yield`, and give the function itself"


class Lifespan:
    """Holds an async context manager open, in one task, on the loop that first needed it.

    Any loop may ask for it; those that ask while it is being opened wait for it.
    """

    def __init__(self, open_: Callable[[], AbstractAsyncContextManager[Any]]) -> None:
        self.open = open_
        self.value: Any = None
        self._lock = threading.Lock()
        self._held: _Held | None = None
        self._drop: weakref.finalize[..., Any] | None = None

    async def enter(self) -> None:
        """Open it, unless it is open already. Raises whatever opening raises."""
        with self._lock:
            holder = self._held
            if holder is None or holder.loop.is_closed() or holder.failure is not None:
                # If its loop has ended, nothing is left to close.
                holder = self._held = _Held(asyncio.get_running_loop())
                with outside():  # it outlives the call that first needs it
                    holder.task = holder.loop.create_task(
                        _hold(self.open, holder, weakref.ref(self)), name="lifespan"
                    )
                self._when_dropped(holder)
                _close_at_exit(holder)
        await LOOP.wait(holder.ready, None)
        if holder.failure is not None:
            raise holder.failure

    async def leave(self) -> None:
        """Close it if it is open, or stop opening it. Raises whatever closing raises."""
        with self._lock:
            holder, self._held = self._held, None
        if holder is None or holder.loop.is_closed():
            return
        if holder.loop is asyncio.get_running_loop():
            await holder.end()
        else:
            done = asyncio.run_coroutine_threadsafe(holder.end(), holder.loop)
            await asyncio.wrap_future(done)

    def _when_dropped(self, held: _Held) -> None:
        """Have it closed even if its toolbox is dropped without being closed."""
        if self._drop is not None:
            self._drop.detach()
        self._drop = weakref.finalize(self, _stop, held)
        self._drop.atexit = False

    def is_free_of(self, held: _Held) -> bool:
        """Return whether no other period has begun since."""
        return self._held in (held, None)

    def leave_soon(self) -> None:
        """Close from sync code."""
        holder = self._held
        if holder is not None and not holder.loop.is_closed():
            background.run(self.leave())


async def _hold(
    open_: Callable[[], AbstractAsyncContextManager[Any]],
    held: _Held,
    lifespan: weakref.ref[Lifespan],
) -> None:
    """Hold it open until told to stop. Nothing here keeps the lifespan itself alive."""
    try:
        async with open_() as value:
            _give(lifespan, value)
            held.ready.set()
            del value
            # A loop that ends cancels what still runs on it: then it is closed as usual.
            with contextlib.suppress(asyncio.CancelledError):
                await held.stop.wait()
    except BaseException as error:
        if held.ready.is_set:
            raise
        is_given_up = isinstance(error, asyncio.CancelledError)
        held.failure = RuntimeError("closed while it was being opened") if is_given_up else error
        held.ready.set()
    finally:
        _give(lifespan, None, after=held)


def _give(lifespan: weakref.ref[Lifespan], value: Any, *, after: _Held | None = None) -> None:
    owner = lifespan()
    if owner is not None and (after is None or owner.is_free_of(after)):
        owner.value = value


def _stop(held: _Held) -> None:
    """Have it closed on its loop, without waiting; may be called in any thread."""
    with contextlib.suppress(RuntimeError):  # a closed loop has closed it
        held.loop.call_soon_threadsafe(held.stop.set)


_open: weakref.WeakValueDictionary[int, _Held] = weakref.WeakValueDictionary()
"""What was opened on the background loop, which ends with the process; the oldest first."""
_numbers = itertools.count()
_LAST_SECONDS = 2.0
"""How many seconds the process waits at its end for what nobody has closed."""


def _close_at_exit(held: _Held) -> None:
    if held.loop is not background.loop:
        return  # `asyncio.run` cancels what runs on its loop
    if not (number := next(_numbers)):
        atexit.register(_close_all)
    _open[number] = held


def _close_all() -> None:
    """Close what sync callers have left open, last opened first."""
    open_here = [
        candidate
        for candidate in _open.values()
        if candidate.loop is background.loop and candidate.is_open
    ]

    async def close() -> None:
        for holder in reversed(open_here):
            try:
                await holder.end()
            except Exception as error:  # noqa: BLE001 - an author's code; close the others
                log.error("a lifespan failed to close", exc_info=error)

    if open_here:
        done = asyncio.run_coroutine_threadsafe(close(), open_here[0].loop)
        with contextlib.suppress(TimeoutError):
            done.result(_LAST_SECONDS)


class _Held:
    """One period in which a lifespan is open."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.ready = Signal()
        self.stop = asyncio.Event()
        self.failure: BaseException | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether there is something to close."""
        return self.task is not None and not self.task.done()

    async def end(self) -> None:
        """Close it, and wait until it is closed. Raises whatever closing raises."""
        self.stop.set()
        if self.task is not None:
            if not self.ready.is_set:
                self.task.cancel()
            await self.task


# -- the forms in which authors write a lifespan


def opener_of(lifespan: Any, box: object) -> Callable[[], AbstractAsyncContextManager[Any]]:
    """Return a function that opens a lifespan, in whatever form it was given.

    It may take the toolbox, and may be sync. Raises `TypeError` if it cannot be opened
    more than once.
    """
    if _is_context(lifespan):
        _check_reusable(lifespan)
        return lambda: _as_async(lifespan)
    if not callable(lifespan):
        close = getattr(lifespan, "close", None)
        if inspect.iscoroutine(lifespan) and close is not None:
            close()  # else Python warns that it was never awaited
        msg = f"a lifespan cannot be {_kind(lifespan)}: {_FORM}"
        raise TypeError(msg)
    open_ = _factory(cast("Callable[..., Any]", lifespan))
    box_arguments = (box,) if _takes_toolbox(lifespan) else ()
    return lambda: _as_async(open_(*box_arguments))


def _is_context(value: Any) -> bool:
    return _has(value, "__aenter__") or _has(value, "__enter__")


def _has(value: object, name: str) -> bool:
    """Return whether a value's type has a method: `with` looks for it there."""
    return hasattr(cast("object", type(value)), name)


def _check_reusable(context: Any) -> None:
    """Refuse the result of calling a `contextmanager` function: it opens only once."""
    if type(context).__module__ == "contextlib" and hasattr(context, "gen"):
        name = getattr(context.func, "__name__", "it")
        msg = (
            f"lifespan={name}() can be opened only once: give the function itself, lifespan={name}"
        )
        raise TypeError(msg)


def _factory(lifespan: Callable[..., Any]) -> Callable[..., Any]:
    """Return a callable that gives a context manager. Raises `TypeError`."""
    forms = (lifespan, None if isinstance(lifespan, type) else type(lifespan).__call__)
    if any(inspect.isasyncgenfunction(form) for form in forms):
        return contextlib.asynccontextmanager(lifespan)
    if any(inspect.isgeneratorfunction(form) for form in forms):
        return contextlib.contextmanager(lifespan)
    if any(inspect.iscoroutinefunction(form) for form in forms):
        name = _name(lifespan)
        msg = f"the lifespan `{name}` has no `yield`: what is opened before a `yield` is closed after it"
        raise TypeError(msg)
    return lifespan


def _takes_toolbox(lifespan: Callable[..., Any]) -> bool:
    """Return whether a lifespan takes the toolbox. Raises `TypeError` if it needs anything else."""
    try:
        parameters = inspect.signature(lifespan).parameters.values()
    except ValueError:  # written in C
        return False
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [
        parameter
        for parameter in parameters
        if parameter.default is parameter.empty and parameter.kind not in variadic
    ]
    if len(needed) > 1 or any(parameter.kind is parameter.KEYWORD_ONLY for parameter in needed):
        names = ", ".join(f"`{parameter.name}`" for parameter in needed)
        msg = f"the lifespan `{_name(lifespan)}` needs {names}: it is called with the toolbox, or with nothing"
        raise TypeError(msg)
    return bool(needed)


def _name(lifespan: Any) -> str:
    return getattr(lifespan, "__name__", None) or type(lifespan).__name__


def _kind(value: Any) -> str:
    if inspect.isasyncgen(value) or inspect.isgenerator(value) or inspect.iscoroutine(value):
        return f"the result of a call, `{value.__name__}()`"
    return f"`{type(value).__name__}`"


def _as_async(context: Any) -> AbstractAsyncContextManager[Any]:
    """Return a context manager as an async one. Raises `TypeError` for anything else."""
    if _has(context, "__aenter__"):
        return context
    if _has(context, "__enter__"):
        return _in_thread(context)
    if inspect.iscoroutine(context):
        context.close()
    msg = f"the lifespan gives `{type(context).__name__}`, which cannot be opened: {_FORM}"
    raise TypeError(msg)


@contextlib.asynccontextmanager
async def _in_thread(context: Any) -> AsyncGenerator[Any]:
    async with AsyncExitStack() as stack:
        yield await enter_in_thread(context, stack)


async def enter_in_thread(context: Any, stack: AsyncExitStack) -> Any:
    """Enter a sync context manager in a thread of its own, in which it is also left.

    What it opens may belong to that thread, and a variable of its context is reset where it was
    set.
    """
    thread = _OwnThread()
    stack.callback(thread.end)

    async def leave(kind: Any, error: Any, trace: Any) -> Any:
        return await _to_its_end(thread.begin(context.__exit__, kind, error, trace))

    try:
        value = await _to_its_end(thread.begin(context.__enter__))
    except _Opened:
        stack.push_async_exit(leave)
        raise asyncio.CancelledError from None
    stack.push_async_exit(leave)
    return value


class _OwnThread:
    """A daemon thread that runs one function after another, all in one context."""

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        context = contextvars.copy_context()
        run = partial(context.run, self._run)
        threading.Thread(target=run, name="toolwright-lifespan", daemon=True).start()

    def begin(self, function: Callable[..., Any], *sent: Any) -> Pending:
        """Have a function called; return its outcome, which is still to come."""
        pending = Pending()

        def work() -> None:
            try:
                value = function(*sent)
            except BaseException as error:  # noqa: BLE001 - whoever waits raises it
                pending.settle(None, error)
            else:
                pending.settle(value)

        self._work.put(work)
        return pending

    def end(self) -> None:
        """End it, once it has done what was begun."""
        self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            work()


async def in_thread(
    function: Callable[..., Any], *sent: Any, short_wait: ShortWait | None = None
) -> Any:
    """Call a function in a thread, to its end, even if cancelled: what it opens must be closed."""
    pending = Pending()
    if short_wait is None or not short_wait.is_worthwhile(asyncio.get_running_loop()):
        threads.start(lambda: function(*sent), pending.settle, always=True)
    else:
        threads.start(
            lambda: short_wait.timed(lambda: function(*sent)), pending.settle, always=True
        )
        short_wait.block(pending.signal)
    return await _to_its_end(pending)


async def _to_its_end(pending: Pending) -> Any:
    """Wait for a function in a thread, even if cancelled, and return its value."""
    try:
        await LOOP.wait(pending.signal, None)
    except asyncio.CancelledError as cancelled:
        # If this second wait is cancelled too, the loop is about to end and nothing can wait for
        # the thread any more.
        await LOOP.wait(pending.signal, None)
        if pending.failure is None:
            raise _Opened from cancelled
        raise
    return pending.result()


class _Opened(asyncio.CancelledError):
    """The caller was cancelled while a function ran, which then succeeded."""
