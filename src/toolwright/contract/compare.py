"""Compares two locks: every change, classified."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from .._json_values import canonical_json, depth_of, is_list, is_object
from .._words import one_line, value_text
from .changes import SEVERITIES, Change, Changes, Part, Severity, gravest, sorted_changes
from .containment import Verdict, contains
from .containment.document import MOST_DEPTH
from .lock_file import Entry, HasTools, Lock, lock

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


Side = Literal["input", "output"]
_SAID = frozenset(("description", "default", "x-mcp-header"))
"""Keywords that no value depends on, but a model or a caller does."""
_SILENT = frozenset(
    (
        *("title", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$schema"),
        *("contentEncoding", "contentMediaType", "contentSchema", "$defs", "definitions", "$id"),
        *("x-toolwright-box", "x-user-providable"),
    )
)
"""Keywords whose changes harm nobody."""
_MOST_SHOWN = 60
_MOST_CHANGES = 200
"""How many changes of one schema are named."""
_MOST_DEPTH = 30


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """One change of a schema."""

    severity: Severity
    where: str
    text: str
    verdict: Verdict | None = None


def schema_changes(old: Any, new: Any, side: Side) -> list[SchemaChange]:
    """Return the changes from one schema to another, each with its severity.

    The whole is decided first: no change of a part can be graver than that, and if no part shows
    why, one more change does.
    """
    if canonical_json(old) == canonical_json(new):
        return []
    if depth_of(old) > MOST_DEPTH or depth_of(new) > MOST_DEPTH:
        return [SchemaChange("risky", side, "is nested too deeply to be compared")]
    verdict = _verdict(old, new, side, old, new)
    changes: list[SchemaChange] = []
    for change in _Walk(old, new, side).all():
        changes.append(change)
        if len(changes) >= _MOST_CHANGES:
            changes.append(SchemaChange(_severity(verdict), side, "and more", verdict))
            break
    limit = _severity(verdict)
    limited = [_limited(change, limit) for change in changes]
    about_values = [change for change in limited if change.verdict is not None]
    if limit != "additive" and gravest([change.severity for change in about_values]) != limit:
        text = "accepts less" if side == "input" else "promises less"
        if not verdict.is_contained and verdict.answer == "unknown":
            text = "cannot be compared with certainty"
        limited.append(SchemaChange(limit, side, text, verdict))
    return limited


def _limited(change: SchemaChange, limit: Severity) -> SchemaChange:
    """Return a change of what is accepted, made no graver than that of the whole."""
    if change.verdict is None or SEVERITIES.index(change.severity) >= SEVERITIES.index(limit):
        return change
    return replace(change, severity=limit, verdict=Verdict("unknown"))


def _verdict(old: Any, new: Any, side: Side, old_root: Any, new_root: Any) -> Verdict:
    """Return whether callers lose nothing: what was accepted still is, or promises are kept."""
    if side == "input":
        return contains(new, old, wider_root=new_root, narrower_root=old_root)
    return contains(old, new, wider_root=old_root, narrower_root=new_root)


def _severity(verdict: Verdict) -> Severity:
    if verdict.is_contained:
        return "additive"
    return "risky" if verdict.answer == "unknown" else "breaking"


class _Walk:
    """Goes through both schemas at once, as far as they have the same form."""

    def __init__(self, old: Any, new: Any, side: Side) -> None:
        self.old, self.new = old, new
        self.side: Side = side

    def all(self) -> Iterator[SchemaChange]:
        """Yield all changes: of the whole, and of the definitions that it refers to."""
        yield from self.changes(self.old, self.new, self.side, 0)
        for key in ("$defs", "definitions"):
            before, after = _table(self.old, key), _table(self.new, key)
            for name in sorted(before.keys() & after.keys()):
                yield from self.changes(before[name], after[name], f"{self.side}.{key}.{name}", 1)

    def changes(self, old: Any, new: Any, where: str, depth: int) -> Iterator[SchemaChange]:
        """Yield what is different here and below."""
        if canonical_json(old) == canonical_json(new):
            return
        if not is_object(old) or not is_object(new) or depth > _MOST_DEPTH:
            yield self._decided(old, new, where, f"{_shown(old)} is now {_shown(new)}")
            return
        yield from self._said(old, new, where)
        keys = [key for key in _different(old, new) if key not in _SILENT | _SAID | _INSIDE]
        if keys:
            bare_old, bare_new = _bare(old, keys), _bare(new, keys)
            texts = [_text(key, old, new) for key in keys]
            yield self._decided(bare_old, bare_new, where, "; ".join(texts))
        yield from self._properties(old, new, where, depth)
        for key in ("items", "additionalProperties"):
            if key in _different(old, new):
                yield from self._inner(key, old, new, where, depth)

    def _said(self, old: dict[str, Any], new: dict[str, Any], where: str) -> Iterator[SchemaChange]:
        for key in sorted(_SAID & set(_different(old, new))):
            is_new = key == "description" and key not in old
            yield SchemaChange("additive" if is_new else "risky", where, _text(key, old, new))

    def _properties(
        self, old: dict[str, Any], new: dict[str, Any], where: str, depth: int
    ) -> Iterator[SchemaChange]:
        before, after = _table(old, "properties"), _table(new, "properties")
        needed_before, needed_after = _names(old, "required"), _names(new, "required")
        names = sorted(before.keys() | after.keys())
        for name in names:
            place = f"{where}.{name}"
            was, now = name in needed_before, name in needed_after
            if name not in after:
                parts = _only(old, name, names), _only(new, name, names)
                yield self._decided(*parts, place, "is removed")
            elif name not in before:
                text = "is new, and required" if now else "is new"
                parts = _only(old, name, names), _only(new, name, names)
                yield self._decided(*parts, place, text)
            else:
                yield from self.changes(before[name], after[name], place, depth + 1)
                if was != now:
                    text = "is required now" if now else "is no longer required"
                    needs_old = {"required": [name] if was else []}
                    needs_new = {"required": [name] if now else []}
                    yield self._decided(needs_old, needs_new, place, text)

    def _inner(
        self, key: str, old: dict[str, Any], new: dict[str, Any], where: str, depth: int
    ) -> Iterator[SchemaChange]:
        before, after = old.get(key, True), new.get(key, True)
        place = f"{where}[]" if key == "items" else f"{where}.*"
        if is_object(before) and is_object(after):
            yield from self.changes(before, after, place, depth + 1)
        else:
            names = {*_table(old, "properties"), *_table(new, "properties")}
            parts = _only_key(old, key, names), _only_key(new, key, names)
            yield self._decided(*parts, where, _text(key, old, new))

    def _decided(self, old: Any, new: Any, where: str, text: str) -> SchemaChange:
        verdict = _verdict(old, new, self.side, self.old, self.new)
        return SchemaChange(_severity(verdict), where, text, verdict)


_INSIDE = frozenset(("properties", "required", "items", "additionalProperties"))
"""Keywords that are compared part by part."""


def _different(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [
        key
        for key in sorted(old.keys() | new.keys())
        if (key in old) != (key in new) or canonical_json(old[key]) != canonical_json(new[key])
    ]


def _bare(node: dict[str, Any], own: list[str]) -> dict[str, Any]:
    """Return the keywords that differ, with those that they depend on."""
    return {key: node[key] for key in (*own, "type") if key in node}


def _only(node: dict[str, Any], name: str, names: Iterable[str]) -> dict[str, Any]:
    """Return what an object says about one property; all others may be anything."""
    alone = _without_properties(node, names)
    properties = _table(node, "properties")
    if name in properties:
        alone["properties"][name] = properties[name]
    else:
        alone["properties"].pop(name, None)
    if name in _names(node, "required"):
        alone["required"] = [name]
    return alone


def _without_properties(node: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return what an object says about properties that have none of these names."""
    remainder: dict[str, Any] = {"properties": dict.fromkeys(names, True)}
    for key in ("additionalProperties", "patternProperties", "type"):
        if key in node:
            remainder[key] = node[key]
    return remainder


