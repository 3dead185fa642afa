"""The kinds of rules that a dialect has."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, NamedTuple

NUMERIC = frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"))
LENGTHS = frozenset(("minLength", "maxLength"))
COUNTS = frozenset(("minItems", "maxItems"))
TEXTS = frozenset(("title", "examples", "deprecated", "readOnly", "writeOnly"))
LOGICAL = frozenset(
    (
        *("oneOf", "allOf", "anyOf", "not", "if", "then", "else"),
        *("dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems"),
        *("contains", "minContains", "maxContains", "uniqueItems"),
        *("minProperties", "maxProperties", "patternProperties", "propertyNames"),
        *("contentEncoding", "contentMediaType", "contentSchema"),
    )
)
EVERYTHING = (
    NUMERIC | LENGTHS | COUNTS | TEXTS | LOGICAL | frozenset(("pattern", "format", "default"))
)
"""All keywords of draft 2020-12 that are said, kept or lost here."""
PRIMITIVES = frozenset(("string", "number", "integer", "boolean", "null"))
ENUM_TYPES = PRIMITIVES - {"null"}
"""Where null is a branch of its own."""
PATTERN = frozenset(("pattern",))
FORMAT = frozenset(("format",))


class Fact(NamedTuple):
    """One thing that is known about a provider: what, who says so, and the date."""

    about: str
    text: str
    source: str
    date: str = "2026-09"
    """When it was read."""


@dataclass(frozen=True)
class NameRule:
    """Which names are accepted."""

    letters: str = "A-Za-z0-9_-"
    """All characters, as inside the brackets of a regular expression."""
    first: str = ""
    """What the first character must be; empty if any will do."""
    longest: int = 64


@dataclass(frozen=True, eq=False)
class Rules:
    """Which schemas are accepted, and how others are written instead.

    Compared by identity: schemas that were written by some rules are kept by those.
    """

    keywords: frozenset[str] = EVERYTHING
    """Keywords apart from those that every dialect has: type, properties, required, items, enum."""
    formats: frozenset[str] | None = None
    """The formats of strings; None for all."""
    patterns: Literal["any", "python", "plain", "simple", "whole", "bare"] = "any"
    closed: bool = False
    """Whether every object must forbid further properties."""
    required: Literal["as-is", "all", "some"] = "as-is"
    """Which properties must be required: all of each object, or at least one."""
    extra: Literal["keep", "write", "omit"] = "keep"
    """What becomes of `additionalProperties`."""
    maps: Literal["native", "pairs"] = "native"
    tuples: Literal["native", "items", "object"] = "native"
    anything: Literal["open", "text"] = "open"
    """How a value of any type is written: as a union of all types, or as JSON text."""
    refs: Literal["keep", "inline"] = "keep"
    ref_siblings: bool = True
    """Whether keywords may stand beside `$ref`."""
    null: Literal["anyOf", "list", "nullable"] = "anyOf"
    lone_unions: bool = False
    """Whether nothing may stand beside `anyOf`."""
    enums: frozenset[str] = PRIMITIVES | {"object", "array"}
    """The types of values that an enum may have."""
    empty_enum_text: bool = True
    """Whether the empty string may be a value of an enum."""
    most_min_items: int | None = None
    empty_objects: bool = True
    """Whether an object may have no properties."""
    root_keys: frozenset[str] | None = None
    """The keywords that the root may have; None for all."""
    keys: NameRule | None = None
    """Which names of properties are accepted; None if nothing is known."""

    @cached_property
    def changes(self) -> bool:
        """Whether anything that is written with these rules may have to be undone."""
        return (
            self.closed
            or self.required != "as-is"
            or self.maps == "pairs"
            or self.tuples == "object"
            or self.anything == "text"
            or self.keys is not None
            or not self.empty_objects
        )


@dataclass(frozen=True)
class Quota:
    """How much of something one request, or one tool, may have."""

    tools: int | None = None
    strict_tools: int | None = None
    optional: int | None = None
    """Optional parameters of all strict tools together."""
    unions: int | None = None
    """Parameters of several types, of all strict tools together."""
    fields: int | None = None
    """Properties of all strict tools together."""
    levels: int | None = None
    """Levels of nesting in a strict tool."""
    properties: int | None = None
    """Properties of one strict tool."""
    characters: int | None = None
    """Characters in the names and enum values of one strict tool."""
    enum_values: int | None = None
    """Enum values in one strict tool."""
    enum_characters: tuple[int, int] | None = None
    """Above how many values the characters of an enum are limited, and the limit."""
    description: int | None = None
    """Characters in the description of a tool."""


@dataclass(frozen=True)
class Dialect:
    """All that is known about what one provider or client accepts."""

    name: str
    wire: str
    """How a tool is written: see `wire`."""
    rules: Rules
    strict: Rules | None = None
    """The rules if the provider is to enforce a schema; None if it cannot."""
    strict_is: Literal["tool", "together", "request", "always", "none"] = "none"
    """Whether each tool can be strict, all or none, by a word in the request, always, or never."""
    strict_request: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What a request says to ask for strictness."""
    names: NameRule = field(default_factory=NameRule)
    counts_prefix: bool = False
    """Whether the prefix that a client puts before names counts in their length."""
    own_prefix: str = ""
    """What the client itself puts before that prefix."""
    limits: Quota = field(default_factory=Quota)
    examples: bool = False
    """Whether a tool may have `input_examples`."""
    search: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The provider's own tool that finds those with `defer_loading`; empty if there is none."""
    facts: tuple[Fact, ...] = ()

    @property
    def source(self) -> str:
        """Where its rules were read."""
        return "; ".join(dict.fromkeys(fact.source for fact in self.facts))

    @property
    def date(self) -> str:
        """When the newest of its facts was read."""
        return max((fact.date for fact in self.facts), default="")


