"""What tools cost a model in tokens, and how to save."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._json_values import is_list, is_object
from .._words import count_of, truncate
from ..json_schema.walk import LISTS, MAPS, SINGLES

__all__ = ["Saving", "TokenBudget", "ToolCost", "costs_of", "estimate_tokens", "savings_in"]

# Weights of characters were fitted to o200k_base on definitions of tools: decision 0024.
_PIECE = re.compile(
    r"(?P<word>[A-Z]?[a-z]+)|(?P<capitals>[A-Z]+)|(?P<digits>[0-9]{1,3})|(?P<blanks>[ \t]+)"
    r"|(?P<breaks>[\r\n]+)|(?P<signs>[!-/:-@\[-`{-~]+)|(?P<beyond>[^\x00-\x7f]+)"
    r"|(?P<controls>[\x00-\x1f\x7f])"
)
_LONGEST_WORD = 24
"""Letters; a longer run is not a word, and is cut into small parts."""
_BEYOND_ASCII = (
    (0x250, 1.08),  # accented Latin: each breaks a word apart
    (0x1E00, 0.36),  # Greek, Cyrillic, Hebrew, Arabic, Indic, Thai, Georgian
    (0x1F00, 1.08),  # Vietnamese
    (0x2000, 0.36),
    (0x2E80, 0.86),  # dashes, quotes, arrows, signs
    (0xE000, 0.66),  # Chinese, Japanese, Korean
    (0xF900, 2.0),
    (0x10000, 0.66),
)
_RARE = 1.6
"""The weight of characters beyond the first plane, mostly emoji."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text takes.

    On definitions of tools it is off by 3 % on average. It takes time in proportion to the text,
    and needs neither a network nor a table.

    >>> estimate_tokens("Search the catalogue.")
    4
    """
    total = 0.0
    for piece in _PIECE.finditer(text):
        kind = piece.lastgroup
        length = piece.end() - piece.start()
        if kind == "word":
            total += _word(length)
        elif kind == "signs":
            total += 0.72 if length <= 3 else 1.34 + 0.36 * (length - 4)
        elif kind == "capitals":
            total += 1.06 if length == 1 else 1.3 + 0.3 * (length - 2)
        elif kind == "blanks":
            total += 0.0 if length == 1 else 0.72 + length // 80
        elif kind == "breaks":
            total += 0.56 + length // 80
        elif kind == "beyond":
            total += sum(map(_beyond, piece.group()))
        else:
            total += 1.0
    return round(total)


def _word(length: int) -> float:
    if length > _LONGEST_WORD:
        return 0.4 * length
    return 1.07 + 0.03 * max(0, min(length, 8) - 5) + 0.065 * max(0, length - 8)


def _beyond(character: str) -> float:
    code = ord(character)
    for end, weight in _BEYOND_ASCII:
        if code < end:
            return weight
    return _RARE


_INPUTS = ("inputSchema", "input_schema", "parameters", "parametersJsonSchema")
_OUTPUTS = ("outputSchema", "output_schema")
_DEEPEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCost:
    """How many tokens the definition of a tool takes, and what for; all of it is estimated."""

    tool: str
    total: int
    name: int = 0
    description: int = 0
    parameters: Mapping[str, int] = field(default_factory=dict[str, int])
    """By parameter: its name, its schema and its description."""
    schema: int = 0
    """The whole input schema."""
    output: int = 0
    """The output schema; most clients do not show it to the model."""
    result: int | None = None
    """What the results of its examples take on average; None if there were none."""
    most_result: int | None = None
    """What a result can take at most; None if that is not bounded."""

    @property
    def other(self) -> int:
        """What is left: title, hints, and what the wire shape adds."""
        return max(self.total - self.name - self.description - self.schema - self.output, 0)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        document: dict[str, Any] = {
            "tool": self.tool,
            "total": self.total,
            "name": self.name,
            "description": self.description,
            "schema": self.schema,
            "parameters": dict(self.parameters),
            "output": self.output,
            "other": self.other,
        }
        if self.result is not None:
            document["result"] = self.result
        if self.most_result is not None:
            document["most_result"] = self.most_result
        return document


def costs_of(
    definitions: Iterable[Any], results: Mapping[str, Sequence[int]] | None = None
) -> list[ToolCost]:
    """Return what definitions in the shape of any provider cost; each has a `name` in it.

    >>> [cost] = costs_of([{"name": "add", "description": "Add two numbers."}])
    >>> (cost.tool, cost.description)
    ('add', 7)
    """
    measured = results or {}
    costs: list[ToolCost] = []
    for definition in definitions:
        entries = list(_entries(definition))
        for entry in entries:
            # What wraps a single entry is part of its cost.
            wrapped = definition if len(entries) == 1 else entry
            costs.append(_cost(entry, wrapped, measured.get(str(entry["name"]), ())))
    return costs


def _entries(node: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield the objects that describe tools in a definition: providers wrap them differently."""
    if depth > _DEEPEST:
        return
    if is_object(node) and isinstance(node.get("name"), str):
        yield node
    elif is_object(node):
        for value in node.values():
            yield from _entries(value, depth + 1)
    elif is_list(node):
        for value in node:
            yield from _entries(value, depth + 1)


