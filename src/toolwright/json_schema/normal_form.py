"""Schemas of any draft as bounded, closed ones of draft 2020-12.

Servers are not trusted: a schema may be huge, deep, wrong, or refer to itself and to other
addresses. What comes out has only known keywords with values of the right kinds, only references
into its own `$defs`, and no more levels than Python's stack takes. Leaving something out admits
more (less only inside `not`, `if` and `oneOf`): the server itself checks what it gets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from .._json_values import JsonObject, is_list, is_object
from .document import Document, combined, reference_to

DEEPEST = 40
"""Levels of a schema, each of which costs a validator several frames."""
MOST_NODES = 50_000
MOST_VALUES = 100_000
"""Values in all enumerations and defaults together."""
NOTHING: JsonObject = {"not": {}}
"""The schema that no value fits."""
_KINDS = frozenset(("string", "integer", "number", "boolean", "array", "object", "null"))
_ONE = (
    *("additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_MAPS = ("properties", "patternProperties", "dependentSchemas")
_TEXTS = ("title", "description", "format", "pattern")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = (
    *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    *("minContains", "maxContains"),
)


def normal_form(schema: Any) -> JsonObject:
    """Return a schema that can be walked, checked and turned into hints safely."""
    return _Normalizer(schema).run()


class _Normalizer:
    def __init__(self, schema: Any) -> None:
        self.raw = schema
        self.nodes = 0
        self.values = 0
        self.keys: dict[int, str] = {}
        self.taken: set[str] = set()
        self.waiting: list[tuple[str, Any]] = []
        self.document = Document(schema)

    def run(self) -> JsonObject:
        root = self.node(self.raw, 0)
        definitions: JsonObject = {}
        while self.waiting:
            key, target = self.waiting.pop()
            definitions[key] = self.node(target, 0)
        root_key = self.keys.get(id(self.raw))
        if root_key is not None:  # it refers to itself: its content is kept in one place only
            root = reference_to(root_key)
        if definitions:
            root["$defs"] = dict(sorted(definitions.items()))
        return root

    def node(self, raw: Any, depth: int) -> JsonObject:
        self.nodes += 1
        if raw is False:
            return {"not": {}}
        if not is_object(raw) or depth > DEEPEST or self.nodes > MOST_NODES:
            return {}
        normal = self._referring(raw)
        raw = self.document.modern(raw)
        self._plain(raw, normal)
        self._parts(raw, normal, depth + 1)
        for word in ("title", "description"):
            if isinstance(raw.get(word), str):
                normal[word] = raw[word]
        if "default" in raw and self._affordable(raw["default"]):
            normal["default"] = raw["default"]
        return normal

    def _plain(self, raw: JsonObject, made: JsonObject) -> None:
        self._enumerated(raw, made)
        kinds = _kinds(raw.get("type"))
        if kinds:
            made["type"] = kinds[0] if len(kinds) == 1 else kinds
        if is_list(raw.get("required")):
            made["required"] = _texts(raw["required"])
        if isinstance(raw.get("uniqueItems"), bool):
            made["uniqueItems"] = raw["uniqueItems"]
        for words, fits in _CHECKED:
            for word in words:
                if fits(raw.get(word)):
                    made[word] = raw[word]
        if made.get("multipleOf", 1) <= 0:
            del made["multipleOf"]
        if is_object(raw.get("dependentRequired")):
            made["dependentRequired"] = _name_lists(raw["dependentRequired"])

    def _enumerated(self, raw: JsonObject, made: JsonObject) -> None:
        if is_list(raw.get("enum")) and self._affordable(raw["enum"]):
            made["enum"] = list(raw["enum"])
        if "const" in raw and self._affordable(raw["const"]):
            made["const"] = raw["const"]

    def _parts(self, raw: JsonObject, made: JsonObject, depth: int) -> None:
        for word in _ONE:
            if isinstance(raw.get(word), bool | dict):
                made[word] = self.node(raw[word], depth) if raw[word] is not True else True
        for word in _LISTS:
            if is_list(raw.get(word)) and raw[word]:
                made[word] = [self.node(part, depth) for part in raw[word]]
        for word in _MAPS:
            if is_object(raw.get(word)):
                pairs = raw[word].items()
                made[word] = {str(key): self.node(part, depth) for key, part in pairs}
        if isinstance(raw.get("items"), bool | dict):
            made["items"] = self.node(raw["items"], depth)

    # -- references

    def _referring(self, raw: JsonObject) -> JsonObject:
        """Return the reference that a node has, into the definitions that are made."""
        reference = combined(self.document.modern(raw)).reference
        target = None if reference is None else self.document.resolve(reference, raw)
        return reference_to(self._key(target, reference or "")) if is_object(target) else {}

    def _key(self, target: Any, reference: str) -> str:
        key = self.keys.get(id(target))  # all targets are parts of `self.raw`, which we hold
        if key is None:
            last = reference.rpartition("/")[2].lstrip("#") or "Root"
            stem = key = "".join(c for c in unquote(last) if c.isalnum() or c == "_")[:60] or "D"
            while key in self.taken:
                key = f"{stem}_{len(self.taken)}"
            self.taken.add(key)
            self.keys[id(target)] = key
            self.waiting.append((key, target))
        return key

    # -- values

    def _affordable(self, value: Any) -> bool:
        """Return whether a value is neither too deep nor, with all others, too large."""
        todo: list[tuple[Any, int]] = [(value, 0)]
        while todo:
            container, depth = todo.pop()
            self.values += 1
            if depth > DEEPEST or self.values > MOST_VALUES:
                return False
            children = (
                container.values()
                if is_object(container)
                else container
                if is_list(container)
                else ()
            )
            todo += [(part, depth + 1) for part in children]
        return True


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == value // 1


_CHECKED: tuple[tuple[tuple[str, ...], Callable[[Any], bool]], ...] = (
    (_TEXTS, _is_text),
    (_NUMBERS, _is_number),
    (_COUNTS, _is_count),
)


def _kinds(given: Any) -> list[str]:
    """Return the known types that `type` names."""
    return [name for name in _texts(given if is_list(given) else [given]) if name in _KINDS]


def _name_lists(given: Any) -> JsonObject:
    return {str(key): _texts(names) for key, names in given.items() if is_list(names)}


def _texts(given: list[Any]) -> list[str]:
    """Return the texts in a list, each once."""
    return list(dict.fromkeys(text for text in given if isinstance(text, str)))
