"""Names of tools that mean something to Python, or to the generated module itself."""

import builtins
import contextlib
import io
import keyword
import sys

import pytest
from counting import examples, for_every, soaked
from generated_modules import loaded, source_of, using
from hypothesis import given, settings
from hypothesis import strategies as st

from toolwright.client.generate.classes import RESERVED

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


def shown(module, *words):
    """What the module's program prints, and its exit code."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = module.main(list(words))
        except SystemExit as ended:
            code = ended.code
    return code, out.getvalue()


def check(names, run=None, **options):
    """Import a module with tools of these names, look at it, and run its commands."""
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
    assert shown(module, "--help")[0] == 0
    listed = commands(module)
    for name in run or names:
        known = len(sent)
        words = [word for word in listed if word.rstrip("_") == name.rstrip("_")] or [name]
        code, text = shown(module, words[0], "a", "--size", "3")
        assert code == 0, text
        assert sent[known:] == [(sent[-1][0], {"name": "a", "size": 3})]
    return module


def commands(module):
    """The commands that the program's own error names."""
    text = shown(module, "no-such-command")[1]
    listed = text.partition("choose from ")[2].rstrip(")\n")
    return [each.strip("' ") for each in listed.split(",")]


@pytest.mark.promise("generate.names")
@for_every("name", NAMES)
def test_no_name_changes_what_importing_or_running_a_module_does(name):
    check([name])


@pytest.mark.parametrize("asynchronous", [False, *soaked(True)])
def test_all_of_them_are_in_one_module(asynchronous):
    check(NAMES, run=[*DUNDERS[:3], *LOCALS], asynchronous=asynchronous)


@given(st.lists(st.text("_abcdef", min_size=1, max_size=8) | st.sampled_from(NAMES), max_size=5))
@settings(max_examples=examples(200), deadline=None)
def test_names_that_nobody_chose_by_hand(names):
    check(list(dict.fromkeys(names)))


HOSTILE = [
    "\x1b[31mred",
    "\x1b]0;owned\x07",
    "ok\u202e",
    "a [b] (c",
    "d}e{",
    "%s",
    "\n",
    "",
]


@pytest.mark.promise("generate.terminal")
def test_no_choice_reaches_the_terminal_as_it_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    kinds = {"needed": {"enum": HOSTILE}, "x": {"enum": HOSTILE}, "y": {"enum": HOSTILE[:1]}}
    schema = {"type": "object", "properties": kinds, "required": ["needed"]}
    told = {"name": "t", "description": "T.", "inputSchema": schema}
    module = loaded(source_of(told, program=True))
    sent = using(module, told, answer="fine")
    for words in (["t", "--help"], ["t", "nothing"], ["t", "--x", "nothing", "\x1b[2J"], ["t"]):
        code, text = shown(module, *words)
        assert code in (0, 2)
        for character in "\x1b\x07\u202e":
            assert character not in text
    assert shown(module, "t", HOSTILE[0], "--x", HOSTILE[3]) == (0, "fine\n")
    assert sent == [("t", {"needed": HOSTILE[0], "x": HOSTILE[3]})]


@given(st.lists(st.text(min_size=1, max_size=30), min_size=1, max_size=8, unique=True))
@settings(max_examples=examples(200), deadline=None)
def test_the_help_of_any_choices_is_written(choices):
    schema = {"type": "object", "properties": {f"p{n}": {"enum": choices} for n in range(6)}}
    told = {"name": "t", "description": choices[0], "inputSchema": schema}
    module = loaded(source_of(told, program=True))
    assert shown(module, "t", "--help")[0] == 0
    assert shown(module, "t", "--p0", "\0")[0] == 2


def teardown_module():
    sys.modules.pop("generated_shop", None)
