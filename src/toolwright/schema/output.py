"""The output of a tool: its hint, and its box."""

from __future__ import annotations

from collections import abc
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn, get_args, get_origin

import typing_extensions

from .._json_values import JsonObject, is_list
from ..content import Audio, Content, File, Image
from ..json_schema.document import COMBINING, REF_PREFIX
from ..json_schema.facts import Facts, facts
from ..json_schema.walk import nodes, refs
from ..read.signature import EMPTY
from ..results import Repair, Result
from .adapters import key_of
from .hints import ALIAS_TYPES, UNIONS, arms, metadata, open_alias, strip_annotated, unalias
from .style_rules import merge

BOX_FIELD = "result"
BOX_KEY = "x-toolwright-box"

_OWN_CONTENT: tuple[type, ...] = (Content, Image, Audio, File)
_OWN_RESULTS: tuple[type, ...] = (Result, Repair)
_CONTENT_MODULES = ("mcp", "mcp_types")
_CONTENT_TYPES = frozenset(
    (
        "CallToolResult",
        "ServerResult",
        "ContentBlock",
        "TextContent",
        "ImageContent",
        "AudioContent",
        "ResourceLink",
        "EmbeddedResource",
    )
)
_BYTES = (bytes, bytearray)
_TEXT_OR_BYTES = (*_BYTES, str, None, type(None))
_WHOLE_RESULTS = frozenset(("CallToolResult", "Result"))
_STREAMS: frozenset[Any] = frozenset(
    (abc.Iterator, abc.Generator, abc.AsyncIterator, abc.AsyncGenerator)
)
_ITERABLES = _STREAMS | {abc.Iterable, abc.AsyncIterable}
_NOTHING: tuple[Any, ...] = (
    EMPTY,
    Any,
    object,
    None,
    type(None),
    NoReturn,
    typing_extensions.Never,
    typing_extensions.NoReturn,
)


class OutputKind(NamedTuple):
    """What the values of a tool are, however their schema is published."""

    is_scalar: bool = False
    """All are integers, all are booleans, or all are texts."""
    may_cut: bool = True
    """The beginning of a list is also one of them."""
    has_any: bool = False
    """They have parts whose type is not declared."""
    has_integers: bool = False
    """They may hold integers."""


_SCALARS = frozenset(("integer", "boolean", "string"))
_SAYING = frozenset(("type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf"))
_LISTS = frozenset(("array",))
_WHOLE_LISTS = ("minItems", "contains")
"""With these, the beginning of a list may not fit."""
_NO_DEFINITIONS: Mapping[str, JsonObject] = {}


def output_kind(
    schema: JsonObject, definitions: Mapping[str, JsonObject] = _NO_DEFINITIONS
) -> OutputKind:
    """Return what values a type has, from what pydantic writes for it, before any style."""
    root = _root(schema, definitions)
    parts = list(_parts(root, definitions))
    has_any = any(map(_is_any, parts))
    has_integers = has_any or any(part.get("type") == "integer" for part in parts)
    kind = root.get("type")
    if isinstance(kind, str) and root.keys().isdisjoint(COMBINING):  # most are: reading takes time
        can_cut = kind == "array" and not any(map(root.get, _WHOLE_LISTS))
        return OutputKind(kind in _SCALARS, can_cut, has_any, has_integers)
    used = {name: definitions[name] for part in parts for name in refs(part) if name in definitions}
    described = facts({"$defs": used, **root} if used else root)
    return OutputKind(
        is_scalar=len(described.kinds) == 1 and described.kinds <= _SCALARS,
        may_cut=described.kinds == _LISTS and _takes_beginnings(described),
        has_any=has_any,
        has_integers=has_integers,
    )


def _root(schema: JsonObject, definitions: Mapping[str, JsonObject]) -> JsonObject:
    """Return the definition that a schema is nothing but a name of; else the schema itself."""
    for _ in definitions:
        name = str(schema.get("$ref", "")).removeprefix(REF_PREFIX)
        if len(schema) != 1 or name not in definitions:
            break
        schema = definitions[name]
    return schema


def takes_beginnings(declared: Mapping[str, Any]) -> bool:
    """Return whether the beginning of a list meets the schema that an author declared."""
    return _takes_beginnings(facts(dict(declared)))


def _takes_beginnings(described: Facts) -> bool:
    needs_all = any(arm.get(word) for arm in described.arms for word in _WHOLE_LISTS)
    return "array" in described.kinds and not needs_all


def _parts(schema: JsonObject, definitions: Mapping[str, JsonObject]) -> Iterator[JsonObject]:
    """Yield the schemas inside a schema, and inside the definitions that it needs, once each."""
    visited: set[str] = set()
    waiting = [schema]
    while waiting:
        for node in nodes(waiting.pop()):
            yield node
            name = str(node.get("$ref", "")).removeprefix(REF_PREFIX)
            if name in definitions and name not in visited:
                visited.add(name)
                waiting.append(definitions[name])


def _is_any(node: JsonObject) -> bool:
    """Return whether a node takes any value, or has parts that nothing is said about."""
    return (
        node.get("additionalProperties") is True
        or is_list(node.get("type"))
        or node.keys().isdisjoint(_SAYING)
    )


def output_hint(hint: Any) -> Any:
    """Return the hint that describes a tool's values; `EMPTY` if there is nothing to describe."""
    bare = unalias(hint)
    if get_origin(bare) in (abc.Awaitable, abc.Coroutine) and get_args(bare):
        return output_hint(get_args(bare)[-1])
    promised = promised_content(hint)
    if promised is not EMPTY:
        return output_hint(promised)
    if any(bare is nothing for nothing in _NOTHING):
        return EMPTY
    if key_of(hint) is not None:
        return hint  # of Python's own types
    if has_content(hint):
        return EMPTY
    cls = get_origin(bare) or bare
    if any(cls is stream for stream in _STREAMS):
        item = (*get_args(bare), Any)[0]
        return str if unalias(item) is str else list[item]  # pieces of one text, or items
    return hint


