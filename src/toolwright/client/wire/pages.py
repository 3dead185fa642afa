"""Lists of a server, page by page, to their end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any, NamedTuple

import mcp_types as t
from mcp_types.methods import validate_server_result
from pydantic import ValidationError

from ..._json_values import compact_json, is_list, is_object, without_surrogates
from ...errors import ResultError
from ..bounds import MOST_ITEMS, MOST_PAGES, short
from .interface import RequestScope, ServerList
from .live import LiveSession


class _List(NamedTuple):
    method: str
    key: str
    items: str
    """The attribute of the SDK's result that holds the items; the SDK's method is named by it."""
    result: Any


_AT_ONCE = 100
"""Items that are read before others get their turn."""
_LISTS: Mapping[str, _List] = {
    "tools": _List("tools/list", "tools", "tools", t.ListToolsResult),
    "resources": _List("resources/list", "resources", "resources", t.ListResourcesResult),
    "templates": _List(
        "resources/templates/list",
        "resourceTemplates",
        "resource_templates",
        t.ListResourceTemplatesResult,
    ),
    "prompts": _List("prompts/list", "prompts", "prompts", t.ListPromptsResult),
}


async def all_pages(live: LiveSession, kind: str, server: str) -> ServerList:
    """Return all items of a list. Raises `ResultError` for one that is too long."""
    which = _LISTS[kind]
    listed: list[dict[str, Any]] = []
    faults: dict[str, str] = {}
    cursor: str | None = None
    cursors: set[str] = set()
    for _ in range(MOST_PAGES):
        raw = await _page(live, which, cursor)
        many = len(listed) + len(faults)
        items = _items(live, which, raw, faults, MOST_ITEMS - many)
        listed += [entry async for entry in items]
        cursor = raw.get("nextCursor")
        if cursor is None:
            if kind == "tools" and live.http is not None:
                live.http.plain = frozenset(map(_plain_name, listed)) - {""}
            return ServerList(listed, faults)
        if cursor in cursors:
            break
        cursors.add(cursor)
    raise ResultError(f"listing {kind}: the list of {server} has no end")


async def _page(live: LiveSession, which: _List, cursor: str | None) -> dict[str, Any]:
    """Return one page as it came.

    Not by the SDK: it would read all of a long page at once, and give it up for one bad item.
    """
    params = {} if cursor is None else {"cursor": cursor}
    raw = await live.sent(which.method, params, RequestScope(which.method, None))
    if raw is None:  # the server has moved elsewhere
        ask = getattr(live.session, f"list_{which.items}")
        page = await ask(params=t.PaginatedRequestParams(cursor=cursor))
        raw = page.model_dump(mode="json", by_alias=True, exclude_none=True)
    return raw


async def _items(
    live: LiveSession, which: _List, raw: dict[str, Any], faults: dict[str, str], most: int
) -> AsyncGenerator[dict[str, Any]]:
    """Yield the items of a page as the server wrote them; each that is not valid is a fault.

    Raises `ValidationError` for a page that is no page, and `ResultError` for one that is too long.
    """
    items = raw.get(which.key)
    version = live.session.protocol_version
    if not is_list(items):
        validate_server_result(which.method, version, raw)
        return
    if len(items) > most:
        raise ResultError(f"{which.method}: the list has more than {MOST_ITEMS:,} items")
    for begin in range(0, len(items) or 1, _AT_ONCE):
        part = {**raw, which.key: items[begin : begin + _AT_ONCE]}
        part = _sound(part, which, version, faults, begin)
        page = which.result.model_validate(part, by_name=False)
        if which.items == "tools":
            # As the SDK does with each list: it then knows which parameters go into headers.
            page = live.session._absorb_tool_listing(page, complete=False)  # noqa: SLF001
        for entry in getattr(page, which.items):
            yield _plain(entry)
        await asyncio.sleep(0)  # the deadline, and others, get their turn


def _bad(raw: dict[str, Any], which: _List, version: str) -> dict[int, str]:
    """Return what is wrong with items of a page, by their place."""
    items: list[Any] = raw[which.key]
    try:
        bad = _invalid(raw, which, version)
    except (RecursionError, ValueError) as error:
        if isinstance(error, ValidationError):
            raise
        if len(items) < 2:
            return dict.fromkeys(range(len(items)), "its definition is nested too deeply")
        alone = [_bad({**raw, which.key: [item]}, which, version) for item in items]
        return {number: problems[0] for number, problems in enumerate(alone) if problems}
    if not _is_writable(items):
        for number, item in enumerate(items):
            if not _is_writable(item):
                bad.setdefault(number, "it has a lone surrogate, which UTF-8 cannot hold")
    return bad


def _invalid(raw: dict[str, Any], which: _List, version: str) -> dict[int, str]:
    bad: dict[int, str] = {}
    try:
        validate_server_result(which.method, version, raw)
    except ValidationError as error:
        for problem in error.errors(include_url=False, include_input=False):
            match problem["loc"]:
                case (str() as key, int() as number, *where) if key == which.key:
                    bad.setdefault(number, f"{'.'.join(map(str, where))}: {problem['msg']}")
                case _:
                    raise
    return bad


def _is_writable(value: Any) -> bool:
    try:
        compact_json(value)
    except UnicodeEncodeError:
        return False
    except (ValueError, RecursionError):
        return True  # other faults are named where it is used
    return True


def _sound(
    raw: dict[str, Any], which: _List, version: str, faults: dict[str, str], begin: int
) -> dict[str, Any]:
    """Return a part of a page, from its item `begin` on, without those that break the protocol."""
    bad = _bad(raw, which, version)
    items: list[Any] = raw[which.key]
    for number, fault in bad.items():
        item = items[number]
        name = item.get("name") if is_object(item) else None
        label = name if isinstance(name, str) and name else f"{which.key}[{begin + number}]"
        faults[short(without_surrogates(label), 100)] = short(f"it breaks the protocol: {fault}")
    return {**raw, which.key: [entry for number, entry in enumerate(items) if number not in bad]}


def _plain_name(tool: Mapping[str, Any]) -> str:
    """Return the name of a tool, unless some of its parameters go into headers (SEP-2243)."""
    return "" if "x-mcp-header" in str(tool.get("inputSchema")) else str(tool["name"])


def _plain(item: Any) -> dict[str, Any]:
    """Return an item of a list as the server wrote it."""
    definition: dict[str, Any] = item.model_dump(mode="json", by_alias=True, exclude_none=True)
    for ours, wire_name in (("input_schema", "inputSchema"), ("output_schema", "outputSchema")):
        if getattr(item, ours, None) is not None:
            definition[wire_name] = getattr(item, ours)
    return definition
