"""Compare our docstring reader with the package docstring_parser: speed, faults, lost words.

Needs that package beside Toolwright in one environment. See docs/decisions/0001.

    python benchmarks/docstrings.py [--texts 10000] [--seed 1] [--faults]

A battery of docstrings written by hand has an expected text for each parameter. Texts made up of
random lines have no expected outcome, but two things must hold for each of them: reading it does
not fail, and every word of it is found again, with a parameter or in the rest.
"""

import argparse
import importlib.metadata
import platform
import random
import re
import time
from collections.abc import Callable
from typing import NamedTuple

import docstring_parser

from toolwright.read.docstring_parts import Section
from toolwright.read.documentation import parse

# (style, what is odd about it, text, the text of each parameter)
BATTERY = [
    ("google", "plain", """Add.

    Args:
        a: First.
        b: Second.
    """, {"a": "First.", "b": "Second."}),
    ("google", "types", """Add.

    Args:
        a (int): First.
        b (dict[str, int], optional): Second.
    """, {"a": "First.", "b": "Second."}),
    ("google", "wrapped text", """Add.

    Args:
        a: First,
            and more of it.
        b: Second.
    """, {"a": "First, and more of it.", "b": "Second."}),
    ("google", "wrapped text at the entry's own indent", """Add.

    Args:
        a: First,
        and more of it.
        b: Second.
    """, {"a": "First, and more of it.", "b": "Second."}),
    ("google", "a colon in the text", """Add.

    Args:
        a: First: the one before.
        b: Second.
    """, {"a": "First: the one before.", "b": "Second."}),
    ("google", "a list in the text", """Add.

    Args:
        a: One of
            - up: higher
            - down: lower
        b: Second.
    """, {"a": "One of - up: higher - down: lower", "b": "Second."}),
    ("google", "two paragraphs in the text", """Add.

    Args:
        a: First.

            More on it.
        b: Second.
    """, {"a": "First. More on it.", "b": "Second."}),
    ("google", "stars", """Add.

    Args:
        *args: Numbers.
        **kwargs: Options.
    """, {"args": "Numbers.", "kwargs": "Options."}),
    ("google", "several names, one text", """Add.

    Args:
        a, b: The numbers.
    """, {"a": "The numbers.", "b": "The numbers."}),
    ("google", "other sections around", """Add.

    Raises:
        ValueError: If it is wrong.

    Args:
        a: First.

    Returns:
        The sum.

    Example:
        add(1)
    """, {"a": "First."}),
    ("google", "a section nobody knows", """Add.

    Args:
        a: First.

    Beware:
        It is slow.
    """, {"a": "First."}),
    ("google", "two sections of parameters", """Add.

    Args:
        a: First.

    Keyword Args:
        b: Second.
    """, {"a": "First.", "b": "Second."}),
    ("google", "an entry without text", """Add.

    Args:
        a:
        b: Second.
    """, {"b": "Second."}),
    ("google", "a dash instead of a colon", """Add.

    Args:
        a - First.
        b -- Second.
    """, {"a": "First.", "b": "Second."}),
    ("google", "the heading opens the docstring", """Args:
        a: First.
        b: Second.
    """, {"a": "First.", "b": "Second."}),
    ("google", "prose under the heading", """Add.

    Args:
        This function takes what it is given.
    """, {}),
    ("google", "an indented heading", """Add.

        Args:
            a: First.
            b: Second.

        Done.
    """, {"a": "First.", "b": "Second."}),
    ("google", "code in the text", """Add.

    Args:
        a: A map such as `{"x": 1}`.
        b: Like `def f(x: int): ...`.
    """, {"a": 'A map such as `{"x": 1}`.', "b": "Like `def f(x: int): ...`."}),
    ("google", "brackets in a type", """Add.

    Args:
        a (Callable[[int], str]): First.
        b (tuple(int, int)): Second.
    """, {"a": "First.", "b": "Second."}),
    ("numpy", "plain", """Add.

    Parameters
    ----------
    a : int
        First.
    b : int, optional
        Second.
    """, {"a": "First.", "b": "Second."}),
    ("numpy", "no types", """Add.

    Parameters
    ----------
    a
        First.
    b
        Second.
    """, {"a": "First.", "b": "Second."}),
    ("numpy", "several names, one text", """Add.

    Parameters
    ----------
    a, b : int
        The numbers.
    """, {"a": "The numbers.", "b": "The numbers."}),
    ("numpy", "other sections around", """Add.

    Parameters
    ----------
    a : int
        First.

    Returns
    -------
    int
        The sum.

    Notes
    -----
    It is slow.

    Examples
    --------
    >>> add(1)
    """, {"a": "First."}),
    ("numpy", "stars", """Add.

    Other Parameters
    ----------------
    *args : int
        Numbers.
    **kwargs
        Options.
    """, {"args": "Numbers.", "kwargs": "Options."}),
    ("numpy", "two paragraphs in the text", """Add.

    Parameters
    ----------
    a : int
        First.

        More on it.
    b : int
        Second.
    """, {"a": "First. More on it.", "b": "Second."}),
    ("sphinx", "plain", """Add.

    :param a: First.
    :param b: Second.
    :returns: The sum.
    """, {"a": "First.", "b": "Second."}),
    ("sphinx", "types", """Add.

    :param int a: First.
    :param b: Second.
    :type b: dict[str, int]
    :raises ValueError: If it is wrong.
    """, {"a": "First.", "b": "Second."}),
    ("sphinx", "wrapped text", """Add.

    :param a: First,
        and more of it.
    :param b: Second.
    """, {"a": "First, and more of it.", "b": "Second."}),
    ("sphinx", "text behind the fields", """Add.

    :param a: First.

    It is slow.
    """, {"a": "First."}),
    ("sphinx", "a field nobody knows", """Add.

    :param a: First.
    :since: 1.2
    :param b: Second.
    """, {"a": "First.", "b": "Second."}),
    ("epydoc", "plain", """Add.

    @param a: First.
    @param b: Second.
    @return: The sum.
    """, {"a": "First.", "b": "Second."}),
    ("epydoc", "types", """Add.

    @param a: First.
    @type a: int
    @keyword b: Second.
    """, {"a": "First.", "b": "Second."}),
    ("mixed", "Google and Sphinx in one", """Add.

    Args:
        a: First.

    :param b: Second.
    """, {"a": "First.", "b": "Second."}),
    ("none", "a colon in prose", """Add: quickly.

    Note that :class:`int` and http://example.org: are not parameters.
    """, {}),
]  # fmt: skip

