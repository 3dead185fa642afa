"""From tools to what a provider or client accepts."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from .._json_values import JsonObject, is_list, is_object
from ..arguments.sample import no_collection
from ..tools.catalog import matches
from ..tools.definition import PLAIN, Tool
from .facts import dialect_named
from .renderable import Renderable, definitions_of, examples_of
from .rendered import Loss, Rendered
from .rules import SHORTEST, Dialect, Quota, published
from .schemas.encode import EncodedSchema
from .schemas.words import with_sentences
from .wire import Sent


def render(
    tools: Iterable[Tool | Mapping[str, Any]],
    dialect: str,
    *,
    strict: bool = False,
    prefix: str = "",
    input_examples: bool = True,
    defer_loading: bool | str | Sequence[str] = False,
    examples: Callable[[Tool], Iterable[Mapping[str, Any]]] | None = None,
) -> Rendered:
    """Return tools as a provider or client takes them, with the way back.

    `strict` asks the provider to enforce the schemas. `prefix` is what an MCP client puts before
    names: it counts in their length. `input_examples=False` sends no examples; `examples` returns
    more of them for a tool. `defer_loading` has the provider load tools, all or those whose names
    match a pattern, only when its own search has found them. Entries of another server's `tools/list` are rendered as well.
    Raises `ValueError` for an unknown dialect; a tool that cannot be sent is a loss.
    """
    deferred = ("*",) if defer_loading is True else defer_loading or ()
    rendering = _Rendering(dialect_named(dialect), strict=strict, deferred=deferred)
    if input_examples:
        rendering.written = examples or _no_examples
    with no_collection():  # nearly all that is made is kept
        return rendering.render(tools, prefix)


class _Rendering:
    """One set of tools on its way into one dialect."""

    def __init__(self, dialect: Dialect, *, strict: bool, deferred: str | Sequence[str]) -> None:
        self._dialect = dialect
        self._deferred = deferred
        self.written: Callable[[Tool], Iterable[Mapping[str, Any]]] | None = None
        """Returns the examples that are written elsewhere than in a schema; None for no examples."""
        self._wants_strict = strict
        self._losses: list[Loss] = []
        self._strict: set[str] = set()

    def render(self, tools: Iterable[Tool | Mapping[str, Any]], prefix: str) -> Rendered:
        dialect = self._dialect
        renderables = self._unique(definitions_of(tools, is_mcp=dialect.wire == "mcp"))
        renderables = self._few(renderables)
        names = self._named(renderables, prefix)
        renderables = [renderable for renderable in renderables if renderable.name in names]
        self._choose_strict(renderables)
        self._choose_deferred(renderables)
        sent: list[Sent] = []
        codecs: dict[str, Any] = {}
        for renderable in renderables:
            encoded = self._encoded(renderable)
            if encoded is None:
                self._lose(
                    renderable.name, "inputSchema", "is too deep to be read: the tool is left out"
                )
                continue
            sent.append(self._sent(renderable, names[renderable.name], encoded))
            codecs[names[renderable.name]] = (renderable.name, encoded.codec)
            self._losses += [Loss(renderable.name, *place) for place in encoded.places]
        return Rendered(
            dialect.name,
            dialect.wire,
            sent,
            codecs,
            tuple(self._losses),
            frozenset(self._strict),
            self._request(renderables),
            dialect.search,
        )

    def _lose(self, tool: str, keyword: str, message: str) -> None:
        self._losses.append(Loss(tool, "", keyword, message))

    def _unique(self, found: list[Any]) -> list[Renderable]:
        unique: dict[str, Renderable] = {}
        for definition in found:
            if isinstance(definition, Loss):
                self._losses.append(definition)
            elif definition.name in unique:
                self._lose(definition.name, "name", "is there twice: the second tool is left out")
            else:
                unique[definition.name] = definition
        return list(unique.values())

    def _few(self, known: list[Renderable]) -> list[Renderable]:
        most = self._dialect.limits.tools
        if most is None or len(known) <= most:
            return known
        for renderable in known[most:]:
            self._lose(
                renderable.name,
                "tools",
                f"are {len(known)}, and at most {most} are taken: left out",
            )
        return known[:most]

    def _named(self, known: list[Renderable], prefix: str) -> dict[str, str]:
        """Return the published name of each tool; nothing if there is no room for names."""
        rule = self._dialect.names
        if self._dialect.counts_prefix and prefix:
            dialect_prefix = self._dialect.own_prefix
            before = prefix if prefix.startswith(dialect_prefix) else dialect_prefix + prefix
            rule = replace(rule, longest=rule.longest - len(before))
        if rule.longest < SHORTEST:
            for renderable in known:
                self._lose(
                    renderable.name, "name", "has no room behind the prefix: the tool is left out"
                )
            return {}
        names = published((renderable.name for renderable in known), rule)
        for tool_name, name in names.items():
            if name != tool_name.translate(PLAIN):
                self._lose(tool_name, "name", f"is not accepted: published as `{name}`")
        return names

    def _choose_strict(self, known: list[Renderable]) -> None:
        """Find the tools that can be strict, and record why the others are not."""
        dialect = self._dialect
        if not self._wants_strict or dialect.strict_is == "always":
            return
        if dialect.strict is None:
            if dialect.strict_is == "none":
                self._lose("", "strict", f"is not known to {dialect.name}: no tool is strict")
            return
        costs = self._costs(known)
        refused = [renderable for renderable in known if renderable.name not in costs]
        chosen = allotted(costs, dialect.limits)
        without_room = [name for name in costs if name not in chosen]
        for name in without_room if dialect.strict_is == "tool" else ():
            self._lose(name, "strict", "has no room: the limits of strict tools are used up")
        if dialect.strict_is != "tool" and (refused or without_room):
            self._lose("", "strict", "holds for all tools or none here: no tool is strict")
            return
        self._strict = chosen

    def _costs(self, known: list[Renderable]) -> dict[str, Cost]:
        """Return the cost of each tool that can be strict by itself."""
        costs: dict[str, Cost] = {}
        strict = self._dialect.strict
        for renderable in known:
            encoded = renderable.encoded(strict) if strict is not None else None
            if encoded is None:
                continue
            cost = cost_of(encoded.fresh())
            broken = too_large(cost, self._dialect.limits)
            if broken is not None:
                self._lose(renderable.name, broken[0], f"{broken[1]}: the tool is not strict")
            elif strict is not None and strict.required == "some" and cost.bare_objects:
                self._lose(renderable.name, "required", "has no entry: the tool cannot be strict")
            else:
                costs[renderable.name] = cost
        return costs

    def _encoded(self, each: Renderable) -> EncodedSchema | None:
        strict = self._dialect.strict
        if each.name in self._strict and strict is not None:
            return each.encoded(strict)
        return each.encoded(self._dialect.rules)

    def _sent(self, each: Renderable, name: str, encoded: EncodedSchema) -> Sent:
        text = each.description if self._dialect.wire == "mcp" else each.described
        text = with_sentences(text, list(encoded.sentences))
        most = self._dialect.limits.description
        if most is not None and len(text) > most:
            self._lose(each.name, "description", f"has {len(text)} characters: cut at {most}")
            text = _cut(text, most)
        says_so = self._dialect.strict_is in ("tool", "together")
        is_strict = says_so and each.name in self._strict
        deferred = bool(self._deferred) and matches(each.name, self._deferred)
        return Sent(
            name, text, encoded, is_strict, each.listed, self._examples(each, encoded), deferred
        )

    def _examples(self, each: Renderable, encoded: EncodedSchema) -> list[JsonObject]:
        if self.written is None or not self._dialect.examples or each.tool is None:
            return []
        examples = examples_of(each.tool, encoded, self.written(each.tool))
        for fault in examples.faults:
            self._lose(each.name, "input_examples", fault)
        return examples.valid

    def _choose_deferred(self, known: list[Renderable]) -> None:
        """Drop the wish to defer tools where the provider has no search, or no tool is meant."""
        if not self._deferred:
            return
        if not self._dialect.search:
            fault = f"is not known to {self._dialect.name}: all tools are loaded"
        elif any(renderable.name == self._dialect.search.get("name") for renderable in known):
            fault = "needs a name that a tool has: all tools are loaded"
        elif known and not any(matches(renderable.name, self._deferred) for renderable in known):
            fault = "matches no tool: all are loaded"
        else:
            return
        self._lose("", "defer_loading", fault)
        self._deferred = ()

    def _request(self, known: list[Renderable]) -> JsonObject:
        """Return what else belongs in the request."""
        dialect = self._dialect
        if not self._wants_strict or not known or (dialect.strict and not self._strict):
            return {}
        return copy.deepcopy(dict(dialect.strict_request))


def _no_examples(_tool: Tool) -> Iterable[Mapping[str, Any]]:
    return ()


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text, cut between words."""
    beginning = text[: most - 3]
    return f"{beginning.rpartition(' ')[0] or beginning}..."