SHORTEST = 8
"""The fewest characters that a shortened name needs."""


@functools.cache
def _bad(letters: str) -> re.Pattern[str]:
    return re.compile(f"[^{letters}]")


@functools.cache
def _good(rule: NameRule) -> re.Pattern[str]:
    first = f"[{rule.first}]" if rule.first else ""
    repeats = f"{{0,{rule.longest - 1}}}" if first else f"{{1,{rule.longest}}}"
    return re.compile(f"{first}[{rule.letters}]{repeats}")


def is_good(name: str, rule: NameRule) -> bool:
    """Return whether a name is accepted as it is."""
    return _good(rule).fullmatch(name) is not None


def published(names: Iterable[str], rule: NameRule) -> dict[str, str]:
    """Return an accepted name for each: its own if that is accepted.

    The others are written with underscores, cut, and made unique with a hash of the whole name,
    so that a name does not depend on the order, except between two that differ in nothing else.
    """
    listed = list(dict.fromkeys(names))
    accepted = {name: name for name in listed if is_good(name, rule)}
    if len(accepted) == len(listed):
        return accepted
    used = set(accepted)
    for name in listed:
        if name not in accepted:
            accepted[name] = _made_up(name, rule, used)
            used.add(accepted[name])
    return {name: accepted[name] for name in listed}


def _made_up(name: str, rule: NameRule, taken: set[str]) -> str:
    plain = _bad(rule.letters).sub("_", name) or "_"
    if rule.first and not re.match(f"[{rule.first}]", plain):
        plain = f"_{plain}"
    if len(plain) <= rule.longest and plain not in taken:
        return plain
    attempt = 0
    while True:
        salted = f"{name}\0{attempt}" if attempt else name
        digest = sha256(salted.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        room = rule.longest - len(digest) - 1
        candidate = f"{plain[:room]}_{digest}" if room > 0 else f"_{digest}"[: rule.longest]
        if candidate not in taken:
            return candidate
        attempt += 1
