"""A provider's calls: who may run them, and their answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from .._json_values import is_object
from ..errors import ArgumentError, CallError, Fault, ToolError
from ..refusals import Refused

if TYPE_CHECKING:
    from ..call import Call
    from ..dialects import Rendered
    from ..dialects.loops import Asked
    from ..results import Result
    from ..serve.offering import Offering

    Confirm = Callable[[str, Any], bool | Awaitable[bool]]

MOST_AT_ONCE = 64
"""How many calls of one message run at the same time; the others wait."""


async def answers_to(
    message: Any,
    dialect: str | Rendered,
    render: Callable[[str], Rendered],
    served: Offering,
    run: Callable[..., Awaitable[Result]],
    call: Call | None,
    confirm: Confirm | None,
) -> list[dict[str, Any]]:
    """Run the calls that a message asks for, and return the messages to append."""
    from ..call import end
    from ..dialects import Rendered
    from ..dialects.facts import dialect_named
    from ..dialects.loops import asked_in, by_id, grouped

    name = dialect.dialect if isinstance(dialect, Rendered) else dialect_named(dialect).name
    asked_calls = asked_in(message, name)
    if not asked_calls:
        return []
    if not isinstance(dialect, Rendered):
        dialect = render(dialect)
    gate = _Gate(served, dialect, call, confirm)
    # One after the other: people are asked about one call at a time, and before anything runs.
    admitted = [
        await gate.admitted(asked_call, doubt) for asked_call, doubt in by_id(asked_calls, name)
    ]
    try:
        results = await _run(run, admitted, call)
    finally:
        if call is not None:
            end(call)
    answers = [
        dialect.result(
            result, None if entry.asked.is_legacy else entry.asked.id, name=entry.asked.name
        )
        for entry, result in zip(admitted, results, strict=True)
    ]
    return grouped(name, answers)


class _Admitted(NamedTuple):
    asked: Asked
    name: str
    arguments: Any
    refused: CallError | None = None


class _Gate:
    """Decides which calls of a message run, and finds the tool's own name and arguments."""

    def __init__(
        self, served: Offering, rendered: Rendered, call: Call | None, confirm: Confirm | None
    ) -> None:
        self.served = served
        self.rendered = rendered
        self.call = call
        self.confirm = confirm

    async def admitted(self, asked: Asked, doubt: CallError | None) -> _Admitted:
        from ..dialects.loops import own_call

        name, arguments, refused = asked.name, asked.arguments, doubt
        if refused is None:
            try:
                name, arguments = own_call(asked, self.rendered)
                await self._check(name, arguments)
            except CallError as error:
                refused = error
        return _Admitted(asked, name, arguments, refused)

    async def _check(self, name: str, arguments: Any) -> None:
        """Refuse what the caller may not use or does not confirm. Raises `CallError`."""
        tool = self.served.tools.usable(name, None)
        if tool is None:
            return  # running it says what is wrong with it
        call = self.call
        if call is not None and self.served.tools.usable(name, call.roles) is None:
            self.served.refused(Refused("tool", "role", name, call.caller))
            raise self.served.tools.not_found(name, call.roles)
        if tool.options.confirm:
            if not is_object(arguments):
                fault = Fault((), "not_object", "the arguments must be one JSON object")
                raise ArgumentError(name, [fault])
            try:
                await self._confirmed(name, arguments)
            except CallError as error:
                caller = None if call is None else call.caller
                self.served.refused(Refused("tool", error.code, name, caller))
                raise

    async def _confirmed(self, name: str, arguments: Any) -> None:
        import asyncio
        import inspect

        if self.confirm is not None:
            # In a thread: it may wait for somebody at a keyboard, and others use this loop.
            consent = await asyncio.to_thread(self.confirm, name, arguments)
            if inspect.isawaitable(consent):
                consent = await consent
            if consent is not True:
                raise ToolError("the user did not confirm it", code="declined")
        elif self.call is not None and self.call.can("elicitation"):
            from ..serve.offering import ask_to_confirm

            await ask_to_confirm(name, arguments, self.call)
        else:
            msg = f"{name} was not run: it needs to be confirmed, and nobody can be asked"
            raise ToolError(msg, code="cannot_ask")


async def _run(
    call_tool: Callable[..., Awaitable[Result]], admitted: list[_Admitted], call: Call | None
) -> list[Result]:
    """Run the admitted calls, a limited number at a time."""
    import asyncio

    from ..call import part_of
    from ..outcome.failure import failed

    at_once = asyncio.Semaphore(MOST_AT_ONCE)

    async def run(each: _Admitted) -> Result:
        if each.refused is not None:
            return failed(each.refused)
        async with at_once:
            if call is None:
                return await call_tool(each.name, each.arguments)
            with part_of(call, each.name) as part:
                return await call_tool(each.name, each.arguments, call=part)

    return await asyncio.gather(*map(run, admitted))
