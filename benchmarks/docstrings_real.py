"""Compare our docstring reader with griffe's on the docstrings of real packages.

Needs griffelib beside Toolwright, and the packages, in one environment. See docs/decisions/0001.

    python benchmarks/docstrings_real.py [--corpus] [--show KIND] [--few 20]

What is read: every function and class in the source of the packages below (not their tests) that
has a docstring and at least one parameter; a class has those of its `__init__`. Nothing is
imported. The same text for the same parameters counts once. With `--corpus`, the packages and
servers of `real.json` are read instead, where `real.py` has installed them.

What is compared: for each parameter, the text that each reader found, with every run of white
space as one space. griffe has to be told the style, so it is asked for all three of its styles,
and the one that describes most parameters counts. For a class, attributes count as parameters.

Each disagreement gets the first kind of `RULES` that fits it, and `--show` prints the cases of a
kind, so that they can be judged. docs/decisions/0001 has the verdicts.
"""

import argparse
import ast
import collections
import importlib.metadata
import importlib.util
import inspect
import itertools
import json
import logging
import platform
import re
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import griffe

from toolwright.read.docstring_parts import ATTRIBUTES, PARAMETERS, Section
from toolwright.read.documentation import parse

PACKAGES = [
    *("aiohttp", "anyio", "attr", "authlib", "beartype", "boto3", "botocore", "celery", "click"),
    *("cyclopts", "dateutil", "fastapi", "fastmcp", "flask", "git", "github", "google", "httpx"),
    *("jinja2", "joblib", "keyring", "kombu", "langchain_core", "markdown_it", "matplotlib"),
    *("mcp", "more_itertools", "narwhals", "networkx", "nltk", "numpy", "openai", "pandas"),
    *("paramiko", "PIL", "polars", "pyarrow", "pydantic", "pymongo", "redis", "requests", "rich"),
    *("scipy", "sklearn", "sqlalchemy", "starlette", "stripe", "tenacity", "tornado", "twisted"),
    *("typer", "urllib3", "websockets", "werkzeug"),
]


class Case(NamedTuple):
    """A docstring: where it is, whether it belongs to a class, its parameters, its text."""

    where: str
    is_class: bool
    names: tuple[str, ...]
    text: str


class Difference(NamedTuple):
    """What the two made of one parameter."""

    case: Case
    name: str
    ours: str
    theirs: str

    @property
    def relation(self):
        if not self.theirs:
            return "only ours"
        if not self.ours:
            return "only griffe"
        if self.theirs.startswith(self.ours):
            return "griffe longer"
        return "ours longer" if self.ours.startswith(self.theirs) else "different"


# -- the corpus


def installed():
    """Yield the files of the packages of the list, each with its name."""
    for package in PACKAGES:
        spec = importlib.util.find_spec(package)
        for root in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
            for file in sorted(root.rglob("*.py")):
                yield file, Path(package) / file.relative_to(root)


def corpus():
    """Yield the files of the packages and servers of `real.json`, each with its name."""
    here = Path(__file__).parent
    listed = json.loads((here / "real.json").read_text())
    home = here.parent / ".bench"
    folders = dict.fromkeys(listed["packages"], home / "corpus")
    folders |= {name: home / "servers" / name for name in listed["servers"]}
    for name, folder in folders.items():
        found = next(iter(importlib.metadata.distributions(name=name, path=[str(folder)])))
        for file in sorted(found.files):
            if file.suffix == ".py":
                yield folder / file, file


def cases(files):
    seen = set()
    for file, name in files:
        if not {"tests", "test", "testing"}.intersection(name.parts):
            for case in cases_of(file, str(name)):
                if (case.text, case.names) not in seen:
                    seen.add((case.text, case.names))
                    yield case


def cases_of(file, where):
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        is_class = isinstance(node, ast.ClassDef)
        if not is_class and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        function = node
        if is_class:
            body = (each for each in node.body if isinstance(each, ast.FunctionDef))
            function = next((each for each in body if each.name == "__init__"), None)
        names = parameters(function) if function else ()
        text = ast.get_docstring(node, clean=False)
        if names and text:
            yield Case(f"{where}:{node.lineno}", is_class, names, text)


def parameters(function):
    given = function.args
    listed = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return tuple(each.arg for each in listed if each and each.arg not in ("self", "cls"))


# -- the readers


def flat(text):
    return " ".join(text.split())


def ours(case):
    headings = ATTRIBUTES if case.is_class else PARAMETERS
    found = parse.__wrapped__(case.text, headings, frozenset(case.names))  # without the cache
    return {name: flat(text) for name, text in found.texts.items() if name in case.names}


def theirs(case):
    readings = [theirs_in(case, style) for style in ("google", "numpy", "sphinx")]
    return max(readings, key=len)


def theirs_in(case, style):
    kinds = [griffe.DocstringSectionKind.parameters, griffe.DocstringSectionKind.other_parameters]
    if case.is_class:
        kinds.append(griffe.DocstringSectionKind.attributes)
    sections = griffe.Docstring(inspect.cleandoc(case.text)).parse(style, warnings=False)
    found = {}
    for section in sorted(
        sections, key=lambda each: kinds.index(each.kind) if each.kind in kinds else 9
    ):
        for item in section.value if section.kind in kinds else ():
            for name in item.name.split(","):
                plain = name.strip().lstrip("*\\")
                if plain in case.names and flat(item.description or ""):
                    found.setdefault(plain, flat(item.description))
    return found


