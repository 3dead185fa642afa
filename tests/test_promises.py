"""Every behaviour that README and docs promise has a test, and every test names real promises.

`promises.toml` lists them: an id, the sentence, and the page it is on. A test that keeps a
promise says so with `@pytest.mark.promise("id")`.
"""

import ast
import functools
import re
import tomllib
from pathlib import Path

from counting import for_every

HERE = Path(__file__).parent
ROOT = HERE.parent
PROMISES = tomllib.loads((HERE / "promises.toml").read_text(encoding="utf-8"))


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
    found = {}
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
            for each in ids:
                found.setdefault(each, []).append(where)
    return found


def test_every_promise_has_a_test():
    assert sorted(PROMISES.keys() - kept().keys()) == []


def test_every_test_names_promises_that_were_made():
    unknown = {each: tests for each, tests in kept().items() if each not in PROMISES}
    assert unknown == {}


@for_every("id", PROMISES)
def test_a_promise_stands_word_for_word_in_its_page(id):
    promise = PROMISES[id]
    assert re.fullmatch(r"[a-z]+\.[a-z]+(-[a-z]+)*", id)
    assert set(promise) == {"text", "doc"}
    assert plain(promise["text"]) in page(promise["doc"])


@functools.cache
def page(name):
    return plain((ROOT / name).read_text(encoding="utf-8"))


def plain(text):
    """Return a text without emphasis, in one line."""
    return " ".join(text.replace("**", "").replace("\\|", "|").split())
