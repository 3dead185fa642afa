"""What names say: hints that contradict them, and tools alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

from ..findings import Finding, Found, Severity, check, first_of
from ..subjects import CheckedTool, CheckedToolbox

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_DESTROYS = frozenset(
    (
        *("delete", "remove", "archive", "drop", "purge", "clear", "wipe", "destroy", "truncate"),
        *("erase", "unlink", "uninstall"),
    )
)
_READS = frozenset(
    (
        *("get", "list", "search", "find", "fetch", "read", "show", "describe", "count"),
        *("lookup", "query", "view"),
    )
)


def words_of(name: str) -> list[str]:
    """Return the words of a name: `getUserById`, `get_user_by_id` and `get-user-by-id` alike."""
    return [part.lower() for part in _PARTS.findall(name[:200])]


@check(
    "missing_destructive_hint",
    fix="say `destructive=True`, or `destructive=False` if nothing is lost",
    group="hints",
)
def missing_destructive_hint(tool: CheckedTool) -> Found:
    """A tool's name says that it destroys something, and its hints do not say whether."""
    verb = next((word for word in words_of(tool.name) if word in _DESTROYS), "")
    if not verb or tool.options.destructive is not None:
        return
    if tool.options.read_only:
        fix = "remove `read_only`, or choose another name"
        yield tool.finding(f"says `{verb}` in its name, but also that it changes nothing", fix=fix)
    else:
        yield tool.finding(f"says `{verb}` in its name, but nothing about being destructive")


@check(
    "contradictory_hints",
    fix="a tool that changes nothing destroys nothing: keep one of them",
    group="hints",
)
def contradictory_hints(tool: CheckedTool) -> Found:
    """A tool says that it changes nothing, and that it is destructive."""
    if tool.options.read_only and tool.options.destructive:
        yield tool.finding("is both read-only and destructive")


@check(
    "read_only_suggestion",
    severity=Severity.INFO,
    fix="say `read_only=True` if that is so: clients ask less often before they call it",
    group="hints",
)
def read_only_suggestion(tool: CheckedTool) -> Found:
    """A tool's name says that it only reads, and its hints say nothing."""
    hints = (tool.options.read_only, tool.options.destructive, tool.options.idempotent)
    words = words_of(tool.name)
    reads = bool(words) and words[0] in _READS and _DESTROYS.isdisjoint(words)
    if reads and all(hint is None for hint in hints):
        yield tool.finding(f"begins with `{words[0]}`, but does not say that it changes nothing")


_ALIKE = 0.9
"""From this share of common words on, two descriptions are alike."""
_MOST_WORDS = 200
_LEAST_WORDS = 3
_MOST_COMPARED = 50
"""How many other tools a tool is compared with: those that share its rarest words."""
_WORD = re.compile(r"\w+")
_SAME: dict[str, str] = {
    word: words.split()[0]
    for words in (
        "search find lookup query",
        "get fetch retrieve read load obtain",
        "delete remove erase destroy",
        "create add insert make",
        "update edit modify change",
        "list enumerate",
        "show display view print",
        "send post submit",
    )
    for word in words.split()
}
_EMPTY = frozenset(
    (
        *("a", "an", "the", "this", "that", "it", "its", "and", "or", "is", "are", "be"),
        *("of", "to", "in", "on", "for", "with", "by", "from", "as"),
    )
)


class _Described(NamedTuple):
    tool: CheckedTool
    words: frozenset[str]
    name: frozenset[str]


@check(
    "similar_tools",
    fix="say in each description when to use it and not the other, or merge them into one tool",
    group="similar",
    scope="toolbox",
)
def similar_tools(box: CheckedToolbox) -> Found:
    """Tools have names or descriptions that a model can hardly tell apart."""
    reported: set[frozenset[str]] = set()
    for group in _same_names(box):
        reported.update(_pairs(group))
        yield _of_group(group, "has a name that means the same as that of")
    described = [_described(tool) for tool in box]
    groups: dict[frozenset[str], list[_Described]] = {}
    for description in described:
        if len(description.words) >= _LEAST_WORDS:
            groups.setdefault(description.words, []).append(description)
    for same in groups.values():
        tools = [description.tool for description in same]
        if len(same) > 1 and not _pairs(tools) <= reported:
            yield _of_group(tools, "says the same as")
    for first, second in _alike([same[0] for same in groups.values()]):
        if frozenset((first.tool.name, second.tool.name)) not in reported:
            yield _of_group([first.tool, second.tool], "says nearly the same as")


def _pairs(tools: Sequence[CheckedTool]) -> set[frozenset[str]]:
    """Return the first tool with each of the others."""
    return {frozenset((tools[0].name, tool.name)) for tool in tools[1:]}


def _of_group(tools: Sequence[CheckedTool], text: str) -> Finding:
    return tools[0].finding(f"{text} {first_of([tool.name for tool in tools[1:]])}")


def _same_names(box: CheckedToolbox) -> list[list[CheckedTool]]:
    """Return groups of tools whose names differ only in words of the same meaning."""
    groups: dict[tuple[str, ...], list[CheckedTool]] = {}
    for tool in box:
        words = tuple(_SAME.get(word, word) for word in words_of(tool.name))
        if len(words) > 1:
            groups.setdefault(words, []).append(tool)
    return [group for group in groups.values() if len(group) > 1]


def _described(tool: CheckedTool) -> _Described:
    all_words: list[str] = [
        word.lower() for word in _WORD.findall(tool.description[: 20 * _MOST_WORDS])
    ]
    words = frozenset(_SAME.get(word, word) for word in all_words[:_MOST_WORDS]) - _EMPTY
    name_words = frozenset(_SAME.get(word, word) for word in words_of(tool.name))
    return _Described(tool, words, name_words)


def _alike(described: Sequence[_Described]) -> Iterator[tuple[_Described, _Described]]:
    """Yield pairs of tools described in nearly the same words.

    Two sets that have nine tenths in common share one of the rarest tenth of their words, so only
    those that do are compared (prefix filtering): hundreds of tools take milliseconds.
    """
    counts = Counter(word for description in described for word in description.words)
    index: dict[str, list[int]] = {}
    for position, description in enumerate(described):
        rarest = sorted(description.words, key=lambda word: (counts[word], word))
        prefix = rarest[: len(rarest) - ceil(_ALIKE * len(rarest)) + 1]
        met = dict.fromkeys(
            candidate for word in prefix for candidate in index.get(word, ())[-_MOST_COMPARED:]
        )
        for candidate in list(met)[:_MOST_COMPARED]:
            if _is_alike(described[candidate], description):
                yield described[candidate], description
        for word in prefix:
            index.setdefault(word, []).append(position)


def _is_alike(first: _Described, second: _Described) -> bool:
    """Return whether words are alike, and do not differ just where the names do."""
    common = len(first.words & second.words)
    if common < _ALIKE * len(first.words | second.words):
        return False
    return not (
        _is_named(first.words - second.words, first.name - second.name)
        and _is_named(second.words - first.words, second.name - first.name)
    )


def _is_named(words: frozenset[str], name: frozenset[str]) -> bool:
    """Return whether one of these words is in a name, perhaps shortened: `corr`, `correlation`."""
    return any(word.startswith(part[:4]) for word in words for part in name if len(part) > 2)
