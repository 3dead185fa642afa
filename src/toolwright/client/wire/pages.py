"""Lists of a server, page by page, to their end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import mcp_types as t
from mcp_types.methods import validate_server_result
from pydantic import ValidationError

from ..._json_values import is_list, is_object
from ...errors import ResultError
from ..bounds import MOST_ITEMS, MOST_PAGES, short
from .interface import ServerList
from .live import LiveSession
from .scope import RequestScope


class _List(NamedTuple):
    method: str
    key: str
    ask: str
    """The method of the SDK's session."""
    items: str
    """The attribute of its result that holds the items."""
    result: Any


_LISTS: Mapping[str, _List] = {
    "tools": _List("tools/list", "tools", "list_tools", "tools", t.ListToolsResult),
    "resources": _List(
        "resources/list", "resources", "list_resources", "resources", t.ListResourcesResult
    ),
    "templates": _List(
        "resources/templates/list",
        "resourceTemplates",
        "list_resource_templates",
        "resource_templates",
        t.ListResourceTemplatesResult,
    ),
    "prompts": _List("prompts/list", "prompts", "list_prompts", "prompts", t.ListPromptsResult),
}


async def all_pages(live: LiveSession, kind: str, server: str) -> ServerList:
    """Return all items of a list. Raises `ResultError` for one without an end."""
    which = _LISTS[kind]
    found: list[dict[str, Any]] = []
    faults: dict[str, str] = {}
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        page: Any = await _page(live, which, cursor, faults)
        found += [_plain(each) for each in getattr(page, which.items)]
        cursor = page.next_cursor
        if cursor is None:
            if kind == "tools" and live.http is not None:
                live.http.plain = frozenset(map(_plain_name, found)) - {""}
            return ServerList(found, faults)
        if cursor in seen or len(found) + len(faults) > MOST_ITEMS:
            break
        seen.add(cursor)
    raise ResultError(f"listing {kind}: the list of {server} has no end")


async def _page(live: LiveSession, which: _List, cursor: str | None, faults: dict[str, str]) -> Any:
    """Return one page; each item that is not valid is a fault. Raises `ValidationError`."""
    try:
        return await getattr(live.session, which.ask)(
            params=t.PaginatedRequestParams(cursor=cursor)
        )
    except ValidationError:
        # The SDK gives up the whole page for one item, and does not say what the others are.
        params = {} if cursor is None else {"cursor": cursor}
        raw = await live.sent(which.method, params, RequestScope(which.method, None))
        if raw is None:
            raise
    version = live.session.protocol_version
    raw = _sound(raw, which, version, faults)
    validate_server_result(which.method, version, raw)
    page = which.result.model_validate(raw, by_name=False)
    if which.ask == "list_tools":
        # As the SDK does with each list: it then knows which parameters go into headers.
        page = live.session._absorb_tool_listing(page, complete=False)  # noqa: SLF001
    return page


def _sound(
    raw: dict[str, Any], which: _List, version: str, faults: dict[str, str]
) -> dict[str, Any]:
    """Return a page without the items that break the protocol."""
    try:
        validate_server_result(which.method, version, raw)
    except ValidationError as error:
        items = raw.get(which.key)
        bad: dict[int, str] = {}
        for each in error.errors(include_url=False, include_input=False):
            match each["loc"]:
                case (str() as key, int() as number, *where) if key == which.key:
                    bad.setdefault(number, f"{'.'.join(map(str, where))}: {each['msg']}")
                case _:
                    raise
        if not is_list(items):
            raise
        for number, fault in bad.items():
            item = items[number]
            name = item.get("name") if is_object(item) else None
            said = name if isinstance(name, str) and name else f"{which.key}[{number}]"
            faults[short(said, 100)] = short(f"it breaks the protocol: {fault}")
        kept = [each for number, each in enumerate(items) if number not in bad]
        return {**raw, which.key: kept}
    return raw


def _plain_name(tool: Mapping[str, Any]) -> str:
    """Return the name of a tool, unless some of its parameters go into headers (SEP-2243)."""
    return "" if "x-mcp-header" in str(tool.get("inputSchema")) else str(tool["name"])


def _plain(item: Any) -> dict[str, Any]:
    """Return an item of a list as the server wrote it."""
    told: dict[str, Any] = item.model_dump(mode="json", by_alias=True, exclude_none=True)
    for ours, theirs in (("input_schema", "inputSchema"), ("output_schema", "outputSchema")):
        if getattr(item, ours, None) is not None:
            told[theirs] = getattr(item, ours)
    return told