LINES = [
    "", "", "Add two numbers.", "More on it: a lot.", "Args:", "Arguments:", "Parameters",
    "----------", "Returns:", "Returns", "-------", "Raises:", "Example:", "Notes", "-----",
    "    a: First.", "    b (int): Second.", "    c (list[int], optional): Third.",
    "        wrapped text", "    *args: Numbers.", "    ValueError: If wrong.", "a : int",
    "b, c : float, optional", "    The text.", ":param a: First.", ":param int b: Second.",
    ":type a: int", ":returns: The sum.", ":raises ValueError: If wrong.", ":since: 1.2",
    "@param c: Third.", "@return: The sum.", "@type c: str", "- an item", "  - inner item",
    "1. one", ">>> add(1)", "2", "```", "code(x)", "::", "key: value", "x -- y", "    d - Fourth.",
    "Attributes:", "Yields:", "    int: The next.", ":param", "@", ":", "    (a): odd", "    a:b",
    "Args", "====", ".. note:: careful", "    **kwargs: Options.", "\t", "    \ttabbed: text",
    "Keyword Args:", "See Also:", "\u00e9t\u00e9: l\u2019\u00e9t\u00e9", "a" * 40,
]  # fmt: skip

TOKENS = [
    "\n", "\n    ", ":", "@", "param", "Args:", "Returns:", "Raises:", "Parameters", "----------",
    "-------", "a", "b", " ", "(", "int", ")", "*", "**", ",", "optional", ":param", ":type",
    ":returns:", ":raises", "Examples", ">>> ", "Attributes:",
]  # fmt: skip

# Words that only head a section, an entry or a field.
HEADS = frozenset(
    (
        *("args", "arguments", "parameters", "params", "keyword", "other", "attributes", "param"),
        *("type", "arg", "optional", "defaults", "to", "returns", "return", "raises", "yields"),
        *("example", "examples", "notes", "note", "see", "also", "since", "warns", "methods"),
        *("references", "warnings"),
    )
)


class Reading(NamedTuple):
    """What a reader makes of a docstring."""

    texts: dict[str, str]
    rest: str
    moved: Callable[[], str]
    """Returns all that was said about parameters: names, types and texts."""


