"""What a server sends by itself: questions, reports, changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as t

from ..._json_values import is_object
from ..._log import logger
from ...errors import CallError
from ..bounds import short
from ..question_handlers import FORM, ROOTS, SAMPLE
from .interface import Owner
from .scope import RequestScope, told

_log = logger("client")
_CHANGES: Mapping[str, str] = {
    "notifications/tools/list_changed": "tools",
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}
_ABILITIES: Mapping[str, tuple[str, Any]] = {
    FORM: ("elicitation", t.ElicitResult),
    SAMPLE: ("sampling", t.CreateMessageResult),
    ROOTS: ("roots", t.ListRootsResult),
}
"""The ability that a client must have announced, and the type of the answer."""


class ServerMessages:
    """Passes on what a server sends by itself, whether the SDK or one of our calls has read it."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner

    # -- read by the SDK

    async def elicited(self, context: Any, params: Any) -> Any:
        """Answer a form, or an address to visit."""
        return await self._asked(FORM, _plain(params), self._owner.scope_of_message())

    async def sampled(self, context: Any, params: Any) -> Any:
        """Answer a sampling request."""
        return await self._asked(SAMPLE, _plain(params), self._owner.scope_of_message())

    async def rooted(self, context: Any) -> Any:
        """Answer which folders the server may use."""
        return await self._asked(ROOTS, {}, self._owner.scope_of_message())

    async def logged(self, params: Any) -> None:
        """Pass on a line of a log."""
        scope = self._owner.scope_of_message()
        listener = (scope.on_log if scope is not None else None) or self._owner.settings.on_log
        if listener is not None:
            await told(listener, str(params.level), params.data)

    async def noticed(self, message: Any) -> None:
        """Pass on a change."""
        params: Any = getattr(message, "params", None)
        await self._changed(getattr(message, "method", ""), getattr(params, "uri", ""))

    # -- read in the answer to a call

    async def heard(self, message: Mapping[str, Any], scope: RequestScope) -> None:
        """Pass on what a server says while it answers a call."""
        params: Any = message.get("params")
        params = params if is_object(params) else {}
        if message["method"] == "notifications/progress":
            done, total, text = (params.get(key) for key in ("progress", "total", "message"))
            if isinstance(done, int | float):
                of_all = total if isinstance(total, int | float) else None
                await scope.progress(done, of_all, text if isinstance(text, str) else None)
        elif message["method"] == "notifications/message":
            if scope.on_log is not None and "data" in params:
                await told(scope.on_log, str(params.get("level")), params["data"])
        else:
            await self._changed(message["method"], params.get("uri"))

    async def reply(self, message: Mapping[str, Any], scope: RequestScope) -> dict[str, Any]:
        """Return the answer to a question that is asked while a call is answered."""
        method, params = message["method"], message.get("params")
        if method == "ping":
            came: Any = t.EmptyResult()
        elif method not in _ABILITIES:
            came = t.ErrorData(code=t.METHOD_NOT_FOUND, message="Method not found")
        elif _ABILITIES[method][0] not in self._owner.handlers.abilities:
            came = t.ErrorData(code=t.INVALID_REQUEST, message="this client cannot be asked")
        else:
            came = await self._asked(method, dict(params) if is_object(params) else {}, scope)
        kind = "error" if isinstance(came, t.ErrorData) else "result"
        return {"jsonrpc": "2.0", "id": message["id"], kind: _plain(came)}

    # -- both

    async def _asked(
        self, method: str, params: dict[str, Any], scope: RequestScope | None
    ) -> t.ErrorData | Any:
        if scope is not None:
            scope.questions += 1
        key = f"question-{scope.questions if scope is not None else 0}"
        try:
            question = {"method": method, "params": params}
            came = await self._owner.answered(key, question, scope)
            return _ABILITIES[method][1].model_validate(came)
        except CallError as error:
            return t.ErrorData(code=t.INVALID_REQUEST, message=short(str(error)))
        except Exception as error:  # noqa: BLE001 - from a handler
            _log.exception("a handler of a server's questions failed")
            return t.ErrorData(
                code=t.INTERNAL_ERROR, message=f"{type(error).__name__} in a handler"
            )

    async def _changed(self, method: Any, uri: Any) -> None:
        what = _CHANGES.get(method) if isinstance(method, str) else None
        if what is not None:
            await told(self._owner.on_change, what, "")
        elif method == "notifications/resources/updated" and uri:
            await told(self._owner.on_change, "resource", str(uri))


def _plain(model: Any) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