class Cost(NamedTuple):
    """How much of the limits one strict schema takes."""

    optional: int
    unions: int
    properties: int
    levels: int
    characters: int
    enum_values: int
    longest_enum: tuple[int, int]
    """Values and characters of the largest enum."""
    bare_objects: int
    """Objects without a required property."""


def cost_of(schema: Mapping[str, Any]) -> Cost:
    """Return how much a schema takes; references are not followed."""
    optional = unions = properties = levels = characters = values = bare = 0
    longest = (0, 0)
    todo: list[tuple[Any, int]] = [(schema, 1)]
    while todo:
        node, level = todo.pop()
        if not is_object(node):
            continue
        unions += "anyOf" in node or is_list(node.get("type"))
        declared = node.get("properties")
        if is_object(declared):
            levels = max(levels, level)
            properties += len(declared)
            needed = _listed(node.get("required"))
            optional += len(declared.keys() - set(needed))
            bare += not needed
            characters += sum(map(len, declared))
            todo.extend((child, level + 1) for child in declared.values())
        enum = _listed(node.get("enum"))
        if enum:
            size = sum(len(str(member)) for member in enum)
            values += len(enum)
            characters += size
            longest = max(longest, (len(enum), size))
        for name, definition in _definitions(node):
            characters += len(name)
            todo.append((definition, 1))
        todo.extend((child, level) for child in _inside(node))
        if "items" in node:
            todo.append((node["items"], level + 1))
            levels = max(levels, level)
    return Cost(optional, unions, properties, levels, characters, values, longest, bare)


