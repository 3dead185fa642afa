"""Questions to a client: requests, or the result of a call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NoReturn, cast

import mcp_types as t
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from pydantic_core import from_json, to_json

from ...errors import CallError, ToolError
from ...questions import InputNeeded, Question
from ..access.quotas import Shares
from .calls import handed_with

_KINDS: Mapping[str, tuple[Any, Any]] = {
    "elicitation/create": (t.ElicitRequest, t.ElicitResult),
    "sampling/createMessage": (t.CreateMessageRequest, t.CreateMessageResult),
    "roots/list": (t.ListRootsRequest, t.ListRootsResult),
}


class AskByRequest:
    """Asks by requests to the client, in the middle of a call (before 2026-07-28).

    Since then a server must not send requests (basic/patterns/mrtr).
    """

    def __init__(self, ctx: Any, waiting: Shares) -> None:
        self.ctx = ctx
        self.waiting = waiting
        """How many questions to each client wait for an answer."""
        self.loop = asyncio.get_running_loop()
        self.abilities: frozenset[str] = frozenset()

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Send each request and wait for its answer."""
        return {key: await self._one(question) for key, question in requests.items()}

    async def _one(self, request: Question) -> Any:
        kind, answer = _KINDS[request.method]
        params = request.params()
        sent = kind(params=params) if params else kind()
        related = ServerMessageMetadata(related_request_id=self.ctx.request_id)
        client = handed_with(self.ctx).sender.client
        if not self.waiting.take(client):
            raise CallError("the client has left too many questions unanswered")
        try:
            came = await self.ctx.session.send_request(sent, answer, metadata=related)
        except MCPError as error:
            raise CallError(f"the client could not be asked: {error}") from error
        finally:
            self.waiting.give_back(client)
        try:
            return request.answer(came.model_dump(mode="json", by_alias=True, exclude_none=True))
        except ValueError as error:
            raise CallError(f"the client's answer is not valid: {error}") from error

    def needed(self, needed: InputNeeded) -> NoReturn:
        """Raise `MCPError`: never needed, since every request was sent."""
        raise MCPError(code=t.INTERNAL_ERROR, message="a request could not be sent")


class AskByRepeating:
    """Ends the run where an answer is missing; the client begins it again with the answers.

    (2026-07-28, basic/patterns/mrtr.) Answers of earlier rounds travel with the client, in
    `requestState`: whatever it sends there is untrusted, so the SDK seals it (see
    `SdkServer._add_middleware`), and nothing else reads it.
    """

    def __init__(self, params: Any) -> None:
        self.loop = asyncio.get_running_loop()
        self.abilities: frozenset[str] = frozenset()
        self.came: dict[str, Any] = {}
        state = getattr(params, "request_state", None)
        if state:
            self.came.update(from_json(state))
        responses: Any = getattr(params, "input_responses", None) or {}
        for key, response in responses.items():
            plain = response
            if hasattr(response, "model_dump"):
                plain = response.model_dump(mode="json", by_alias=True, exclude_none=True)
            if isinstance(plain, Mapping):
                self.came[key] = dict(cast("Mapping[str, Any]", plain))

    async def ask(self, requests: Mapping[str, Question]) -> dict[str, Any]:
        """Return the answers received, or end the run."""
        answers: dict[str, Any] = {}
        missing: dict[str, Question] = {}
        for key, request in requests.items():
            if key not in self.came:
                missing[key] = request
                continue
            try:
                answers[key] = request.answer(self.came[key])
            except ToolError:
                raise
            except ValueError:
                missing[key] = request  # asked again, not refused (mrtr, Error Handling)
        if missing:
            raise InputNeeded(missing)
        return answers

    def needed(self, needed: InputNeeded) -> dict[str, Any]:
        """Return the result that asks the client for the missing answers."""
        requests = {
            key: {"method": question.method, "params": question.params()}
            for key, question in needed.requests.items()
        }
        answers = {key: answer for key, answer in self.came.items() if key not in requests}
        state = to_json({**answers, "\n": sorted(requests)}).decode()
        return {"resultType": "input_required", "inputRequests": requests, "requestState": state}
