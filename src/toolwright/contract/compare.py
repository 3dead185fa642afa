"""Compares two locks: every change, classified."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from .._json_values import canonical_json
from .._words import one_line
from .changes import Change, Changes, Part, Severity, sorted_changes
from .lock_file import Entry, HasTools, Lock, lock
from .schema_changes import SchemaChange, Side, schema_changes

_MOST_RENAMES = 200
"""If more tools than this are gone, they are not looked for under new names."""
_ALIKE = 0.6
"""How alike two descriptions must be to belong to one tool."""
_HINTS: Mapping[str, tuple[bool, bool, Severity]] = {
    "readOnlyHint": (False, True, "breaking"),
    "destructiveHint": (True, False, "breaking"),
    "idempotentHint": (False, True, "risky"),
    "openWorldHint": (True, False, "risky"),
}
"""What each hint means if it is not given (2025-11-25, schema, ToolAnnotations), which value is the
safe one, and how grave it is to lose that: clients run what is safe without asking."""


def diff(old: Lock | HasTools, new: Lock | HasTools) -> Changes:
    """Return what has changed from one lock, or toolbox, to another.

    >>> from toolwright import Tool
    >>> from toolwright.contract import lock
    >>> def find(query: str): ...
    >>> before = lock([Tool(find)])
    >>> def find(query: str, limit: int): ...
    >>> [str(change) for change in diff(before, lock([Tool(find)]))]
    ['breaking: tool find input.limit: is new, and required']
    """
    before = old if isinstance(old, Lock) else lock(old)
    after = new if isinstance(new, Lock) else lock(new)
    changes = [
        *_server(before, after),
        *_tools(before.tools, after.tools),
        *_offered("resource", before.resources, after.resources),
        *_offered("prompt", before.prompts, after.prompts),
    ]
    return sorted_changes(changes)


def _server(old: Lock, new: Lock) -> Iterator[Change]:
    name = str(new.server.get("info", {}).get("name", "server"))
    before, after = old.server.get("info", {}), new.server.get("info", {})
    for key in sorted(before.keys() | after.keys()):
        if key != "version" and before.get(key) != after.get(key):
            severity: Severity = "risky" if key == "name" else "additive"
            yield Change(severity, "server", name, _became(key, before.get(key), after.get(key)))
    instructions = (old.server.get("instructions", ""), new.server.get("instructions", ""))
    if instructions[0] != instructions[1]:
        grave: Severity = "risky" if instructions[0] else "additive"
        yield Change(grave, "server", name, _became("instructions", *instructions))


# -- tools


def _tools(old: Mapping[str, Entry], new: Mapping[str, Entry]) -> Iterator[Change]:
    gone = [name for name in old if name not in new]
    fresh = [name for name in new if name not in old]
    renamed = _renamed(old, new, gone, fresh)
    for name in gone:
        if name in renamed:
            new_name = renamed[name]
            text = f"is now called {new_name}"
            yield Change("breaking", "tool", name, text)
            yield from _tool(new_name, old[name], new[new_name], is_renamed=True)
        else:
            yield Change("breaking", "tool", name, "is gone")
    for name in fresh:
        if name not in renamed.values():
            yield Change("additive", "tool", name, "is new")
    for name in old:
        if name in new and old[name]["hash"] != new[name]["hash"]:
            yield from _tool(name, old[name], new[name])


def _renamed(
    old: Mapping[str, Entry], new: Mapping[str, Entry], gone: list[str], fresh: list[str]
) -> dict[str, str]:
    """Return tools that were renamed: they have the same input, and a similar description."""
    if len(gone) > _MOST_RENAMES:
        return {}
    by_input: dict[bytes, list[str]] = {}
    for name in fresh:
        by_input.setdefault(canonical_json(new[name]["listed"].get("inputSchema")), []).append(name)
    new_names: dict[str, str] = {}
    for name in gone:
        listed = old[name]["listed"]
        candidates = by_input.get(canonical_json(listed.get("inputSchema")), [])
        likely = [
            candidate
            for candidate in candidates[:20]
            if _is_alike(listed, new[candidate]["listed"])
        ]
        if likely:
            new_names[name] = likely[0]
            candidates.remove(likely[0])
    return new_names


def _is_alike(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    texts = [str(listed.get("description", ""))[:500] for listed in (old, new)]
    if not any(texts):
        return bool(old.get("inputSchema", {}).get("properties"))
    return difflib.SequenceMatcher(None, *texts, autojunk=False).ratio() >= _ALIKE


def _tool(name: str, old: Entry, new: Entry, *, is_renamed: bool = False) -> Iterator[Change]:
    before, after = old["listed"], new["listed"]
    if not is_renamed and before["name"] != after["name"]:
        text = f"clients knew it as {before['name']}, and now as {after['name']}"
        yield Change("breaking", "tool", name, text)
    yield from _texts("tool", name, before, after)
    yield from _schema(name, "input", before.get("inputSchema"), after.get("inputSchema"))
    yield from _outputs(name, _output_of(old), _output_of(new))
    if "outputSchema" in before and "unlisted_output" in new:
        yield Change("risky", "tool", name, "the output schema is no longer listed")
    yield from _hints(name, before.get("annotations", {}), after.get("annotations", {}))
    yield from _access("tool", name, old, new)
    for key in ("icons", "_meta"):
        if canonical_json(before.get(key)) != canonical_json(after.get(key)):
            yield Change("additive", "tool", name, f"{key} has changed")


def _output_of(entry: Entry) -> Any:
    """Return what is known of a tool's values, listed or not."""
    return entry["listed"].get("outputSchema", entry.get("unlisted_output"))


