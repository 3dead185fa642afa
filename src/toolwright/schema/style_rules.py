"""The rules of a style: functions over one node, in order.

Definitions are written once for many tools, then copied into each schema.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from .._json_values import JsonObject, is_list, is_object
from ..json_schema.document import REF_PREFIX
from ..json_schema.walk import LISTS, SINGLES, nodes, refs, rewrite
from ..markers import NULLABLE_KEY
from ..options import SchemaOptions
from ..read.signature import Lost
from .generate import (
    BYTES_KEY,
    EXACT_KEY,
    NAME_KEY,
    NOTE_KEY,
    POSITIONS_KEY,
    UNTITLED_KEY,
)
from .unsendable import LOSS_KEY

StyleRule = Callable[[JsonObject, str], JsonObject]

JSON_TYPES = ("string", "number", "boolean", "object", "array", "null")
_ENUM_TYPES: Mapping[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}
_SCALAR_TYPES = frozenset(("string", "integer", "number", "boolean", "null"))
_SCALAR_WORDS = frozenset(("type", "description", "default", "minimum", "maximum"))
_SHAPES = frozenset(("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "not", "if"))


def rules_of(options: SchemaOptions, *, is_input: bool) -> tuple[StyleRule, ...]:
    """Return the rules of a style, in order."""
    chosen: tuple[tuple[bool, StyleRule], ...] = (
        (options.any_of, any_of),
        (options.enum_for_const, enum_for_const),
        (options.typed_nodes, any_arm),
        (options.absent_for_null and is_input, absent_for_null),
        (options.one_items, one_items),
        (options.typed_nodes, typed_nodes),
        (options.plain_keys, plain_keys),
        (options.plain_strings, plain_patterns),
        (options.plain_strings, plain_formats),
        (options.no_unique_items, no_unique_items),
    )
    return tuple(step for applies, step in chosen if applies)


def apply_rules(schema: Any, steps: tuple[StyleRule, ...]) -> Any:
    """Return a schema with every pass applied to every node, and the private keys gone."""

    def change(node: JsonObject, key: str) -> JsonObject:
        if _SCALAR_WORDS.issuperset(node) and _is_scalar(node):
            return node  # no pass has anything to do here
        for step in steps:
            node = step(node, key)
        if any(word[:1] == "\0" for word in node):
            if NOTE_KEY in node:
                note(node, node[NOTE_KEY])
            if node.get(UNTITLED_KEY):
                node.pop("title", None)
            return {word: value for word, value in node.items() if word[:1] != "\0"}
        return node

    return rewrite(schema, change)


def _is_scalar(node: JsonObject) -> bool:
    kind = node.get("type")
    return isinstance(kind, str) and kind in _SCALAR_TYPES and node.get("default", "") is not None


def losses(schema: Any, place: str = "") -> list[tuple[str, Lost]]:
    """Return what a schema, before any pass, notes that it cannot express; each with its place."""
    if not is_object(schema):
        return []
    noted = [(place, lost) for lost in schema.get(LOSS_KEY, ())]
    for name, node in schema.get("properties", {}).items():
        noted += losses(node, f"{place}.{name}" if place else name)
    for word, value in schema.items():
        if word in SINGLES:
            noted += losses(value, place)
        elif word in LISTS and is_list(value):
            noted += [loss for item in value for loss in losses(item, place)]
    return noted


def placed(schema: Any, name: str) -> list[Lost]:
    """Return what the schema of a parameter, or of a definition, cannot express."""
    return [
        lost._replace(place=f"`{place}`", parameter=name) for place, lost in losses(schema, name)
    ]


def note(node: JsonObject, text: str) -> None:
    """Say in words what a keyword no longer says."""
    described = node.get("description")
    if not described:
        node["description"] = text[:1].upper() + text[1:]
    elif text.casefold() not in described.casefold():
        node["description"] = f"{described} ({text})"


def any_of(node: JsonObject, key: str) -> JsonObject:
    """Write alternatives as `anyOf`."""
    if "oneOf" in node and "anyOf" not in node:
        node["anyOf"] = node.pop("oneOf")
    node.pop("discriminator", None)
    return node


def enum_for_const(node: JsonObject, key: str) -> JsonObject:
    """Write a constant as an `enum` of one value."""
    if "const" in node:
        value = node.pop("const")
        if value is None:
            node["type"] = "null"
        else:
            node["enum"] = [value]
    return node


def any_arm(node: JsonObject, key: str) -> JsonObject:
    """Write a union with an arm for any value as any value."""
    arms = node.get("anyOf")
    if arms and any(_is_any(arm) for arm in arms):
        del node["anyOf"]
    return node


def absent_for_null(node: JsonObject, key: str) -> JsonObject:
    """Drop the null arm and the default of an optional property that is null when left out."""
    optional = key == "properties" and "default" in node and node["default"] is None
    return _without_null(node) if optional and not node.get(NULLABLE_KEY) else node


def _without_null(node: JsonObject) -> JsonObject:
    without_default_word = {word: value for word, value in node.items() if word != "default"}
    arms = without_default_word.get("anyOf")
    if arms:
        other_arms = [arm for arm in arms if arm.get("type") != "null"]
        if len(other_arms) == 1:
            del without_default_word["anyOf"]
            # The union's words take precedence over those of its arm, which stay as a note.
            [arm] = other_arms
            words = arm.get("description")
            if words and "description" in without_default_word:
                note(
                    without_default_word,
                    words[:1].lower() + words[1:] if words[1:2].islower() else words,
                )
            return {**arm, **without_default_word}
        if other_arms:
            without_default_word["anyOf"] = other_arms
    values = without_default_word.get("enum")
    if values and None in values and len(values) > 1:
        without_default_word["enum"] = [value for value in values if value is not None]
    return without_default_word


def one_items(node: JsonObject, key: str) -> JsonObject:
    """Write a fixed tuple with one schema for all its items, and its positions in words."""
    positions = node.pop("prefixItems", None)
    if positions is None:
        return node
    different: list[Any] = []
    for position in positions:
        item = {word: value for word, value in position.items() if word != "default"}
        if item not in different:
            different.append(item)
    more = node.pop("items", None)
    if is_object(more) and more not in different:
        different.append(more)
    node["items"] = different[0] if len(different) == 1 else {"anyOf": different}
    names = node.get(POSITIONS_KEY) or [""] * len(positions)
    words = [
        f"{name}: {_in_words(item)}".removeprefix(": ")
        for name, item in zip(names, positions, strict=True)
    ]
    note(node, f"positions: {', '.join(words)}")
    return node


def _in_words(node: JsonObject) -> str:
    if "enum" in node:
        return " or ".join(repr(value) for value in node["enum"])
    if "anyOf" in node:
        return " or ".join(dict.fromkeys(_in_words(arm) for arm in node["anyOf"]))
    kind = node.get("type")
    if isinstance(kind, str):
        return kind
    return str(node.get("$ref", "any value")).rsplit("/", 1)[-1]


def _is_any(node: Any) -> bool:
    return is_object(node) and not _SHAPES & node.keys() and "properties" not in node


def typed_nodes(node: JsonObject, key: str) -> JsonObject:
    """Give every node a type; any value is the union of the JSON types."""
    if node.get("type") == "array" and "items" not in node and "prefixItems" not in node:
        node["items"] = {"type": list(JSON_TYPES)}
    if "enum" in node and "type" not in node:
        values: list[Any] = node["enum"]
        kinds = {_ENUM_TYPES.get(value.__class__) for value in values}
        if len(kinds) == 1 and None not in kinds:
            return {"type": kinds.pop(), **node}
    if not _is_any(node):
        return node
    if key == "items":
        return {**node, "type": list(JSON_TYPES)}
    if key in ("additionalProperties", "unevaluatedProperties", "unevaluatedItems") and not node:
        return node
    arms: list[JsonObject] = [{"type": kind} for kind in JSON_TYPES]
    arms[JSON_TYPES.index("array")]["items"] = {"type": list(JSON_TYPES)}
    return {**node, "anyOf": arms}


def plain_keys(node: JsonObject, key: str) -> JsonObject:
    """Say in words what the keys of a map may be."""
    patterns = node.pop("patternProperties", None)
    if patterns:
        node.setdefault("additionalProperties", next(iter(patterns.values())))
        note(node, f"keys match {' or '.join(f'`{p}`' for p in patterns)}")
    names: JsonObject = node.pop("propertyNames", {})
    rules = [f"{word} {value}" for word, value in names.items() if word not in _SHAPES]
    if rules and NOTE_KEY not in node:
        note(node, f"keys: {', '.join(rules)}")
    return node


# Anything but a plain group: look-around, inline flags, named groups; and Perl-only escapes.
_SPECIAL = re.compile(r"\(\?(?!:)|\\[AZzpPGKh]|[*+?}]\+")


def plain_patterns(node: JsonObject, key: str) -> JsonObject:
    """Keep only patterns that every regular expression engine reads alike."""
    pattern = node.get("pattern")
    if isinstance(pattern, str) and node.get("type") == "string" and _SPECIAL.search(pattern):
        del node["pattern"]
        note(node, f"matches `{pattern}`")
    return node


_LOOSE = {
    "date-time": "ISO 8601 date and time",
    "time": "ISO 8601 time of day",
    "duration": "ISO 8601 duration",
}


def plain_formats(node: JsonObject, key: str) -> JsonObject:
    """Drop a `format` that a valid value may break: naive times, negative durations."""
    words = _LOOSE.get(node.get("format", "")) if node.get("type") == "string" else None
    if words and not node.get(EXACT_KEY):
        del node["format"]
        note(node, words)
    return node


def no_unique_items(node: JsonObject, key: str) -> JsonObject:
    """Drop `uniqueItems`: a repeated item is taken once, not refused."""
    node.pop("uniqueItems", None)
    return node


# -- texts that would say something twice

_TAIL = 200
"""How many characters at the end of a text are searched for its default."""
_DEFAULT = re.compile(
    r"""(?:\A|(?<=[\s.;,)]))
    (?:
        \(\s?defaults?(?:\sto|\sis|:)?\s(?P<inside>[^()\n]++)\)\.?
        |
        [Dd]efaults?(?:\sto|\sis|:)\s(?P<outside>[^\n]++)
    )\Z""",
    re.VERBOSE,
)


def both_texts(here: str, there: str) -> str:
    """Return the text of a place and that of its definition; what both say, once."""
    if there in here or _words(here) == _words(there):
        return here
    return there if there.startswith(here) else f"{here}\n\n{there}"


def _words(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()


def without_default(text: str, default: Any) -> str:
    """Return the text of a parameter without a final remark on the default that its schema has.

    >>> without_default("Most hits to return. Defaults to 10.", 10)
    'Most hits to return.'
    >>> without_default("Most hits to return (default: 20).", 10)
    'Most hits to return (default: 20).'
    """
    if "efault" not in text[-_TAIL:] or default is None:
        return text  # null is not published: only the words say so
    start = max(0, len(text) - _TAIL)
    for word in re.finditer(r"\(?\b[Dd]efaults?\b", text[start:]):
        start_of_word = start + word.start()
        stated = _DEFAULT.match(text, start_of_word)
        if stated and _names(stated["inside"] or stated["outside"], default):
            before = text[:start_of_word].rstrip(" \n,;")
            ends = before.endswith((".", "!", "?", ":")) or not text.endswith(".")
            return before if ends or not before else f"{before}."
    return text


def _names(written: str, default: Any) -> bool:
    """Return whether a word is the default as Python or JSON writes it."""
    bare = written.strip().removesuffix(".").strip().strip("`*")
    spellings = {repr(default), json.dumps(default)}
    if isinstance(default, str):
        spellings |= {default, f'"{default}"'} if default else set[str]()
    return bare in spellings


Refs = Counter[str]


class Definition:
    """One definition with the rules of a style applied."""

    __slots__ = ("losses", "name", "refs", "schema", "size")

    def __init__(self, key: str, schema: JsonObject, steps: tuple[StyleRule, ...]) -> None:
        self.name = _short_name(schema.get(NAME_KEY), key)
        self.losses = placed(schema, self.name)
        self.schema = apply_rules(schema, steps)
        self.refs: Refs = Counter(refs(self.schema))
        self.size = _written_size(self.schema)


class Definitions:
    """All definitions of one batch, in one style and direction; each is computed when needed."""

    def __init__(self, raw: Mapping[str, JsonObject], steps: tuple[StyleRule, ...]) -> None:
        self.raw = raw
        self.steps = steps
        self._known: dict[str, Definition] = {}
        self._reach: dict[str, frozenset[str]] = {}
        self._expanded: dict[str, JsonObject] = {}

    def __getitem__(self, key: str) -> Definition:
        definition = self._known.get(key)
        if definition is None:
            definition = self._known[key] = Definition(key, self.raw[key], self.steps)
        return definition

    def reach(self, key: str) -> frozenset[str]:
        """Return every definition that one refers to, directly or not."""
        reached = self._reach.get(key)
        if reached is None:
            visited: set[str] = set()
            todo = list(self[key].refs)
            while todo:
                name = todo.pop()
                if name not in visited:
                    visited.add(name)
                    todo.extend(self[name].refs)
            reached = self._reach[key] = frozenset(visited)
        return reached

    def is_recursive(self, key: str) -> bool:
        """Return whether a definition refers to itself."""
        return key in self.reach(key)

    def used_by(self, root: JsonObject) -> list[str]:
        """Return the definitions a schema needs, in the order it meets them."""
        order: dict[str, None] = {}
        todo = list(refs(root))
        while todo:
            key = todo.pop(0)
            if key not in order:
                order[key] = None
                todo.extend(self[key].refs)
        return list(order)

    def losses(self, used: Iterable[str]) -> list[Lost]:
        """Return what definitions could not express."""
        return [loss for key in used for loss in self[key].losses]

    # -- giving a schema its definitions

    def attach(self, root: JsonObject, used: list[str], *, inline: bool, limit: int) -> JsonObject:
        """Return a self-contained schema: its definitions are inlined or attached.

        `used` are the definitions that it needs.
        """
        if not used:
            return root
        recursive = {key for key in used if self.is_recursive(key)}
        if not inline:
            attached = set(used)
        elif self._size(root, recursive, limit) <= limit:
            attached = recursive
        else:
            counts = Counter(refs(root))
            for key in used:
                counts.update(self[key].refs)
            attached = recursive | {key for key in used if self._saves(key, counts[key])}
            shared = self._attached(root, used, attached)
            # The choice is made for each definition alone, so together they may save nothing.
            most = _written_size(shared)
            if attached == recursive or self._size(root, recursive, 2 * most) > 2 * most:
                return shared
            copied = self._attached(root, used, recursive)
            return shared if most < _written_size(copied) else copied
        return self._attached(root, used, attached)

    def _attached(self, root: JsonObject, used: list[str], kept: set[str]) -> JsonObject:
        names = _unique_names([key for key in used if key in kept], self)
        schema = self._place(root, kept, names)
        if names:
            schema["$defs"] = {
                name: self._place(self[key].schema, kept, names) for key, name in names.items()
            }
        return schema

    def _saves(self, key: str, uses: int) -> bool:
        """Return whether a definition and references to it are shorter than as many copies."""
        definition = self[key]
        reference = len(f'{{"$ref":"{REF_PREFIX}{definition.name}"}}')
        return uses * (definition.size - reference) > definition.size + len(definition.name) + len(
            '"":,'
        )

    def _size(self, root: JsonObject, recursive: set[str], limit: int) -> int:
        """Estimate the size with everything inlined; stops counting above the limit."""
        total = _written_size(root)
        todo = list(refs(root))
        counted: set[str] = set()
        while todo and total <= limit:
            key = todo.pop()
            if key in recursive:
                if key in counted:
                    continue
                counted.add(key)
            total += self[key].size
            todo.extend(self[key].refs.elements())
        return total

    def _inlined(self, key: str, kept: set[str], names: Mapping[str, str]) -> JsonObject:
        """Return a definition with all it refers to; with none kept, it suits all tools."""
        if kept:
            return self._place(self[key].schema, kept, names)
        inlined = self._expanded.get(key)
        if inlined is None:
            inlined = self._expanded[key] = self._place(self[key].schema, kept, names)
        return inlined

    def _place(self, schema: JsonObject, kept: set[str], names: Mapping[str, str]) -> JsonObject:
        def change(node: JsonObject, key: str) -> JsonObject:
            ref = node.get("$ref")
            if not isinstance(ref, str) or not ref.startswith(REF_PREFIX):
                return node
            target = ref.removeprefix(REF_PREFIX)
            if target in kept:
                required = self[target].schema.get("required", ())
                if "required" in node and not set(node["required"]).difference(required):
                    del node["required"]
                return {**node, "$ref": REF_PREFIX + names[target]}
            siblings = {word: value for word, value in node.items() if word != "$ref"}
            return merge(self._inlined(target, kept, names), siblings)

        return rewrite(schema, change)


def _written_size(schema: JsonObject) -> int:
    """Return how many characters a schema has on the wire."""
    return len(json.dumps(schema, separators=(",", ":")))


def keys_with_bytes(raw: Mapping[str, JsonObject]) -> frozenset[str]:
    """Return the definitions that reach bytes inside a class that has no rule for them."""
    with_bytes = {
        key for key, schema in raw.items() if any(BYTES_KEY in node for node in nodes(schema))
    }
    grown = bool(with_bytes)
    while grown:
        more = {key for key, schema in raw.items() if not with_bytes.isdisjoint(refs(schema))}
        grown = not more <= with_bytes
        with_bytes |= more
    return frozenset(with_bytes)


def merge(definition: JsonObject, said: JsonObject) -> JsonObject:
    """Put a definition where it is used; what is said there comes first, and nothing is lost."""
    own_text, text_of_definition = said.get("description"), definition.get("description")
    merged = {**definition, **said}
    if own_text and text_of_definition:
        merged["description"] = both_texts(own_text, text_of_definition)
    if "required" in said:
        both = [*definition.get("required", []), *said["required"]]
        merged["required"] = list(dict.fromkeys(both))
    return merged


def _unique_names(keys: list[str], definitions: Definitions) -> dict[str, str]:
    """Name definitions as if the tool were alone; equal names get a number, in order."""
    names: dict[str, str] = {}
    for key in keys:
        base = name = definitions[key].name
        number = 2
        while name in names.values():
            name = f"{base}_{number}"
            number += 1
        names[key] = name
    return names


def _short_name(name: Any, key: str) -> str:
    if not isinstance(name, str):
        name = re.sub(r"-(Input|Output)(__\d+)?$", "", key).rsplit("__", 1)[-1]
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)
