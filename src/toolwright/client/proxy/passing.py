"""Calls of a toolbox, passed on to another server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ..._protocol import LOG_LEVELS
from ...call import Call, reports_progress
from ...errors import CallError
from ...questions import InputNeeded, Question
from ..wire.scope import RequestScope

_ABILITIES = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}


class PassedQuestion(Question):
    """A question from another server, asked as it came; its answer goes back as it comes."""

    def __init__(self, method: str, params: Mapping[str, Any]) -> None:
        self.method = method
        self.ability = _ABILITIES[method]
        self._params = dict(params)

    def params(self) -> dict[str, Any]:
        """Return the parameters that are sent."""
        return self._params


class PassedCall:
    """One call that is passed on: progress, messages and questions find their way back."""

    def __init__(self, call: Call, what: str, seconds: float | None) -> None:
        self._call = call
        self._loop = asyncio.get_running_loop()
        self.needed: InputNeeded | None = None
        """Why the whole call has to begin again, with the answers of its caller."""
        self.scope = RequestScope(
            what,
            seconds,
            on_progress=self._progress if reports_progress(call) else None,
            on_log=self._log,
            answer=self._answer,
        )

    def _progress(self, done: float, total: float | None, message: str) -> None:
        self._call.progress(done, total, message)

    def _log(self, level: Any, said: Any, name: str | None = None) -> None:
        if level in LOG_LEVELS:
            self._call.log(said, level, name)

    async def _answer(self, key: str, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the caller, on the loop of the call. Raises `CallError`."""
        if method not in _ABILITIES:
            raise CallError(f"{method} cannot be passed on")
        asking = self._ask({key: PassedQuestion(method, params)})
        try:
            if asyncio.get_running_loop() is self._loop:
                answers = await asking
            else:
                sent = asyncio.run_coroutine_threadsafe(asking, self._loop)
                answers = await asyncio.wrap_future(sent)
        except InputNeeded as needed:
            self.needed = needed
            raise CallError("the caller is asked first") from None
        return dict(answers[key])

    async def _ask(self, questions: Mapping[str, Question]) -> dict[str, Any]:
        return await self._call.request(**questions)
