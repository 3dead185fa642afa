"""Ranks tools by a query, with the full-text search of SQLite."""

from __future__ import annotations

import difflib
import re
import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import NamedTuple

MOST_QUERY = 500
"""How many characters of a query are read."""
_MOST_WORDS = 32
_MOST_TEXT = 10_000
"""How many characters of each text of a tool are indexed."""
_WEIGHTS = (4.0, 2.0, 1.0, 0.5)
"""The weights of name, summary, details and parameters; `benchmarks/search.py` measures them."""
_STOP_WORDS = frozenset(
    "a an and are as at be by can do for from have how i in is it me my of on or please that the"  # noqa: SIM905
    " their them then there this to want we what when where which who will with you your".split()
)
"""Words that are in most texts, and say nothing about what is searched for."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+|[^\W_]+")
"""One word of a name such as `listOpenOrders_v2`; each alternative takes as much as it can."""
_MOST_MISSPELLED = 4
_SHORTEST_GUESS, _LONGEST_GUESS = 4, 32
_ALIKE = 0.75
"""How alike two words must be for one to be taken for the other, as `difflib` measures it."""


class IndexedTool(NamedTuple):
    """The texts of one tool that are searched."""

    name: str
    summary: str
    """Its title, and the first line of its description."""
    details: str
    """The rest of its description."""
    parameters: str
    """Names and texts of its parameters, and its tags."""


class SearchUnavailable(RuntimeError):
    """The SQLite of this Python has no full-text search."""

    def __init__(self) -> None:
        super().__init__(
            "search needs a Python whose sqlite3 has FTS5; this one's does not"
            f" (SQLite {sqlite3.sqlite_version})"
        )


class ToolIndex:
    """An index in memory: BM25 over stemmed words; words that no tool has are taken as misspelled."""

    def __init__(self, tools: Iterable[IndexedTool]) -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        weakref.finalize(self, self._database.close)
        self._names: list[str] = []
        self._known: dict[int, set[str]] = {}
        """The words of names and summaries, by their length."""
        try:
            self._create()
        except sqlite3.OperationalError as error:
            raise SearchUnavailable from error
        for tool in tools:
            self._add(tool)

    def _create(self) -> None:
        columns = "name, summary, details, parameters, content=''"
        stems = "tokenize='porter unicode61 remove_diacritics 2'"
        self._database.execute(f"CREATE VIRTUAL TABLE tools USING fts5({columns}, {stems})")

    def _add(self, tool: IndexedTool) -> None:
        self._names.append(tool.name)
        texts = [words(text[:_MOST_TEXT]) for text in tool]
        for word in (*texts[0], *texts[1]):
            if word not in _STOP_WORDS:
                self._known.setdefault(len(word), set()).add(word)
        # Also as it is written: whoever knows a name types it that way.
        texts[0].append(tool.name.casefold())
        self._database.execute(
            "INSERT INTO tools(rowid, name, summary, details, parameters) VALUES (?, ?, ?, ?, ?)",
            (len(self._names), *map(" ".join, texts)),
        )

    def __len__(self) -> int:
        return len(self._names)

    def ranked(self, query: str) -> Iterator[str]:
        """Yield the names of tools, best first; all of them, in order, for an empty query."""
        typed = dict.fromkeys(words(query[:MOST_QUERY]))
        terms = [word for word in typed if word not in _STOP_WORDS] or list(typed)
        del terms[_MOST_WORDS:]
        if not terms:
            yield from self._names
            return
        unknown = [word for word in terms if not self._found([word], most=1)]
        for number in self._found([*terms, *self._meant(unknown)]):
            yield self._names[number - 1]

    def _meant(self, unknown: list[str]) -> Iterator[str]:
        """Yield the words that misspelled ones may stand for."""
        for word in unknown[:_MOST_MISSPELLED]:
            if _SHORTEST_GUESS <= len(word) <= _LONGEST_GUESS:
                lengths = range(len(word) - 2, len(word) + 3)
                near = [
                    candidate for length in lengths for candidate in self._known.get(length, ())
                ]
                yield from difflib.get_close_matches(word, sorted(near), 2, _ALIKE)

    def _found(self, terms: list[str], most: int = -1) -> list[int]:
        """Return the numbers of tools that have any of these terms, best first."""
        # Quoted, a term is never an operator of the query language (FTS5, 3.1 strings).
        query = " OR ".join(f'"{term}"' for term in terms)
        weights = ", ".join(map(str, _WEIGHTS))
        with self._lock:
            rows = self._database.execute(
                "SELECT rowid FROM tools WHERE tools MATCH ?"  # noqa: S608 - the weights are ours
                f" ORDER BY bm25(tools, {weights}), rowid LIMIT ?",
                (query, most),
            )
            return [row[0] for row in rows]


def words(text: str) -> list[str]:
    """Return the words of a text or a name, in lower case."""
    return [word.casefold() for word in _WORD.findall(text)]