def _texts(
    part: Part, name: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Change]:
    """Compare the texts by which models choose tools and arguments."""
    for key in ("description", "title"):
        before, after = old.get(key, ""), new.get(key, "")
        if before != after:
            is_risky = key == "description" and before
            text = _became(key, before, after)
            yield Change("risky" if is_risky else "additive", part, name, text)


def _schema(name: str, side: Side, old: Any, new: Any) -> Iterator[Change]:
    for change in schema_changes(old, new, side):
        yield _change(name, change)


def _change(name: str, each: SchemaChange) -> Change:
    if each.verdict is None or each.verdict.answer != "not contained":
        return Change(each.severity, "tool", name, each.text, each.where)
    witness = each.verdict.witness
    return Change(each.severity, "tool", name, each.text, each.where, witness, has_example=True)


def _outputs(name: str, old: Any, new: Any) -> Iterator[Change]:
    if old is None and new is None:
        return
    if old is None:
        yield Change("additive", "tool", name, "promises a result now", "output")
    elif new is None:
        yield Change("breaking", "tool", name, "no longer promises a result", "output")
    else:
        yield from _schema(name, "output", old, new)


def _hints(name: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Change]:
    for hint, (default, safe, grave) in _HINTS.items():
        before, after = old.get(hint, default), new.get(hint, default)
        # Two of the hints mean nothing for a tool that changes nothing.
        is_idle = bool(old.get("readOnlyHint") and new.get("readOnlyHint"))
        if is_idle and hint in ("destructiveHint", "idempotentHint"):
            continue
        if before != after:
            severity: Severity = grave if before == safe else "additive"
            yield Change(severity, "tool", name, f"{hint} was {_said(before)}, is {_said(after)}")


def _access(part: Part, name: str, old: Entry, new: Entry) -> Iterator[Change]:
    """Compare who may use it, and what they are asked first."""
    before, after = set(old.get("roles", ())), set(new.get("roles", ()))
    if before != after:
        was, now = (", ".join(sorted(roles)) or "anyone" for roles in (before, after))
        keeps_all = not after or (before and before <= after)
        severity: Severity = "risky" if keeps_all else "breaking"
        yield Change(severity, part, name, f"was for {was}, is for {now}")
    if old.get("asks", False) != new.get("asks", False):
        yield Change("risky", part, name, "who may use it is decided in another way")
    if old.get("confirm", False) != new.get("confirm", False):
        text = "asks for confirmation" if new.get("confirm") else "asks for no confirmation"
        yield Change("risky", part, name, f"{text} now")
    if old.get("task", False) != new.get("task", False):
        grave: Severity = "breaking" if new.get("task") == "required" else "risky"
        text = _became("task", old.get("task", False), new.get("task", False))
        yield Change(grave, part, name, text)


# -- resources and prompts


def _offered(part: Part, old: Mapping[str, Entry], new: Mapping[str, Entry]) -> Iterator[Change]:
    for name in old.keys() - new.keys():
        yield Change("breaking", part, name, "is gone")
    for name in new.keys() - old.keys():
        yield Change("additive", part, name, "is new")
    for name in old.keys() & new.keys():
        if old[name]["hash"] != new[name]["hash"]:
            before, after = old[name]["listed"], new[name]["listed"]
            yield from _texts(part, name, before, after)
            yield from _access(part, name, old[name], new[name])
            for key in ("name", "mimeType"):
                if before.get(key) != after.get(key):
                    text = _became(key, before.get(key), after.get(key))
                    yield Change("risky", part, name, text)
            yield from _arguments(part, name, before, after)


def _arguments(
    part: Part, name: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[Change]:
    before, after = _by_name(old), _by_name(new)
    for argument in before.keys() | after.keys():
        where = f"arguments.{argument}"
        if argument not in after:
            yield Change("breaking", part, name, "is removed", where)
        elif argument not in before:
            grave: Severity = "breaking" if after[argument].get("required") else "additive"
            text = "is new, and required" if grave == "breaking" else "is new"
            yield Change(grave, part, name, text, where)
        else:
            was, now = bool(before[argument].get("required")), bool(after[argument].get("required"))
            if was != now:
                text = "is required now" if now else "is no longer required"
                yield Change("breaking" if now else "additive", part, name, text, where)
            descriptions = (
                before[argument].get("description", ""),
                after[argument].get("description", ""),
            )
            if descriptions[0] != descriptions[1]:
                severity: Severity = "risky" if descriptions[0] else "additive"
                yield Change(severity, part, name, _became("description", *descriptions), where)


def _by_name(listed: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    arguments = cast("list[Mapping[str, Any]]", listed.get("arguments", []))
    return {str(argument.get("name")): argument for argument in arguments}


def _became(key: str, old: Any, new: Any) -> str:
    """Return a line on a text that has changed, with the words where they differ."""
    if not old:
        return f"has a {key} now: {_cut(new)}"
    if not new:
        return f"no longer has a {key}: it was {_cut(old)}"
    before, after = str(old), str(new)
    same = _common(before, after)
    begin = max(0, same - 15)
    return f"{key} was {_cut(before[begin:], begin)}, is {_cut(after[begin:], begin)}"


def _common(one: str, other: str) -> int:
    for index, (letter, other_letter) in enumerate(zip(one, other, strict=False)):
        if letter != other_letter:
            return index
    return min(len(one), len(other))


def _cut(value: Any, begin: int = 0) -> str:
    return f'"{"..." if begin else ""}{one_line(str(value), 60)}"'


def _said(value: object) -> str:
    return json.dumps(value)
