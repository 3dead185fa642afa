"""Changes of a schema: where, what, and how grave each is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from .._json_values import canonical_json, depth_of, is_list, is_object
from .._words import value_text
from .changes import SEVERITIES, Severity, gravest
from .containment import Verdict, contains
from .containment.document import MOST_DEPTH

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
