"""Reads Google, NumPy, Sphinx and Epydoc docstrings.

Only the parameters move out, each with its text; everything else stays, word for word.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Entry(NamedTuple):
    """One documented parameter: its name without stars, its text, and the lines it came from."""

    name: str
    text: str
    lines: tuple[str, ...]


class Section(NamedTuple):
    """A run of documented parameters: its heading, if any, and its entries."""

    heading: tuple[str, ...]
    entries: tuple[Entry, ...]


class Docstring(NamedTuple):
    """A docstring taken apart; `parts` are lines of text and sections, in order."""

    parts: tuple[str | Section, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        """Return the text of every documented parameter."""
        found: dict[str, str] = {}
        for entry in self._entries():
            if entry.text and entry.text not in found.get(entry.name, ""):
                found[entry.name] = f"{found.get(entry.name, '')} {entry.text}".strip()
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Return the documented names, in order."""
        return tuple(dict.fromkeys(entry.name for entry in self._entries()))

    def _entries(self) -> Iterable[Entry]:
        for part in self.parts:
            if isinstance(part, Section):
                yield from part.entries

    def without(self, names: Iterable[str]) -> str:
        """Return the text without the entries of these names."""
        gone = frozenset(names)
        lines: list[str] = []
        for part in self.parts:
            if isinstance(part, str):
                lines.append(part)
                continue
            kept = [entry for entry in part.entries if entry.name not in gone]
            if kept:
                lines.extend(part.heading)
            # Names that share one text share its lines, too.
            for written in {id(entry.lines): entry.lines for entry in kept}.values():
                lines.extend(written)
        return re.sub(r"\n[ \t]*\n(?:[ \t]*\n)+", "\n\n", "\n".join(lines)).strip()


PARAMETERS = frozenset(
    (
        "args",
        "arguments",
        "parameters",
        "params",
        "keyword args",
        "keyword arguments",
        "keyword parameters",
        "other parameters",
    )
)
ATTRIBUTES = PARAMETERS | {"attributes", "attrs", "fields"}


@functools.lru_cache(maxsize=512)
def parse(text: str | None, headings: frozenset[str] = PARAMETERS) -> Docstring:
    """Take a docstring apart. Never fails: what it does not understand stays text."""
    if not text:
        return Docstring()
    parts: list[str | Section] = list(inspect.cleandoc(text).split("\n"))
    readers: tuple[Callable[[list[str], frozenset[str]], list[str | Section]], ...] = (
        _numpy,
        _google,
        _fields,
    )
    for reader in readers:
        parts = _apply(reader, parts, headings)
    return Docstring(tuple(parts))


def _apply(
    reader: Callable[[list[str], frozenset[str]], list[str | Section]],
    parts: list[str | Section],
    headings: frozenset[str],
) -> list[str | Section]:
    """Give a reader each run of lines that no reader has taken yet."""
    done: list[str | Section] = []
    run: list[str] = []
    for part in [*parts, Section((), ())]:
        if isinstance(part, str):
            run.append(part)
            continue
        if run:
            done.extend(reader(run, headings))
            run = []
        if part.entries:
            done.append(part)
    return done


def _heading(line: str, headings: frozenset[str]) -> bool:
    return line.strip().rstrip(":").strip().lower() in headings


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# -- Google: "Args:" and an indented block of "name (type): text"

_GOOGLE = re.compile(
    r"""\A[`*\\]*+(?P<names>\w++(?:\s*+,\s*+[`*\\]*+\w++)*+)`*+    # name, or several
        (?:\s*+\([^()]*+(?:\([^()]*+\)[^()]*+)*+\))?+  # (type, with one level of brackets)
        (?:\s*+:(?:\s++|$)|\s++--?\s++)(?P<text>.*)""",
    re.VERBOSE,
)


def _google(lines: list[str], headings: frozenset[str]) -> list[str | Section]:
    done: list[str | Section] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.rstrip().endswith(":") and _heading(line, headings):
            end = _block_end(lines, at)
            section = _section((line,), lines[at + 1 : end], _google_entry)
            if section:
                done.append(section)
                at = end
                continue
        done.append(line)
        at += 1
    return done


def _block_end(lines: list[str], heading: int) -> int:
    """Find where the block under a heading ends; blank lines behind it stay outside."""
    base = _indent(lines[heading])
    if heading == 0 and _indent(next((x for x in lines[1:] if x.strip()), " ")) == 0:
        base = -1  # a docstring that opens with a heading: cleaning took its block's indent away
    end = last = heading + 1
    while end < len(lines):
        if lines[end].strip():
            if _indent(lines[end]) <= base or (base < 0 and re.match(r"[A-Z][\w ]*:$", lines[end])):
                break
            last = end + 1
        end += 1
    return last


