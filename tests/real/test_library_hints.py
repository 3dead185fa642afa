"""Hints of real libraries: names for type checkers, aliases of other modules, wrapped signatures."""

import importlib
import inspect

import pytest

from toolwright import SchemaError, Tool
from toolwright.tools.definition import signature_of


def hints(target):
    """The resolved hints of a target, whether JSON can hold them or not."""
    return {
        p.name: p.hint for p in signature_of(Tool(target, on_unsupported="permissive")).parameters
    }


def unknown(owner):
    """The public callables of a class or module that are refused for a name, with why."""
    found = {}
    for name, target in inspect.getmembers(owner, callable):
        if name.startswith("_") or isinstance(target, type):
            continue
        try:
            problems = signature_of(Tool(target, on_unsupported="permissive")).problems
        except SchemaError as error:
            problems = (str(error),)
        wrong = [
            p
            for p in problems
            if "it has no type hint" not in p and "documents" not in p and "description" not in p
        ]
        if wrong:
            found[name] = wrong
    return found


@pytest.mark.soak
def test_polars_reads_its_wrapped_functions_where_they_were_written():
    polars = importlib.import_module("polars")

    assert polars.Expr in hints(polars.DataFrame.filter)["predicates"].__args__
    assert polars.Series in hints(polars.Series.append).values()
    needed = ("No module named", "to be installed", "is not subscriptable", "no attribute")
    for owner in (polars.Series, polars.Expr):
        for name, problems in unknown(owner).items():
            assert all(any(word in text for word in needed) for text in problems), (name, problems)


@pytest.mark.soak
def test_gitpython_is_read_without_an_unknown_name():
    git = importlib.import_module("git")

    assert hints(git.Head)["repo"] is git.Repo
    assert unknown(git.Repo) == {}
    assert unknown(git.Remote) == {}


def test_requests_takes_json_of_any_depth():
    requests = importlib.import_module("requests")

    assert unknown(requests.Session) == {}
    assert unknown(requests.api) == {}