def ours(text):
    found = parse.__wrapped__(text)  # without the cache
    texts = found.texts
    entries = [e for part in found.parts if isinstance(part, Section) for e in part.entries]

    def moved():
        return " ".join([*map(_head, entries), *texts.values()])

    return Reading(texts, found.without(found.names), moved)


def _head(entry):
    """Return the names and the type of an entry; a field such as `:type a:` is all type."""
    first = entry.lines[0].rstrip()
    if re.match(r"\s*[:@]type\b", first):
        return " ".join(entry.lines)
    texts = (first[at:] for at in range(len(first)))
    return first.removesuffix(next((t for t in texts if t and entry.text.startswith(t)), ""))


def theirs(text):
    """Read with docstring_parser; the rest is put together again without the parameters."""
    found = docstring_parser.parse(text)
    texts, moved = _params(found)
    found.meta = [entry for entry in found.meta if entry not in found.params]
    return Reading(texts, docstring_parser.compose(found), moved)


def theirs_described(text):
    """Read with docstring_parser; the rest is its `description`."""
    found = docstring_parser.parse(text)
    texts, moved = _params(found)
    return Reading(texts, found.description or "", moved)


def _params(found):
    texts, entries = {}, found.params
    for entry in entries:
        for name in entry.arg_name.split(","):
            if entry.description:
                texts[name.strip().lstrip("*\\")] = entry.description

    def moved():
        said = [(e.arg_name, e.type_name, e.default, e.description) for e in entries]
        return " ".join(str(word) for words in said for word in words)

    return texts, moved


READERS = {
    "ours": ours,
    "docstring_parser, put together": theirs,
    "docstring_parser, its description": theirs_described,
}


def words(text):
    return re.findall(r"\w+", text.lower())


def lost(text, reading):
    kept = {*words(reading.rest), *words(reading.moved()), *HEADS}
    return [word for word in words(text) if word not in kept]


def flat(texts):
    return {name: " ".join(text.split()) for name, text in texts.items()}


def judge(reader, text, expected=None):
    """Return what is wrong with a reading."""
    try:
        reading = reader(text)
    except Exception as error:  # noqa: BLE001 - whatever it raises is the finding
        return [f"raises {type(error).__name__}"]
    found = []
    if expected is not None and flat(reading.texts) != expected:
        found.append(f"parameters {flat(reading.texts)}")
    if gone := lost(text, reading):
        found.append(f"loses {' '.join(gone)}")
    return found


def timed(texts, rounds=40):
    """Return each reader's seconds for one text, the least of some rounds; they run in turn."""
    spent = {name: [] for name in READERS}
    for _ in range(rounds):
        for name, reader in READERS.items():
            start = time.process_time()
            for text in texts:
                reader(text)
            spent[name].append((time.process_time() - start) / len(texts))
    return {name: min(each) for name, each in spent.items()}


def made_up(count, seed):
    """Yield texts: one of whole lines, one of smaller pieces, and so on."""
    chance = random.Random(seed)
    for at in range(count):
        if at % 2:
            yield "".join(chance.choice(TOKENS) for _ in range(chance.randint(1, 25)))
        else:
            yield "\n".join(chance.choice(LINES) for _ in range(chance.randint(1, 14)))


def main():
    parser = argparse.ArgumentParser(description="Compare two docstring readers.")
    parser.add_argument("--texts", type=int, default=10_000, help="how many texts to make up")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", action="store_true", help="show each fault of the battery")
    chosen = parser.parse_args()
    version = importlib.metadata.version("docstring_parser")
    print(f"Python {platform.python_version()}, docstring_parser {version}")
    texts = list(made_up(chosen.texts, chosen.seed))
    speeds = timed([text for _, _, text, _ in BATTERY])
    print(f"battery: {len(BATTERY)} docstrings; made up: {len(texts)} texts\n")
    print("| reader | battery: wrong | us each | made up: raises | loses words |")
    print("|---|---|---|---|---|")
    for name, reader in READERS.items():
        wrong = {}
        for style, odd, text, expected in BATTERY:
            if found := judge(reader, text, expected):
                wrong[f"{style}, {odd}"] = found
        raises = loses = 0
        for text in texts:
            found = judge(reader, text)
            raises += any(each.startswith("raises") for each in found)
            loses += any(each.startswith("loses") for each in found)
        print(f"| {name} | {len(wrong)} | {speeds[name] * 1e6:.0f} | {raises} | {loses} |")
        if chosen.faults:
            for case, found in wrong.items():
                print(f"    {case}: {'; '.join(found)}")


if __name__ == "__main__":
    main()