# -- kinds of disagreement


def kind_of(difference):
    return next((kind for kind, fits in RULES.items() if fits(difference)), "other")


def entries_of(difference):
    """Yield our entries for the parameter, each with the heading of its section."""
    case = difference.case
    headings = ATTRIBUTES if case.is_class else PARAMETERS
    found = parse(case.text, headings, frozenset(case.names))
    for section in found.parts:
        if isinstance(section, Section):
            for entry in section.entries:
                if entry.name == difference.name and entry.text:
                    yield section.heading, entry


def is_epydoc(difference):
    return any(entry.lines[0].lstrip().startswith("@") for _, entry in entries_of(difference))


def is_behind_fields(difference):
    """The extra text of griffe starts in a paragraph that is not indented, after a blank line."""
    if difference.relation != "griffe longer":
        return False
    more = difference.theirs[len(difference.ours) :].strip()
    lines = inspect.cleandoc(difference.case.text).split("\n")
    return any(
        more.startswith(flat(line)) and line[0] != " " and not before.strip()
        for before, line in itertools.pairwise(lines)
        if line.strip()
    )


def is_said_twice(difference):
    texts = [flat(entry.text) for _, entry in entries_of(difference)]
    return len(texts) > 1 and difference.theirs in texts


def is_not_indented(difference):
    """Some of our text is at the indent of its entry."""
    for heading, entry in entries_of(difference):
        first = len(entry.lines[0]) - len(entry.lines[0].lstrip())
        rest = [line for line in entry.lines[1:] if line.strip()]
        if heading and any(len(line) - len(line.lstrip()) <= first for line in rest):
            return True
    return False


def is_field_in_section(difference):
    return difference.relation == "only ours" and any(
        not heading and entry.lines[0][:1] == " " for heading, entry in entries_of(difference)
    )


def is_unseen(difference):
    return difference.relation == "only ours" and not theirs(difference.case)


def is_odd(difference):
    """Our entry is not one of the plain forms of its style."""
    if difference.relation != "only ours":
        return False
    name = re.escape(difference.name)
    plain = (
        rf"\s*\**{name} ?(\([^()]*\))?:( |$)|\s*\**{name}( : .*)?$|:param (\S+ )?\**{name}:( |$)"
    )
    return any(not re.match(plain, entry.lines[0]) for _, entry in entries_of(difference))


RULES = {
    "epydoc": is_epydoc,
    "paragraph behind the fields": is_behind_fields,
    "said twice": is_said_twice,
    "text at the indent of its entry": is_not_indented,
    "fields in a section": is_field_in_section,
    "section not seen": is_unseen,
    "odd entry": is_odd,
}


def main():
    parser = argparse.ArgumentParser(description="Compare two docstring readers on real packages.")
    parser.add_argument("--corpus", action="store_true", help="read what real.json lists")
    parser.add_argument("--show", help="show the disagreements of a kind")
    parser.add_argument("--few", type=int, default=20, help="how many to show")
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    spent = collections.Counter()
    count = collections.Counter()
    kinds = collections.Counter()
    shown = []
    for case in cases(corpus() if chosen.corpus else installed()):
        count["with parameters"] += 1
        found = []
        for name, reader in (("ours", ours), ("griffe", theirs)):
            start = time.process_time()
            found.append(reader(case))
            spent[name] += time.process_time() - start
        count["described"] += any(found)
        for name in case.names:
            pair = [reading.get(name, "") for reading in found]
            count["parameters"] += any(pair)
            if pair[0] == pair[1]:
                count["same"] += bool(pair[0])
                continue
            difference = Difference(case, name, *pair)
            kind = kind_of(difference)
            kinds[kind, difference.relation] += 1
            if chosen.show == kind:
                shown.append(difference)
    print("the corpus" if chosen.corpus else f"{len(PACKAGES)} packages")
    report(count, kinds, spent)
    for difference in shown[:: max(1, len(shown) // chosen.few)]:
        show(difference)


def report(count, kinds, spent):
    version = importlib.metadata.version("griffelib")
    print(f"Python {platform.python_version()}, griffelib {version}")
    print(f"docstrings with parameters: {count['with parameters']:,}")
    print(f"of them, parameters are described in: {count['described']:,}")
    print(f"parameters described by either: {count['parameters']:,}, same text: {count['same']:,}")
    per = {name: seconds / count["with parameters"] * 1e6 for name, seconds in spent.items()}
    print(
        f"us for each docstring: ours {per['ours']:.0f}, griffe (three styles) {per['griffe']:.0f}\n"
    )
    print("| kind | who has more | count |\n|---|---|---|")
    for (kind, relation), number in sorted(kinds.items(), key=lambda each: -each[1]):
        print(f"| {kind} | {relation} | {number:,} |")


def show(difference):
    print("=" * 80, difference.case.where, difference.name, difference.relation, sep="\n")
    print("ours:  ", difference.ours)
    print("griffe:", difference.theirs)
    print(inspect.cleandoc(difference.case.text))


if __name__ == "__main__":
    main()
