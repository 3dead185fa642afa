"""Questions of a tool to its caller: forms, sampling, roots."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from .errors import CallCancelled, CallError, ToolError
from .json_schema.document import NOTES
from .json_schema.facts import Facts, facts

__all__ = [
    "AnswerOf",
    "Asker",
    "Form",
    "InputNeeded",
    "Question",
    "Roots",
    "Sample",
    "wait_for_answer",
]


T_co = TypeVar("T_co", covariant=True)


if TYPE_CHECKING:
    import asyncio

    class AnswerOf(Awaitable[T_co], Any):
        """An answer as both kinds of tools get it.

        The same method gives async code something to await, and a thread the answer itself; no
        type says so. Awaited, this is a `T_co`; not awaited, it can be used as anything.
        """

else:
    AnswerOf = Awaitable


class Question:
    """One thing to ask."""

    method = ""
    ability = ""
    """What a client must be able to do."""

    def params(self) -> dict[str, Any]:
        """Return the parameters that are sent."""
        return {}

    def answer(self, came: Mapping[str, Any]) -> Any:
        """Return what an answer means. Raises `ValueError` if it is not valid."""
        return dict(came)


class Form(Question):
    """A form for the user: a pydantic model of flat fields, or the JSON Schema of one.

    The answer is an instance of the model, or a dict. A user who declines makes the call fail.
    """

    method = "elicitation/create"
    ability = "elicitation"

    def __init__(self, form: Any, message: str = "") -> None:
        self.form = form
        self._schema = _flat(form)
        self.message = message or "Please fill in this form."

    def params(self) -> dict[str, Any]:
        """Return the message and the schema of the form."""
        return {"message": self.message, "requestedSchema": self._schema}

    def answer(self, came: Mapping[str, Any]) -> Any:
        """Return the filled-in form."""
        action = came.get("action")
        if action in ("decline", "cancel"):
            raise ToolError(f"the user chose to {action}", code="declined")
        if action != "accept" or not isinstance(came.get("content"), Mapping):
            msg = "neither accepted nor declined"
            raise ValueError(msg)
        content = dict(came["content"])
        return content if isinstance(self.form, Mapping) else self.form.model_validate(content)


class Sample(Question):
    """A text that the client's own model writes; the answer is its message."""

    method = "sampling/createMessage"
    ability = "sampling"

    def __init__(
        self, prompt: str | Sequence[Mapping[str, Any]], *, max_tokens: int = 1000, **more: Any
    ) -> None:
        message = {"role": "user", "content": {"type": "text", "text": prompt}}
        messages = [message] if isinstance(prompt, str) else [dict(part) for part in prompt]
        self._params = {"messages": messages, "maxTokens": max_tokens, **more}

    def params(self) -> dict[str, Any]:
        """Return the messages and how long the text may be."""
        return self._params

    def answer(self, came: Mapping[str, Any]) -> Any:
        """Return the message of the model."""
        if "content" not in came:
            msg = "no message"
            raise ValueError(msg)
        return dict(came)


class Roots(Question):
    """The folders that the client lets a server see; the answer is a list of them."""

    method = "roots/list"
    ability = "roots"

    def answer(self, came: Mapping[str, Any]) -> Any:
        """Return the roots."""
        roots: Any = came.get("roots")
        if not isinstance(roots, list):
            msg = "no roots"
            raise ValueError(msg)  # noqa: TRY004 - an answer, not an argument
        return list(cast("list[Any]", roots))


class InputNeeded(BaseException):
    """Ends a run that must start again with answers. No `except Exception` gets in its way."""

    def __init__(self, requests: Mapping[str, Question]) -> None:
        super().__init__()
        self.requests = dict(requests)


class Asker(Protocol):
    """Asks the caller: the server side of a connection."""

    @property
    def abilities(self) -> frozenset[str]:
        """What the caller's client can be asked for."""
        ...

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop on which it asks; None if a thread cannot wait for an answer."""
        ...

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Return an answer for each key. Raises `InputNeeded` or `CallError`."""
        ...


class CannotAsk(CallError):
    """The caller's client cannot be asked for this."""

    code = "cannot_ask"

    def __init__(self, abilities: Sequence[str]) -> None:
        super().__init__(f"this needs a client that has {' and '.join(abilities)}")
        self.abilities = tuple(abilities)


class Waits(Protocol):
    """A call that may be given up while it waits for an answer."""

    @property
    def remaining(self) -> float | None:
        """Seconds until an answer is due."""
        ...

    def on_cancel(self, wake: Callable[[], object]) -> Callable[[], None]:
        """Call a function when the call is given up."""
        ...


def wait_for_answer(
    call: Waits, run: Callable[[], Awaitable[Any]], loop: asyncio.AbstractEventLoop | None
) -> Any:
    """Wait for an answer: async code awaits it, a thread blocks, but no longer than the call runs."""
    import asyncio  # slow to import, and commands that only list tools need none of it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        if loop is None:
            msg = "there is nobody to ask"
            raise CallError(msg) from None
        return _waited(call, asyncio.run_coroutine_threadsafe(_awaited(run), loop))
    return run()


def _waited(call: Waits, future: Future[Any]) -> Any:
    forget = call.on_cancel(future.cancel)
    try:
        return future.result(call.remaining)
    except CancelledError:
        raise CallCancelled("the call was cancelled before it was answered") from None
    except TimeoutError:
        if future.done():
            raise
        future.cancel()
        raise CallError("there was no answer in time") from None
    finally:
        forget()


async def _awaited(run: Callable[[], Awaitable[Any]]) -> Any:
    return await run()


def _flat(form: Any) -> dict[str, Any]:
    """Return the schema of a form: an object of plain fields, without references."""
    if isinstance(form, Mapping):
        return dict(cast("Mapping[str, Any]", form))
    schema = form.model_json_schema()
    said = facts(schema)
    properties = {name: _plain(said.inner(name)) for name in said.properties}
    flat: dict[str, Any] = {"type": "object", "properties": properties}
    if said.required:
        flat["required"] = said.required
    return flat


def _plain(said: Facts) -> dict[str, Any]:
    """Return the schema of a field: `T | None` may be left out, so null is not said."""
    arms = [arm for arm in said.arms if arm.get("type") != "null"]
    if len(arms) != 1 or "object" in said.kinds:
        msg = "a form has plain fields only: text, numbers, booleans, choices"
        raise TypeError(msg)
    notes = {key: value for key, value in said.schema.items() if key in NOTES}
    field = {**arms[0], **notes}
    if field.get("default", 0) is None:
        del field["default"]
    return field
