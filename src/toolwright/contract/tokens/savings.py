"""What would make definitions of tools cheaper."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..._json_values import is_list, is_object
from ..._words import count_of, truncate
from ...json_schema.walk import LISTS, MAPS, SINGLES
from .costs import ToolCost, entries_of, schema_of
from .estimate import estimate_tokens

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
            places[_written(bare)].append(".".join(path))
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


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)