def _cost(entry: Mapping[str, Any], whole: Any, results: Sequence[int]) -> ToolCost:
    properties = properties_of(entry)
    return ToolCost(
        tool=str(entry["name"]),
        total=estimate_tokens(_written(whole)),
        name=_part(entry, ("name",)),
        description=_part(entry, ("description",)),
        schema=_part(entry, _INPUTS),
        parameters={name: _pair(name, schema) for name, schema in properties.items()},
        output=_part(entry, _OUTPUTS),
        result=round(sum(results) / len(results)) if results else None,
    )


def schema_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the input schema of a definition, whatever it is called."""
    empty: Mapping[str, Any] = {}
    schema: Any = next((entry[key] for key in _INPUTS if is_object(entry.get(key))), empty)
    json_schema: Any = schema.get("json")  # as Bedrock wraps it
    return json_schema if is_object(json_schema) and len(schema) == 1 else schema


def properties_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schemas of the parameters of a definition."""
    properties: Any = schema_of(entry).get("properties")
    return properties if is_object(properties) else {}


def entries_of(definitions: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Return the objects that describe tools in definitions of any shape."""
    return [entry for definition in definitions for entry in _entries(definition)]


def _part(entry: Mapping[str, Any], keys: Sequence[str]) -> int:
    return sum(_pair(key, entry[key]) for key in keys if key in entry)


def _pair(key: str, value: Any) -> int:
    return estimate_tokens(f"{json.dumps(key)}:{_written(value)},")


def _written(value: Any, *, is_sorted: bool = False) -> str:
    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), sort_keys=is_sorted, default=str
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBudget:
    """How many tokens a tool, and all tools together, may take; None is no limit."""

    max_tool: int | None = None
    max_total: int | None = None

    def over(self, costs: Sequence[ToolCost]) -> list[str]:
        """Return what is over the budget, one line each; nothing if all is well."""
        lines: list[str] = []
        if self.max_tool is not None:
            lines += [
                f"{cost.tool} takes {cost.total:,} tokens; at most {self.max_tool:,} are allowed"
                for cost in costs
                if cost.total > self.max_tool
            ]
        total = sum(cost.total for cost in costs)
        if self.max_total is not None and total > self.max_total:
            allowed = f"at most {self.max_total:,} are allowed"
            lines.append(f"all tools together take {total:,} tokens; {allowed}")
        return lines


def budget_from(table: Mapping[str, Any], dialect: str, known: Sequence[str]) -> TokenBudget:
    """Read `[tool.toolwright.tokens]`: for all, and for one provider. Raises `ValueError`."""
    limits: dict[str, int] = {}
    for key, value in table.items():
        if key in ("max_tool", "max_total"):
            limits[key] = _limit(key, value)
        elif key not in known:
            has = "max_tool, max_total, and tables of providers such as openai"
            msg = f"[tool.toolwright.tokens] has no `{key}`; it has {has}"
            raise ValueError(msg)
    overrides = table.get(dialect, {})
    if not is_object(overrides):
        msg = f"`tokens.{dialect}` must be a table; got {overrides!r}"
        raise ValueError(msg)
    for key, value in overrides.items():
        if key not in ("max_tool", "max_total"):
            msg = f"[tool.toolwright.tokens.{dialect}] has no `{key}`; it has max_tool, max_total"
            raise ValueError(msg)
        limits[key] = _limit(f"{dialect}.{key}", value)
    return TokenBudget(**limits)


def _limit(key: str, value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        msg = f"`tokens.{key}` must be a whole number; got {value!r}"
        raise ValueError(msg)
    return value


_LONG_DESCRIPTION = 120
"""Tokens: enough for a paragraph and an example."""
_LONG_PARAMETER = 60
_LONG_ENUM = 25
_LONG_DEFAULT = 40
_LONG_SENTENCE = 8
"""From this many tokens on, it matters that a sentence is repeated."""
_DEEP = 5
_MANY_TOOLS, _LARGE_LIST = 40, 10_000
_THREE_TOOLS = 450
"""About how many tokens the three tools of `serve --search` take."""
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_MOST_TEXT = 100_000


class Saving(NamedTuple):
    """Something that would make a definition cheaper."""

    tokens: int
    """About how many tokens it would save."""
    tool: str
    """Which tool it is about; empty for several."""
    what: str
    """What costs so much, and what to do."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {"tokens": self.tokens, "tool": self.tool, "what": self.what}


def savings_in(definitions: Sequence[Any], costs: Sequence[ToolCost]) -> list[Saving]:
    """Return what would save tokens, the most worthwhile first."""
    entries = entries_of(definitions)
    savings = [*_repeated_text(entries), *_output_schemas(costs), *_too_many(costs)]
    for entry in entries:
        savings += _of_one(entry)
    return sorted(
        (saving for saving in savings if saving.tokens > 0), key=lambda each: -each.tokens
    )


def _of_one(entry: Mapping[str, Any]) -> Iterator[Saving]:
    tool = str(entry["name"])
    tokens = estimate_tokens(str(entry.get("description") or "")[:_MOST_TEXT])
    if tokens > _LONG_DESCRIPTION:
        what = (
            f"its description takes {tokens} tokens: {_LONG_DESCRIPTION} are enough for most tools"
        )
        yield Saving(tokens - _LONG_DESCRIPTION, tool, what)
    schema = schema_of(entry)
    for path, node in _nodes(schema):
        yield from _of_node(tool, path, node)
    yield from _repeated_schemas(tool, schema)


def _of_node(tool: str, path: tuple[str, ...], node: Mapping[str, Any]) -> Iterator[Saving]:
    where = ".".join(path)
    description_tokens = estimate_tokens(str(node.get("description") or "")[:_MOST_TEXT])
    if path and description_tokens > _LONG_PARAMETER:
        what = f"the description of {where} takes {description_tokens} tokens"
        yield Saving(description_tokens - _LONG_PARAMETER, tool, what)
    values: Any = node.get("enum")
    if is_list(values) and len(values) > _LONG_ENUM:
        tokens = estimate_tokens(_written(values))
        what = f"{where} lists {len(values)} values: accept text, and name near values in errors"
        yield Saving(tokens - 10, tool, what)
    default = estimate_tokens(_written(node["default"])) if "default" in node else 0
    if default > _LONG_DEFAULT:
        yield Saving(default, tool, f"{where} has a default of {default} tokens: None would do")
    if len(path) == _DEEP and node.get("properties"):
        tokens = estimate_tokens(_written(node))
        what = f"{where} is {_DEEP} levels deep: a flatter parameter is cheaper, and easier to fill"
        yield Saving(tokens // 2, tool, what)


def _nodes(schema: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield all parts of a schema that are schemas, with the names that lead to them."""
    todo: list[tuple[tuple[str, ...], Any]] = [(path, schema)]
    while todo:
        place, node = todo.pop()
        if not is_object(node):
            continue
        yield place, node
        for word, value in node.items():
            if (word in MAPS or word == "definitions") and is_object(value):
                todo += [((*place, str(name)), child) for name, child in value.items()]
            elif word in LISTS and is_list(value):
                todo += [(place, child) for child in value]
            elif word in SINGLES:
                todo.append((place, value))


def _repeated_schemas(tool: str, schema: Mapping[str, Any]) -> Iterator[Saving]:
    """Find objects that occur several times in one schema, as inlining makes them."""
    places: dict[str, list[str]] = defaultdict(list)
    for path, node in _nodes(schema):
        if path and node.get("properties"):
            bare = {key: value for key, value in node.items() if key != "description"}
            places[_written(bare, is_sorted=True)].append(".".join(path))
    for text, paths in places.items():
        tokens = estimate_tokens(text)
        if len(paths) > 1 and tokens > _LONG_PARAMETER:
            where = ", ".join(paths[:3]) + (", ..." if len(paths) > 3 else "")
            what = f'the same object is at {where}: style="full" writes it once, under $defs'
            yield Saving(tokens * (len(paths) - 1), tool, what)


def _repeated_text(entries: Sequence[Mapping[str, Any]]) -> Iterator[Saving]:
    """Find sentences that several descriptions share."""
    places: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        texts = [str(entry.get("description") or "")]
        texts += [str(node.get("description") or "") for _, node in _nodes(schema_of(entry))]
        for text in texts:
            for sentence in _sentences(text):
                places[sentence].append(str(entry["name"]))
    for sentence, tools in places.items():
        tokens = estimate_tokens(sentence)
        if len(tools) > 2 and tokens >= _LONG_SENTENCE:
            only_tool = tools[0] if len(set(tools)) == 1 else ""
            where = "" if only_tool else f" in {len(set(tools))} tools"
            what = f"`{truncate(sentence, 60)}` appears {len(tools)} times{where}: say it once, in the instructions"
            yield Saving(tokens * (len(tools) - 1), only_tool, what)


def _sentences(text: str) -> Iterable[str]:
    return (
        sentence.strip() for sentence in _SENTENCE.findall(text[:_MOST_TEXT]) if sentence.strip()
    )


def _output_schemas(costs: Sequence[ToolCost]) -> Iterator[Saving]:
    total = sum(cost.output for cost in costs)
    count = sum(1 for cost in costs if cost.output)
    if total:
        what = f'{count_of(count, "output schema")}: where no client needs one, emit="text" leaves it out'
        yield Saving(total, "", what)


def _too_many(costs: Sequence[ToolCost]) -> Iterator[Saving]:
    total = sum(cost.total for cost in costs)
    if len(costs) >= _MANY_TOOLS and total >= _LARGE_LIST:
        what = f"{len(costs)} tools: `serve --search` lists three that find and call them"
        yield Saving(total - _THREE_TOOLS, "", what)
