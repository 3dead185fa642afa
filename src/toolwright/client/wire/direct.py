"""Calls that are sent and awaited in the caller's own thread."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ...run.loop import background
from .awaited_answer import AwaitedAnswer

if TYPE_CHECKING:
    from .live import LiveSession
    from .scope import RequestScope
    from .stream_calls import StreamCalls


def _on_background() -> bool:
    try:
        return asyncio.get_running_loop() is background.loop
    except RuntimeError:
        return False


class Requester(Protocol):
    """What is needed of the connection, on the background loop."""

    @property
    def open_session(self) -> LiveSession | None:
        """The session of the background loop, in any thread."""
        ...

    @property
    def scopes(self) -> dict[RequestScope, None]:
        """The requests that wait for their answers."""
        ...

    async def request(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request and return its result."""
        ...

    async def failed(self, scope: RequestScope, error: Exception) -> dict[str, Any]:
        """Raise the error of a request."""
        ...

    async def continued(
        self, raw: dict[str, Any], method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Answer the questions in an answer, and return the final one."""
        ...


class DirectSender:
    """Sends requests in whatever thread they are made.

    A connection lives on the background loop. Over standard streams a call needs nothing of that
    loop but the line with its answer, so the loop is not asked to send it: that would be one more
    thread to wake for each call.
    """

    def __init__(self, connection: Requester) -> None:
        self._connection = connection

    async def send(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Send a request from async code of any loop, and return its result. Raises `CallError`."""
        pending = self._begun(method, params, scope)
        if pending is None:
            return await background.run_async(self._connection.request(method, params, scope))
        with self._waited_for(*pending, scope):
            raw: Any
            try:
                raw = await pending[1].wait()
            except Exception as error:  # noqa: BLE001 - each is explained, or raised
                raw = error
        more = self._rest(raw, method, params, scope)
        return raw if more is None else await background.run_async(more)

    def send_here(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> dict[str, Any]:
        """Do the same from sync code."""
        # On the background loop itself nobody would read the answer: `background.run` says so.
        pending = None if _on_background() else self._begun(method, params, scope)
        if pending is None:
            return background.run(self._connection.request(method, params, scope))
        with self._waited_for(*pending, scope):
            raw: Any
            try:
                raw = pending[1].block()
            except Exception as error:  # noqa: BLE001 - each is explained, or raised
                raw = error
        more = self._rest(raw, method, params, scope)
        return raw if more is None else background.run(more)

    def _begun(
        self, method: str, params: Mapping[str, Any], scope: RequestScope
    ) -> tuple[StreamCalls, AwaitedAnswer] | None:
        """Send a request; None if the background loop has to."""
        live = self._connection.open_session
        if method != "tools/call" or scope.as_task or live is None or live.streams is None:
            return None
        calls = live.streams.calls
        if not calls.fits(stateless=live.is_stateless) or not live.hears(scope):
            return None
        answer = scope.deadline = AwaitedAnswer(scope.seconds)
        scope.is_call, scope.session = True, live
        self._connection.scopes[scope] = None
        if calls.begin(method, params, scope, answer, stateless=live.is_stateless):
            return calls, answer
        self._forget(scope)
        return None

    @contextlib.contextmanager
    def _waited_for(
        self, calls: StreamCalls, answer: AwaitedAnswer, scope: RequestScope
    ) -> Generator[None]:
        try:
            yield
        finally:
            self._forget(scope)
            calls.leave(answer.id)

    def _forget(self, scope: RequestScope) -> None:
        self._connection.scopes.pop(scope, None)
        scope.deadline = None

    def _rest(self, raw: Any, method: str, params: Mapping[str, Any], scope: RequestScope) -> Any:
        """Return what the background loop still has to do; None if this is the result."""
        connection = self._connection
        if isinstance(raw, Exception):
            return connection.failed(scope, raw)
        if raw.get("resultType") == "input_required":
            return connection.continued(raw, method, params, scope)
        return None