def _google_entry(line: str) -> tuple[list[str], str] | None:
    match = _GOOGLE.match(line)
    return (_names(match["names"]), match["text"]) if match else None


def _names(text: str) -> list[str]:
    return [name.strip().strip("`*\\") for name in text.split(",")]


def _section(
    heading: tuple[str, ...],
    block: list[str],
    entry_of: Callable[[str], tuple[list[str], str] | None],
) -> Section | None:
    """Read a block of entries; None if its first line is not one."""
    base = min((_indent(line) for line in block if line.strip()), default=0)
    groups: list[list[str]] = []
    for line in block:
        if line.strip() and _indent(line) == base and entry_of(line[base:]):
            groups.append([line])
        elif groups:
            groups[-1].append(line)
        elif line.strip():
            return None
    entries: list[Entry] = []
    for group in groups:
        found = entry_of(group[0][base:])
        if found:
            names, first = found
            text = _join(first, group[1:])
            written = tuple(group)
            entries.extend(Entry(name, text, written) for name in names)
    return Section(heading, tuple(entries)) if entries else None


def _join(first: str, rest: list[str]) -> str:
    """Put an entry's lines together: wrapped lines become one, paragraphs and lists stay."""
    body = inspect.cleandoc("\n".join(["", *rest])) if any(line.strip() for line in rest) else ""
    lines = [first.strip(), *body.split("\n")] if body else [first.strip()]
    text = ""
    for line in lines:
        if not text or not line.strip():
            text += line if not text else "\n\n"
        elif text.endswith("\n") or _starts_item(line) or line != line.lstrip():
            text += ("" if text.endswith("\n") else "\n") + line.rstrip()
        else:
            text += " " + line.strip()
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _starts_item(line: str) -> bool:
    return re.match(r"\s*([-*+]|\d+[.)])\s", line) is not None


# -- NumPy: "Parameters", a line of dashes, then "name : type" with an indented text


_NUMPY = re.compile(r"\A[*\\]*+(?P<names>\w++(?:\s*+,\s*+[*\\]*+\w++)*+)\s*+(?::.*)?$")


def _numpy(lines: list[str], headings: frozenset[str]) -> list[str | Section]:
    done: list[str | Section] = []
    at = 0
    while at < len(lines):
        if _underlined(lines, at) and _heading(lines[at], headings):
            end = at + 2
            while end < len(lines) and not _underlined(lines, end):
                end += 1
            body = lines[at + 2 : end]
            while body and not body[-1].strip():
                body.pop()
            base = _indent(lines[at])
            stop = next(
                (i for i, x in enumerate(body) if x.strip() and _indent(x) < base), len(body)
            )
            section = _section((lines[at], lines[at + 1]), body[:stop], _numpy_entry)
            if section:
                done.append(section)
                at += 2 + stop
                continue
        done.append(lines[at])
        at += 1
    return done


def _underlined(lines: list[str], at: int) -> bool:
    following = lines[at + 1].strip() if at + 1 < len(lines) else ""
    return bool(lines[at].strip()) and len(following) > 2 and not following.strip("-=")


def _numpy_entry(line: str) -> tuple[list[str], str] | None:
    match = _NUMPY.match(line)
    return (_names(match["names"]), "") if match else None


# -- Sphinx and Epydoc: ":param type name: text" and "@param name: text"

_FIELD = re.compile(
    r"\A\s*+[:@](?P<kind>param|parameter|arg|argument|key|keyword|kwarg|type|ivar|cvar|var)"
    r"\s++(?P<typed_name>[^:]++):(?:\s++|$)(?P<text>.*)"
)
_STARRED_NAME = re.compile(r"\A[*\\]*+(?P<name>\w++)\Z")


def _fields(lines: list[str], headings: frozenset[str]) -> list[str | Section]:
    done: list[str | Section] = []
    at = 0
    while at < len(lines):
        match = _FIELD.match(lines[at])
        # The type, if there is one, stands before the name.
        named = _STARRED_NAME.match(match["typed_name"].split()[-1]) if match else None
        if not match or not named:
            done.append(lines[at])
            at += 1
            continue
        base = _indent(lines[at])
        end = at + 1
        while end < len(lines) and lines[end].strip() and _indent(lines[end]) > base:
            end += 1
        text = "" if match["kind"] == "type" else _join(match["text"], lines[at + 1 : end])
        entry = Entry(named["name"], text, tuple(lines[at:end]))
        done.append(Section((), (entry,)))
        at = end
    return done