def promised_content(hint: Any) -> Any:
    """Return the type of the structured content that `Annotated[CallToolResult, Type]` promises."""
    opened = open_alias(hint)
    cls = strip_annotated(opened)
    if not isinstance(cls, type) or cls.__name__ not in _WHOLE_RESULTS or not _is_content(cls):
        return EMPTY
    return next((annotation for annotation in metadata(opened) if _is_type(annotation)), EMPTY)


def _is_type(value: Any) -> bool:
    return isinstance(value, (type, *ALIAS_TYPES)) or get_origin(value) is not None


def may_stream(hint: Any) -> bool:
    """Return whether values may come one after another, as far as a hint says."""
    bare = unalias(hint)
    if get_origin(bare) in (abc.Awaitable, abc.Coroutine):
        return may_stream(get_args(bare)[-1])
    cls = get_origin(bare) or bare
    # By identity: a hint may be anything, even a list.
    return any(cls is iterable for iterable in (*_ITERABLES, EMPTY, Any, object))


def has_content(hint: Any, seen: frozenset[int] = frozenset()) -> bool:
    """Return whether a hint is, or holds, one of the protocol's content types."""
    if id(hint) in seen:
        return False  # a recursive alias
    seen |= {id(hint)}
    for arm in arms(hint):
        if isinstance(arm, type) and any(_is_content(base) for base in arm.__mro__):
            return True
        parts = get_args(arm) if get_origin(arm) not in UNIONS else ()
        if any(has_content(part, seen) for part in parts if not isinstance(part, list)):
            return True
    return False


def declared_content(hint: Any) -> Any:
    """Return our own content class, if a hint is one."""
    bare = unalias(hint)
    return next((content_class for content_class in _OWN_CONTENT if content_class is bare), None)


def _is_content(cls: type) -> bool:
    if any(cls is content_class for content_class in (*_OWN_CONTENT, *_OWN_RESULTS)):
        return True
    # The SDK may not be loaded: its classes are recognised by their names.
    return cls.__name__ in _CONTENT_TYPES and cls.__module__.split(".")[0] in _CONTENT_MODULES


def is_text(hint: Any) -> bool:
    """Return whether values are plain text, which structured content would only repeat."""
    return unalias(hint) is str


def is_bytes(hint: Any) -> bool:
    """Return whether values are bytes, or also text or None: they are shown as content."""
    kinds = list(arms(hint))
    # By identity: a hint may be anything, even a list.
    has_bytes = any(kind is bytes_class for kind in kinds for bytes_class in _BYTES)
    return has_bytes and all(
        any(kind is text_class for text_class in _TEXT_OR_BYTES) for kind in kinds
    )


def describes_object(schema: JsonObject) -> bool:
    """Return whether a schema's root is an object, as clients before 2026-07-28 need."""
    return schema.get("type") == "object"


def open_root(schema: JsonObject) -> JsonObject:
    """Write out a reference to an object at the root, where clients look for its properties."""
    definitions: JsonObject = schema.get("$defs", {})
    opened = schema
    for _ in definitions:
        target = definitions.get(str(opened.get("$ref", "")).removeprefix(REF_PREFIX))
        if target is None or target.get("type") != "object":
            break
        opened = merge(
            target, {key: keyword_value for key, keyword_value in opened.items() if key != "$ref"}
        )
    if opened is schema:
        return schema
    return _without_unused(opened, definitions)


def _without_unused(schema: JsonObject, definitions: JsonObject) -> JsonObject:
    """Remove the definitions that nothing refers to any more."""
    bare = {key: keyword_value for key, keyword_value in schema.items() if key != "$defs"}
    used: set[str] = set()
    todo = list(refs(bare))
    while todo:
        name = todo.pop()
        if name not in used and name in definitions:
            used.add(name)
            todo += refs(definitions[name])
    used_definitions = {
        name: definition for name, definition in definitions.items() if name in used
    }
    return {**bare, "$defs": used_definitions} if used_definitions else bare


def may_be_null(schema: JsonObject) -> bool:
    """Return whether the root may be null."""
    return _takes_null(schema, schema.get("$defs", {}), frozenset())


def _takes_null(schema: JsonObject, definitions: JsonObject, seen: frozenset[str]) -> bool:
    name = str(schema.get("$ref", "")).removeprefix(REF_PREFIX)
    if name in definitions and name not in seen:
        return _takes_null(definitions[name], definitions, seen | {name})
    kind = schema.get("type")
    if kind == "null" or (isinstance(kind, list) and "null" in kind):
        return True
    if None in schema.get("enum", ()):
        return True
    alternatives = (*schema.get("anyOf", ()), *schema.get("oneOf", ()))
    return any(_takes_null(arm, definitions, seen) for arm in alternatives)


def boxed(schema: JsonObject) -> JsonObject:
    """Put a schema inside an object; definitions stay at the root, where references find them."""
    boxed_value = dict(schema)
    definitions = boxed_value.pop("$defs", None)
    box: JsonObject = {
        "type": "object",
        "properties": {BOX_FIELD: boxed_value},
        "required": [BOX_FIELD],
        BOX_KEY: {"field": BOX_FIELD},
    }
    if definitions:
        box["$defs"] = definitions
    return box