def _only_key(node: dict[str, Any], key: str, names: Iterable[str]) -> dict[str, Any]:
    if key == "additionalProperties":
        return _without_properties(node, names)
    return {keyword: node[keyword] for keyword in (key, "type", "prefixItems") if keyword in node}


def _table(node: Any, key: str) -> dict[str, Any]:
    table = node.get(key) if is_object(node) else None
    return table if is_object(table) else {}


def _names(node: dict[str, Any], key: str) -> set[str]:
    names = node.get(key)
    return {str(name) for name in names} if is_list(names) else set()


def _text(key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    if key not in old:
        return f"{key} {_shown(new[key])} is new"
    if key not in new:
        return f"{key} {_shown(old[key])} is gone"
    if key == "enum" and is_list(old[key]) and is_list(new[key]):
        return _values(old[key], new[key])
    return f"{key} was {_shown(old[key])}, is {_shown(new[key])}"


def _values(old: list[Any], new: list[Any]) -> str:
    before = {canonical_json(value): value for value in old}
    after = {canonical_json(value): value for value in new}
    gone = [_shown(value) for key, value in before.items() if key not in after]
    fresh = [_shown(value) for key, value in after.items() if key not in before]
    changes = [f"{', '.join(gone[:10])} no longer allowed"] if gone else []
    changes += [f"{', '.join(fresh[:10])} allowed now"] if fresh else []
    return f"enum: {'; '.join(changes) or 'in another order'}"


def _shown(value: Any) -> str:
    return value_text(value, _MOST_SHOWN)
