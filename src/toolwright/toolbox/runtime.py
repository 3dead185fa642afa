"""Runs calls of a toolbox: hooks, providers, lifespan."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, cast
from weakref import WeakSet

from ..errors import CallError, UnexpectedError
from ..markers import Inject
from ..tools.definition import inner_of

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from ..call import Call
    from ..refusals import OnRefusal, Refused
    from ..results import Result
    from ..run.hooks import Hook, Next
    from ..run.lifespan import Lifespan
    from ..run.shared import Shared
    from ..tools.prompt import Prompt
    from ..tools.resource import Resource
    from .registry import Registry

    Opened = (
        AbstractAsyncContextManager[Any]
        | AbstractContextManager[Any]
        | AsyncIterator[Any]
        | Iterator[Any]
    )
    AnyLifespan = (
        Callable[[], Opened]
        | Callable[[Any], Opened]
        | AbstractAsyncContextManager[Any]
        | AbstractContextManager[Any]
    )

Scope = Literal["call", "process"]


class Runtime:
    """Runs what a registry offers, inside the lifespan and the hooks of the toolbox."""

    def __init__(
        self,
        registry: Registry,
        shared: Shared,
        box: object,
        lifespan: AnyLifespan | None,
    ) -> None:
        self._registry = registry
        self._catalog = registry.catalog
        self._shared = shared
        self._hooks: list[Hook] = []
        self._on_refusal: list[OnRefusal] = []
        self.own_lifespan = lifespan
        """The lifespan in the form in which its author gave it."""
        self._open_lifespan = None
        if lifespan is not None:
            from ..run.lifespan import opener_of

            self._open_lifespan = opener_of(lifespan, box)
        self._lifespan: Lifespan | None = None
        self._users: WeakSet[Any] = WeakSet()
        """The toolboxes that need the lifespan: this one, and those that include it."""
        shared.toolbox = self

    # -- calling

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
    ) -> Result:
        """Call a tool; whatever happens, there is a result."""
        if self.is_wrapped():
            from ..run.loop import background

            result = background.run(self._whole(name, arguments, call, self.view(call)))
        else:
            try:
                runner = self._catalog.find(name, self.view(call) if self._registry.asks else None)
            except CallError as error:
                result = _failed(error)
            else:
                result = runner.call(arguments, call)
        if call is not None:
            _end(call)
        return _raised(result) if raise_on_error else result

    async def call_async(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | bytes | None = None,
        *,
        call: Call | None = None,
        raise_on_error: bool = False,
        is_admitted: bool = False,
    ) -> Result:
        """Call a tool from async code: the same path.

        The predicate of a tool that is already admitted is not asked again.
        """
        view = self.view(call) if self._registry.asks and not is_admitted else None
        if self.is_wrapped():
            result = await self._whole(name, arguments, call, view)
        else:
            result = await self._inner(name, arguments, call, view)
        if call is not None:
            _end(call)
        return _raised(result) if raise_on_error else result

    def view(self, call: Call | None) -> Call | None:
        """Return a call for predicates to see; None if there are no predicates.

        A tool that calls another without handing on its call still asks on behalf of its own
        caller.
        """
        if not self._registry.asks:
            return None
        from ..call import Call, view_of
        from ..run.current import current_call

        return view_of(call or current_call() or Call())

    def _inner(
        self, name: str, arguments: Any, call: Call | None, view: Call | None
    ) -> Awaitable[Result]:
        # Not a coroutine itself: each coroutine costs a call as much as reading two integers.
        try:
            runner = self._catalog.find(name, view)
        except CallError as error:
            return _settled(_failed(error))
        inner_hooks = runner.home.inner
        if call is None or not inner_hooks:
            return runner.call_async(arguments, call)
        from ..run.hooks import inside

        return inside(self, inner_hooks, call, lambda sent: runner.call_async(sent, call))(
            arguments
        )

    async def _whole(
        self, name: str, arguments: Any, call: Call | None, view: Call | None
    ) -> Result:
        """Run a call of a tool inside the lifespan and every `around` hook."""
        from ..call import Call

        call = call or Call(name)
        with contextlib.suppress(CallError):  # however it was asked for, it has one name
            call.tool = self._catalog.find(name).name
        call.kind, call.tool = "tool", call.tool or name
        return await self.wrapped(call, arguments, lambda sent: self._inner(name, sent, call, view))

    async def wrapped(
        self, call: Call, arguments: Any, innermost: Next, by: object = None, name: str = ""
    ) -> Result:
        """Run something inside the lifespan and every `around` hook, the first one outermost.

        It may be run for a toolbox that includes this one: then, without a lifespan here, it has
        that one's.
        """
        import asyncio

        from ..call import within
        from ..outcome.failure import failure_of, names_of
        from ..run.hooks import run_around

        speak = names_of(self._registry.defaults.speak)
        try:
            await self.enter(by)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - what does not open is a failed call
            return failure_of(name or call.tool, error, (), call, speak)
        has_lifespan = self._open_lifespan is not None or by is None
        with within(call, self.state) if has_lifespan else contextlib.nullcontext():
            return await run_around(self._hooks, call, arguments, innermost, speak, name)

    def call_admitted(
        self, name: str, arguments: Any = None, call: Call | None = None
    ) -> Awaitable[Result]:
        """Call a tool that a server has found usable for the caller."""
        return self.call_async(name, arguments, call=call, is_admitted=True)

    async def get(
        self,
        offered: Resource | Prompt,
        values: Mapping[str, str] | None = None,
        call: Call | None = None,
    ) -> Result:
        """Read a resource, or get the messages of a prompt, inside the same hooks as calls."""
        from ..call import Call
        from ..run.hooks import inside

        call, tool, uri = call or Call(), offered.tool, getattr(offered, "uri", "")
        # Named as lists name it, however it was asked for.
        call.kind, call.tool = ("resource", uri) if uri else ("prompt", tool.name)

        def run(sent: Any) -> Awaitable[Result]:
            return tool.call_async(dict(sent), call=call)

        return await self.wrapped(call, values or {}, inside(self, inner_of(tool), call, run))

    @property
    def wraps(self) -> bool:
        """Whether there are hooks or a lifespan here."""
        return bool(self._hooks) or self._open_lifespan is not None

    def is_wrapped(self) -> bool:
        """Whether calls go through hooks or a lifespan, here or in a toolbox that is included."""
        if self._hooks or self._open_lifespan is not None:
            return True
        origins = self._registry.origins
        return bool(origins) and any(origin.wraps for origin in origins)

    def around(self, hook: Hook) -> None:
        """Wrap every call in a hook, which may also have a method `refused`."""
        self._hooks.append(hook)
        refused = getattr(hook, "refused", None)
        if callable(refused):
            self.on_refusal(cast("OnRefusal", refused))

    def on_refusal(self, listener: OnRefusal) -> None:
        """Call a function for each request that a server refuses before anything runs."""
        self._on_refusal.append(listener)

    def refused(self, event: Refused) -> None:
        """Notify every listener that a request was refused; servers call it."""
        for listener in list(self._on_refusal):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - a listener's failure is not the caller's
                from .._log import log

                log.exception("a listener to refusals failed")

    # -- providers

    def provide(self, kind: Any, provider: Any, scope: Scope) -> None:
        """Inject every parameter of a type."""
        inject = _inject(kind if provider is None else provider, scope)
        self._shared.providers.provide(kind, inject)
        self._registry.forget_compiled()

    @contextlib.contextmanager
    def override(self, others: Mapping[Any, Any]) -> Generator[None]:
        """Let others stand in for providers, or for the providers of types."""
        providers = self._shared.providers
        for key in others:
            if not callable(key) and not providers.knows(key):
                msg = f"{key!r} is neither a provider nor a type that has one"
                raise TypeError(msg)
        with providers.override(
            {key: _inject(stand_in, "call") for key, stand_in in others.items()}
        ):
            yield

    # -- the lifespan

    @property
    def state(self) -> Any:
        """What the lifespan gave; None while it is not open."""
        return None if self._lifespan is None else self._lifespan.value

    async def open(self) -> None:
        """Enter the lifespans of this toolbox and of those it includes; all of them, or none."""
        try:
            for owner in (self, *self._registry.origins, *self._registry.hosted):
                await owner.enter(self)
        except BaseException:
            await self.aclose()
            raise

    async def enter(self, by: object = None) -> None:
        """Enter the lifespan, unless it is open. Raises whatever entering it raises.

        It may be entered for a toolbox that includes this one.
        """
        if self._open_lifespan is None:
            return
        self._users.add(by or self)
        if self._lifespan is None:
            from ..run.lifespan import Lifespan

            self._lifespan = Lifespan(self._open_lifespan)
        await self._lifespan.enter()

    def open_blocking(self) -> None:
        """Enter the lifespans from sync code."""
        if self.is_wrapped() or self._registry.hosted:
            from ..run.loop import background

            background.run(self.open())

    def close(self) -> None:
        """Leave the lifespan and clean up providers; the next call enters and makes them again."""
        self._shared.close()
        for owner in (*self._registry.hosted, *self._registry.origins, self):
            owner.release(self)

    async def aclose(self) -> None:
        """Close from async code."""
        await self._shared.aclose()
        for owner in (*self._registry.hosted, *self._registry.origins, self):
            await owner.release_async(self)

    def release(self, by: object) -> None:
        """Leave the lifespan, unless other toolboxes need it."""
        lifespan = self._released(by)
        if lifespan is not None:
            lifespan.leave_soon()

    async def release_async(self, by: object) -> None:
        """Leave the lifespan from async code."""
        lifespan = self._released(by)
        if lifespan is not None:
            await lifespan.leave()

    def _released(self, by: object) -> Lifespan | None:
        """Return the lifespan if nobody needs it now."""
        self._users.discard(by)
        if self._users:
            return None
        lifespan, self._lifespan = self._lifespan, None
        return lifespan


def _inject(provider: Any, scope: Scope) -> Inject:
    if isinstance(provider, Inject):
        return provider
    return Inject(provider if callable(provider) else lambda: provider, scope=scope)


def _end(call: Call) -> None:
    from ..call import end

    end(call)


def _failed(error: CallError) -> Result:
    from ..outcome.failure import failed

    return failed(error)


async def _settled(result: Result) -> Result:
    return result


def _raised(result: Result) -> Result:
    """Raise what the tool raised, or our own error; return any other result."""
    error = result.error
    if error is None:
        return result
    from ..outcome.failure import Remote

    raised = error.__cause__ if type(error) in (CallError, UnexpectedError) else None
    raise error if raised is None or type(raised) is Remote else raised
