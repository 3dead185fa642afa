"""Every behaviour that README and docs promise has a test, and every test names real promises.

A promise is a sentence with `<!-- promise: id -->` behind it; a test that keeps it carries
`@pytest.mark.promise("id")`. `python tests/test_promises.py` lists them all.
"""

import ast
import functools
import re
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMENT = re.compile(r"<!-- promise: (\S+) -->")


@functools.cache
def promises():
    """Return where each id is, as (id, page and line, the sentence before it)."""
    rows = []
    for page in PAGES:
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            for mark in COMMENT.finditer(line):
                # Two promises may stand behind one sentence; `split` also gives the ids.
                texts = [text.strip() for text in COMMENT.split(line[: mark.start()])[::2]]
                sentence = next(filter(None, reversed(texts)), "")
                rows.append((mark[1], f"{page.relative_to(ROOT)}:{number}", sentence))
    return rows


def marks(tree):
    """Yield each `pytest.mark.promise(...)` of a module, with the name of what it decorates."""
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", ()):
            if isinstance(decorator, ast.Call) and is_promise(decorator.func):
                yield node.name, decorator


def is_promise(node):
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "promise"
        and ast.unparse(node) == "pytest.mark.promise"
    )


@functools.cache
def kept():
    """Return the tests of each promise that some test names."""
    tests = {}
    for path in sorted(HERE.rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "promise" not in text:
            continue
        tree = ast.parse(text)
        put_on = list(marks(tree))
        used = sum(1 for node in ast.walk(tree) if is_promise(node))
        assert used == len(put_on), f"{path.name}: a promise is the decorator of a test"
        for name, call in put_on:
            where = f"{path.relative_to(HERE)}::{name}"
            assert name.startswith(("test_", "Test")), f"{where} is not a test"
            ids = [ast.literal_eval(argument) for argument in call.args]
            assert ids, f"{where} names no promise"
            for id in ids:
                tests.setdefault(id, []).append(where)
    return tests


def test_every_promise_has_a_test():
    assert [row for row in promises() if row[0] not in kept()] == []


def test_every_test_names_promises_that_were_made():
    ids = {id for id, _, _ in promises()}
    assert {id: tests for id, tests in kept().items() if id not in ids} == {}


def test_an_id_is_in_one_place_and_is_two_words_or_more():
    ids = [id for id, _, _ in promises()]
    assert {id for id in ids if ids.count(id) > 1} == set()
    assert [id for id in ids if not re.fullmatch(r"[a-z]+\.[a-z]+(-[a-z]+)*", id)] == []


def test_a_promise_stands_behind_its_sentence():
    """A line that starts with a comment is raw HTML to Markdown, and would be shown as it is."""
    assert [row for row in promises() if not row[2]] == []


def test_no_comment_about_promises_is_misspelt():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert len(re.findall("<!-- *promise", text)) == len(re.findall("<!-- promise: ", text))


if __name__ == "__main__":
    for id, where, sentence in promises():
        print(f"{id}\t{where}\t{sentence}")