def _listed(value: Any) -> list[Any]:
    return value if is_list(value) else []


def _definitions(node: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    definitions = node.get("$defs")
    return definitions.items() if is_object(definitions) else ()


def _inside(node: Mapping[str, Any]) -> list[Any]:
    return [*_listed(node.get("anyOf")), *_listed(node.get("prefixItems"))]


def too_large(cost: Cost, limits: Quota) -> tuple[str, str] | None:
    """Return the limit that one strict tool breaks by itself, and how; None if it breaks none."""
    checks = (
        ("properties", cost.levels, limits.levels, "levels of nesting"),
        ("properties", cost.properties, limits.properties, "properties"),
        ("properties", cost.characters, limits.characters, "characters in names and enums"),
        ("enum", cost.enum_values, limits.enum_values, "enum values"),
        ("properties", cost.optional, limits.optional, "optional parameters"),
        ("anyOf", cost.unions, limits.unions, "parameters of several types"),
        ("properties", cost.properties, limits.fields, "fields"),
    )
    for keyword, has, most, what in checks:
        if most is not None and has > most:
            return keyword, f"has {has} {what}, and at most {most} are strict"
    if limits.enum_characters is not None:
        count, size = limits.enum_characters
        if cost.longest_enum[0] > count and cost.longest_enum[1] > size:
            return "enum", f"has {cost.longest_enum[1]} characters, and at most {size} are strict"
    return None


def allotted(costs: Mapping[str, Cost], limits: Quota) -> set[str]:
    """Return the tools that can be strict together: the cheapest first, so that there are many."""
    order = {name: position for position, name in enumerate(costs)}
    tools = optional = unions = fields = 0
    chosen: set[str] = set()

    def price(name: str) -> tuple[int, int]:
        cost = costs[name]
        return cost.optional + cost.unions, order[name]

    for name in sorted(costs, key=price):
        cost = costs[name]
        after = (
            (tools + 1, limits.strict_tools),
            (optional + cost.optional, limits.optional),
            (unions + cost.unions, limits.unions),
            (fields + cost.properties, limits.fields),
        )
        if all(most is None or count <= most for count, most in after):
            chosen.add(name)
            tools, optional = tools + 1, optional + cost.optional
            unions, fields = unions + cost.unions, fields + cost.properties
    return chosen
