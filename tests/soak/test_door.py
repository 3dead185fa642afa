"""The door: public names, and whatever in Python relies on the module that a class names."""

import ast
import importlib
import inspect
import operator
import sys
import typing
from pathlib import Path

import pytest

import toolwright
from tests.counting import for_every
from tests.unit.test_door import ROOMS


def public_objects():
    """Yield everything that can be imported from the package and its public rooms."""
    for module in (toolwright, *(importlib.import_module(f"toolwright.{room}") for room in ROOMS)):
        yield from (getattr(module, name) for name in getattr(module, "__all__", dir(module)))


def names_in(module):
    """Return the names of a module, including those that only type checkers import."""
    known = dict(vars(module))
    blocks = [
        node
        for node in ast.parse(Path(module.__file__).read_text()).body
        if isinstance(node, ast.If)
    ]
    for node in (statement for block in blocks for statement in block.body):
        if isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            imported = importlib.import_module(source, module.__spec__.parent)
            known |= {
                alias.asname or alias.name: getattr(imported, alias.name, typing.Any)
                for alias in node.names
            }
        elif isinstance(node, ast.Import):
            known |= {alias.name: importlib.import_module(alias.name) for alias in node.names}
    return known


def returned(function):
    """Yield the return annotation of a function, and the types in it."""
    hint = function.__annotations__["return"]
    pending = [eval(hint, names_in(sys.modules[function.__globals__["__name__"]]))]
    while pending:
        hint = pending.pop()
        yield typing.get_origin(hint) or hint
        for part in typing.get_args(hint):
            pending.extend(part if isinstance(part, list) else [part])


def public_functions():
    """Yield our public functions, and the methods and properties of public classes."""
    for each in public_objects():
        members = inspect.getmembers(each) if isinstance(each, type) else [("", each)]
        for name, member in members:
            found = member.fget if isinstance(member, property) else member
            found = getattr(found, "__func__", found)
            if inspect.isfunction(found) and not name.startswith("_"):
                if found.__globals__["__name__"].startswith("toolwright."):
                    yield found


@pytest.mark.promise("door.returned")
@for_every(
    "function", sorted(set(public_functions()), key=repr), ids=operator.attrgetter("__qualname__")
)
def test_what_a_public_function_returns_is_public(function):
    known = list(public_objects())
    for each in returned(function):
        if isinstance(each, type) and each.__module__.split(".")[0] == "toolwright":
            assert each in known
