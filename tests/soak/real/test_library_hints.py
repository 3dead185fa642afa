"""Hints of real libraries: names for type checkers, aliases of other modules, wrapped signatures."""

import importlib

from tests.unit.real.test_library_hints import unknown
from toolwright import Tool
from toolwright.tools.definition import signature_of


def hints(target):
    """The resolved hints of a target, whether JSON can hold them or not."""
    return {
        p.name: p.hint for p in signature_of(Tool(target, on_unsupported="permissive")).parameters
    }


def test_polars_reads_its_wrapped_functions_where_they_were_written():
    polars = importlib.import_module("polars")

    assert polars.Expr in hints(polars.DataFrame.filter)["predicates"].__args__
    assert polars.Series in hints(polars.Series.append).values()
    needed = ("No module named", "to be installed", "is not subscriptable", "no attribute")
    for owner in (polars.Series, polars.Expr):
        for name, problems in unknown(owner).items():
            assert all(any(word in text for word in needed) for text in problems), (name, problems)


def test_gitpython_is_read_without_an_unknown_name():
    git = importlib.import_module("git")

    assert hints(git.Head)["repo"] is git.Repo
    assert unknown(git.Repo) == {}
    assert unknown(git.Remote) == {}
