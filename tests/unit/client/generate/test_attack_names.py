"""Names of tools that mean something to Python, or to the generated module itself."""

import asyncio
import builtins
import inspect
import keyword
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.counting import examples, for_every
from tests.wire.client.generate.generated_modules import loaded, source_of, using
from toolwright.client.generate.hint_source import RESERVED

DUNDERS = [
    *("__getattr__", "__dir__", "__name__", "__all__", "__builtins__", "__path__", "__file__"),
    *("__doc__", "__spec__", "__loader__", "__package__", "__annotations__", "__dict__"),
    *("__class__", "__init__", "__debug__", "__main__", "__call__", "____", "__", "_", "___"),
]
LOCALS = ["functions", "parser", "words", "commands", "command", "main", "server", "value", "more"]
NAMES = sorted({*DUNDERS, *LOCALS, *RESERVED, *keyword.kwlist, *keyword.softkwlist, *dir(builtins)})
RESULT = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "sizes": {"type": "array", "items": {}}},
    "required": ["name"],
}


def tool(name):
    kinds = {"enum": ["a", "b"]}, {"type": "integer"}, {"type": ["object", "null"]}
    properties = dict(zip(("name", "size", "more"), kinds, strict=True))
    schema = {"type": "object", "properties": properties, "required": ["name"]}
    return {"name": name, "inputSchema": schema, "outputSchema": RESULT}


def check(names, **options):
    """Import a module with tools of these names, look at it, and call its functions."""
    tools = [tool(name) for name in names]
    module = loaded(source_of(*tools, program=True, **options))
    sent = using(module, *tools, answer={"name": "x", "sizes": []})
    assert module.__name__ == "generated_shop"
    assert not hasattr(module, "nothing_of_that_name")
    assert "main" in dir(module)
    space = {}
    exec(f"from {module.__name__} import *", space)
    assert callable(space["main"])
    assert sent == []
    functions = [each for each in vars(module).values() if inspect.isfunction(each)]
    own = [f for f in functions if f.__module__ == module.__name__ and f.__name__ != "main"]
    assert len(own) == len(names)
    for function in own:
        value = function("a", size=3)
        if inspect.iscoroutine(value):
            asyncio.run(value)
        assert sent.pop()[1] == {"name": "a", "size": 3}
    module.server.run = lambda words: len(words)
    assert module.main(["t", "name=a"]) == 2
    return module


@pytest.mark.promise("generate.names")
@for_every("name", NAMES)
def test_no_name_changes_what_importing_or_running_a_module_does(name):
    check([name])


@pytest.mark.parametrize("asynchronous", [False, True])
def test_all_of_them_are_in_one_module(asynchronous):
    check(NAMES, asynchronous=asynchronous)


@given(st.lists(st.text("_abcdef", min_size=1, max_size=8) | st.sampled_from(NAMES), max_size=5))
@settings(max_examples=examples(200), deadline=None)
def test_names_that_nobody_chose_by_hand(names):
    check(list(dict.fromkeys(names)))


def teardown_module():
    sys.modules.pop("generated_shop", None)
