"""Resources, prompts and completion, as handlers of the SDK's server."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mcp_types as t
from mcp.shared.exceptions import MCPError
from pydantic_core import from_json, to_json

from ..._log import log
from ..._protocol import STATELESS_SINCE
from ..._words import truncate
from ...errors import ResultError
from ...refusals import Refused
from ...results import Result
from ...run.current import asked_by
from ...run.threads import threads
from ...tools.prompt import messages_of
from ...tools.resource import MOST_URI, contents_of
from ..sender import Sender, Viewer
from .calls import handed_with
from .notifications import Notifications

if TYPE_CHECKING:
    from ...refusals import RequestKind
    from ..offering import Live

RESOURCE_NOT_FOUND = -32002
"""The error code for clients before 2026-07-28; since then it must not be sent (SEP-2164)."""


_NAMED = 8
"""How many items a cursor names."""


class Offered:
    """What a toolbox offers besides tools; each caller sees what they may use, and no more."""

    def __init__(self, box: Live, changes: Notifications, user: Sender | None) -> None:
        self.box = box
        self.changes = changes
        self.user = user
        """Who sends everything, as over stdio; None where each request comes with its sender."""

    async def _asked(self, ctx: Any, params: Any, run: Any) -> Any:
        """Run something that may ask the client; return its result, or what it asks for."""
        raise NotImplementedError

    def _whole(self, ctx: Any, result: dict[str, Any], *, kept: bool = True) -> dict[str, Any]:
        """Add `resultType`, `ttlMs` and `cacheScope` (2026-07-28, server/utilities/caching)."""
        if ctx.protocol_version < STATELESS_SINCE:
            return result
        if kept:
            result = {**result, "ttlMs": 0, "cacheScope": "private"}
        return {**result, "resultType": "complete"}

    def _page(
        self, ctx: Any, params: Any, key: str, items: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return a page of a list: the items after the one that a cursor names."""
        cursor = params.cursor if params is not None else None
        begin = _place(cursor, items) if cursor else 0
        most = self.box.now.about.page_size or len(items)
        page: dict[str, Any] = {key: items[begin : begin + most]}
        if begin + most < len(items):
            page["nextCursor"] = _cursor(items, begin + most)
        return self._whole(ctx, page)

    def _sender(self, ctx: Any) -> Sender:
        return self.user or handed_with(ctx).sender

    def _viewer(self, ctx: Any) -> Viewer:
        return self._sender(ctx).viewer(self.box.now, ctx.request_id)

    def _hidden(
        self, ctx: Any, kind: RequestKind, name: str, find: Callable[[Any], object]
    ) -> None:
        """Report why something was not found: it exists only for others, or not at all."""
        code = "not_found"
        if find(None) is not None:
            code = "role" if find(self._sender(ctx).roles) is None else "disabled"
        self._refused(ctx, kind, code, name)

    def _refused(self, ctx: Any, kind: RequestKind, code: str, name: str) -> None:
        """Report a refusal to the author's hooks; to the caller, what is hidden does not exist."""
        sender = self._sender(ctx)
        self.box.now.refused(Refused(kind, code, name, sender.name, sender.address))

    # -- resources

    async def list_resources(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/list`."""
        self.changes.seen(ctx)
        resources = self.box.now.resources_for(*self._viewer(ctx))
        plain = [resource.to_mcp() for resource in resources if not resource.is_template]
        return self._page(ctx, params, "resources", plain)

    async def list_templates(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/templates/list`."""
        resources = self.box.now.resources_for(*self._viewer(ctx))
        many = [resource.to_mcp() for resource in resources if resource.is_template]
        return self._page(ctx, params, "resourceTemplates", many)

    async def read_resource(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/read`."""
        uri = str(params.uri)
        match = self.box.now.find_resource(uri, *self._viewer(ctx))
        if match is None:
            self._hidden(ctx, "resource", uri, lambda roles: self.box.now.find_resource(uri, roles))
            raise _no_resource(ctx, uri)
        resource, values = match

        async def run(_: Any, call: Any) -> Result:
            with self.box.busy() as box:
                return await box.get(resource, values, call)

        result: Any = await self._asked(ctx, params, run)
        if not isinstance(result, Result):
            return result
        if result.error is not None:
            raise MCPError(code=t.INTERNAL_ERROR, message=result.text, data={"uri": uri})
        return self._whole(ctx, {"contents": contents_of(resource, uri, result)})

    async def subscribe(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/subscribe`; a caller who may not read a resource hears nothing of it."""
        uri, viewer = str(params.uri), self._viewer(ctx)
        _check_length(ctx, uri)
        if self.box.now.is_hidden(uri, *viewer):
            self._hidden(ctx, "resource", uri, lambda roles: self.box.now.find_resource(uri, roles))
        self.changes.subscribe(ctx, uri, viewer)
        return t.EmptyResult()

    async def listen(self, ctx: Any, params: Any) -> Any:
        """Answer `subscriptions/listen`; a caller who may not read a resource hears nothing of it."""
        for uri in params.notifications.resource_subscriptions or ():
            _check_length(ctx, str(uri))
        return await self.changes.listen(ctx, params, self._sender(ctx))

    async def unsubscribe(self, ctx: Any, params: Any) -> Any:
        """Answer `resources/unsubscribe`."""
        self.changes.unsubscribe(ctx, str(params.uri))
        return t.EmptyResult()

    # -- prompts and completion

    async def list_prompts(self, ctx: Any, params: Any) -> Any:
        """Answer `prompts/list`."""
        self.changes.seen(ctx)
        prompts = [prompt.to_mcp() for prompt in self.box.now.prompts_for(*self._viewer(ctx))]
        return self._page(ctx, params, "prompts", prompts)

    async def get_prompt(self, ctx: Any, params: Any) -> Any:
        """Answer `prompts/get`."""
        name = params.name
        prompt = self.box.now.find_prompt(name, *self._viewer(ctx))
        if prompt is None:
            self._hidden(ctx, "prompt", name, lambda roles: self.box.now.find_prompt(name, roles))
            raise MCPError(code=t.INVALID_PARAMS, message=f"unknown prompt `{truncate(name, 128)}`")

        async def run(asked: Any, call: Any) -> Result:
            with self.box.busy() as box:
                return await box.get(prompt, asked.arguments, call)

        result: Any = await self._asked(ctx, params, run)
        if not isinstance(result, Result):
            return result
        try:
            if result.error is None:
                prompt_result: dict[str, Any] = {"messages": messages_of(prompt, result)}
                if prompt.tool.description:
                    prompt_result["description"] = prompt.tool.description
                return self._whole(ctx, prompt_result, kept=False)
            text, code = result.text, result.error.code
        except ResultError as error:
            text, code = str(error), "result"
        error_code = t.INVALID_PARAMS if code == "arguments" else t.INTERNAL_ERROR
        raise MCPError(code=error_code, message=text)

    async def complete(self, ctx: Any, params: Any) -> Any:
        """Answer `completion/complete`."""
        ref = params.ref
        if ref.type == "ref/prompt":
            kind, name = "prompt", ref.name
            owner: Any = self.box.now.prompts.get(name)
        else:
            kind, name = "resource", str(ref.uri)
            owner = self.box.now.resources.get(name)
        if owner is None or not self.box.now.offers(owner, *self._viewer(ctx)):

            def find(roles: Any) -> object:
                is_there = owner is not None and self.box.now.offers(owner, roles, None)
                return owner if is_there else None

            self._hidden(ctx, kind, name, find)
            raise MCPError(code=t.INVALID_PARAMS, message="nothing of that name to complete")
        argument = params.argument
        try:
            # In a thread: an author's function may block.
            with self.box.busy() as box, asked_by(self._sender(ctx)):
                values: list[str] = await threads.run(
                    lambda: box.complete(owner, argument.name, argument.value)
                )
        except Exception:  # noqa: BLE001 - whatever an author's function raises
            log.exception("%s: an argument cannot be completed", owner.tool.name)
            message = f"`{truncate(argument.name, 128)}` cannot be completed now"
            raise MCPError(code=t.INTERNAL_ERROR, message=message) from None
        first_values = values[:100]  # the most that a result may have (server/utilities/completion)
        completion = {"values": first_values, "total": len(values), "hasMore": len(values) > 100}
        return self._whole(ctx, {"completion": completion}, kept=False)


def _check_length(ctx: Any, uri: str) -> None:
    """Refuse a URI that is too long to be read, before it is kept. Raises `MCPError`."""
    if len(uri) > MOST_URI:
        raise _no_resource(ctx, uri)


def _no_resource(ctx: Any, uri: str) -> MCPError:
    modern = ctx.protocol_version >= STATELESS_SINCE
    code = t.INVALID_PARAMS if modern else RESOURCE_NOT_FOUND
    data = {"uri": uri} if len(uri) <= MOST_URI else None
    return MCPError(code=code, message=f"unknown resource `{truncate(uri, 128)}`", data=data)


def _identity(item: Mapping[str, Any]) -> str:
    """Return what identifies an item of a list."""
    return item.get("uri") or item.get("uriTemplate") or item["name"]


def _cursor(items: Sequence[Mapping[str, Any]], end: int) -> str:
    """Return the cursor for a page's end: its last items, and how many items there are up to it.

    The list may change before the next page is asked for: any of those items finds the place
    again, and the number does if all of them are gone. Names of other items would not do, since a
    made-up cursor must not reveal what is hidden from its sender.
    """
    last = [_identity(item) for item in reversed(items[max(end - _NAMED, 0) : end])]
    return base64.urlsafe_b64encode(to_json([end, *last])).decode()


def _place(cursor: str, items: Sequence[Mapping[str, Any]]) -> int:
    """Return where the page after a cursor begins. Raises `MCPError`.

    An unknown cursor is an invalid parameter (server/utilities/pagination).
    """
    match _read(cursor):
        case [int(end), *last] if 0 < len(last) <= _NAMED:
            places: dict[Any, int] = {_identity(item): place for place, item in enumerate(items, 1)}
            known_places = (
                places[name] for name in last if isinstance(name, str) and name in places
            )
            return next(known_places, max(end - len(last), 0))
        case _:
            raise MCPError(code=t.INVALID_PARAMS, message="unknown cursor")


def _read(cursor: str) -> Any:
    try:
        return from_json(base64.b64decode(cursor, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        return None
