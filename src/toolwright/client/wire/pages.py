"""Lists of a server, page by page, to their end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as t

from ...errors import ResultError
from ..bounds import MOST_ITEMS, MOST_PAGES
from .live import LiveSession

_LISTS: Mapping[str, tuple[str, str]] = {
    "tools": ("list_tools", "tools"),
    "resources": ("list_resources", "resources"),
    "templates": ("list_resource_templates", "resource_templates"),
    "prompts": ("list_prompts", "prompts"),
}


async def all_pages(live: LiveSession, kind: str, server: str) -> list[dict[str, Any]]:
    """Return all items of a list. Raises `ResultError` for one without an end."""
    method, key = _LISTS[kind]
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(MOST_PAGES):
        page: Any = await getattr(live.session, method)(
            params=t.PaginatedRequestParams(cursor=cursor)
        )
        found += [_plain(each) for each in getattr(page, key)]
        cursor = page.next_cursor
        if cursor is None:
            if kind == "tools" and live.http is not None:
                live.http.plain = frozenset(map(_plain_name, found)) - {""}
            return found
        if cursor in seen or len(found) > MOST_ITEMS:
            break
        seen.add(cursor)
    raise ResultError(f"listing {kind}: the list of {server} has no end")


def _plain_name(tool: Mapping[str, Any]) -> str:
    """Return the name of a tool, unless parameters of it go into headers (SEP-2243)."""
    return "" if "x-mcp-header" in str(tool.get("inputSchema")) else str(tool["name"])


def _plain(item: Any) -> dict[str, Any]:
    """Return an item of a list as the server wrote it."""
    told: dict[str, Any] = item.model_dump(mode="json", by_alias=True, exclude_none=True)
    for ours, theirs in (("input_schema", "inputSchema"), ("output_schema", "outputSchema")):
        if getattr(item, ours, None) is not None:
            told[theirs] = getattr(item, ours)
    return told
