"""Hints of real libraries: names for type checkers, aliases of other modules, wrapped signatures."""

import importlib
import inspect

import pytest

from toolwright import SchemaError, Tool
from toolwright.tools.definition import signature_of


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
            for p in map(str, problems)
            if "it has no type hint" not in p and "documents" not in p and "description" not in p
        ]
        if wrong:
            found[name] = wrong
    return found


def test_requests_takes_json_of_any_depth():
    requests = importlib.import_module("requests")

    assert unknown(requests.Session) == {}
    assert unknown(requests.api) == {}
