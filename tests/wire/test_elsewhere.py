"""What people who know other systems write first: the error says what it is called here."""

import asyncio
import copy
import inspect
import pickle
import sys
import traceback

import pytest

import toolwright
from tests.counting import for_every
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run, run_script
from toolwright import DefinitionError, SchemaError, Tool, Toolbox
from toolwright._elsewhere import INSTEAD

__all__ = ["here"]  # a fixture


def said(kind, run):
    with pytest.raises(kind) as caught:
        run()
    return str(caught.value)


@pytest.mark.promise("documentation.elsewhere")
@for_every(
    ("name", "hint"),
    [
        ("Context", "call: Call"),
        ("Depends", "Inject(provider)"),
        ("FastMCP", "`Toolbox`"),
        ("MCPServer", "`Toolbox`"),
        ("collect", "box.include"),
        ("connect", "toolwright.client import connect"),
    ],
)
def test_a_name_of_another_system_is_refused_with_ours(name, hint):
    assert hint in said(ImportError, lambda: exec(f"from toolwright import {name}", {}))
    assert hint in said(AttributeError, lambda: getattr(toolwright, name))
    assert not hasattr(toolwright, name)


def test_a_name_of_nobody_is_refused_as_usual():
    assert "cannot import name 'Nothing'" in said(
        ImportError, lambda: exec("from toolwright import Nothing", {})
    )
    assert not set(INSTEAD["import"]) & set(toolwright.__all__)
    assert not [name for name in INSTEAD["method"] if name in dir(Toolbox("shop"))]


@for_every(
    ("name", "hint"),
    [
        ("run", 'box.serve("http", port=8000)'),
        ("mount", "box.include(other, prefix=...)"),
        ("http_app", "box.asgi()"),
        ("add_middleware", "@box.around"),
        ("collect", "box.include"),
    ],
)
def test_a_method_of_another_system_is_refused_with_ours(name, hint):
    assert hint in said(AttributeError, lambda: getattr(Toolbox("shop"), name)())


def test_a_toolbox_is_an_ordinary_object_besides():
    box = Toolbox("shop")
    assert "a Toolbox has no `nothing`" in said(AttributeError, lambda: box.nothing)
    assert not hasattr(box, "nothing") and getattr(box, "nothing", 1) == 1
    assert copy.copy(box).name == "shop"
    with pytest.raises((TypeError, pickle.PicklingError)):
        pickle.dumps(box)
    assert inspect.iscoroutinefunction(box.call_async)
    assert list(inspect.signature(Toolbox).parameters)[:3] == ["name", "tools", "version"]


@for_every(
    ("given", "hint"),
    [
        ({"timout": 5}, "did you mean `timeout`?"),
        ({"auth": 1}, 'box.serve("http", tokens=...)'),
        ({"middleware": []}, "@box.around"),
        ({"port": 80}, 'box.serve("http", port=8000)'),
        ({"zzz": 1}, "the options are defaults"),
    ],
)
def test_an_unknown_keyword_of_a_toolbox_is_explained(given, hint):
    assert hint in said(TypeError, lambda: Toolbox("shop", **given))


def test_an_option_of_another_system_is_refused_with_ours():
    for name, hint in (("required_scopes", "roles="), ("structured_output", "emit")):
        box = Toolbox("shop")
        assert hint in said(SchemaError, lambda: box.add(one, **{name: True}))  # noqa: B023


def one(a: int) -> int:
    return a


def test_a_transport_of_another_system_is_refused_with_ours():
    for name in ("streamable-http", "sse"):
        assert 'it is `"http"`' in said(ValueError, lambda: Toolbox("x").serve(transport=name))  # noqa: B023


def test_arguments_of_a_call_are_one_mapping():
    box = Toolbox("shop", [one])
    hint = 'box.call("tool", {"a": ...})'
    assert hint in said(TypeError, lambda: box.call("one", a=1))
    assert hint in said(TypeError, lambda: asyncio.run(box.call_async("one", a=1)))


def test_the_class_is_no_toolbox(here):
    for method in (Toolbox.tool, Toolbox.add, Toolbox.prompt, Toolbox.resource, Toolbox.include):
        assert 'write `box = Toolbox("name")`' in said(TypeError, lambda: method(one))  # noqa: B023
    here({"named.py": "from toolwright import Toolbox\nbox = Toolbox\n"})
    assert 'write `box = Toolbox("name")`' in refused(2, "list", "named.py")
    here({"used.py": "from toolwright import Toolbox\nb = Toolbox\n@b.tool\ndef f() -> int: ...\n"})
    assert 'write `box = Toolbox("name")` (used.py:3)' in refused(2, "list", "used.py")


def test_the_module_is_not_the_class():
    from toolwright import toolbox

    assert "the class is `Toolbox`" in said(TypeError, lambda: toolbox("shop"))


CONTEXT = """
from toolwright import Toolbox
box = Toolbox("shop")
class Context:
    def __init__(self, server, request): ...
@box.tool
def untyped(a: int, ctx): ...
@box.tool
def typed(a: int, ctx: Context): ...
"""


def test_a_context_is_recognised_by_its_name(here):
    here({"shop.py": CONTEXT})
    lines = run("list", "shop.py").stderr.splitlines()
    assert len([line for line in lines if "take a parameter `call: Call`" in line]) == 2


@pytest.mark.parametrize("where", [{"a": 1}, [1], 1])
def test_a_forgotten_await_is_named(where):
    async def price() -> int:
        return 1

    box = Toolbox("shop")

    @box.tool
    async def show():
        return {"a": price()} if isinstance(where, dict) else [price()] if where == [1] else price()

    assert box.call("show").text.endswith("a coroutine - await it")


def test_a_forgotten_await_that_fails_is_named_in_the_log(caplog):
    class Price:
        def __add__(self, other):
            raise TypeError("unsupported operand type(s) for +: 'coroutine' and 'int'")

    box = Toolbox("shop")
    box.add(lambda: Price() + 1, name="show")
    box.call("show")
    assert caplog.records[-1].getMessage().endswith("; a coroutine was used: await it")


# -- the command


@for_every(
    ("words", "hint"),
    [
        (["list", "127.0.0.1:9"], "is it a server, http://127.0.0.1:9?"),
        (["list", "localhost:9/mcp"], "is it a server, http://localhost:9/mcp?"),
        (["call", "shop.py", "add", "--a", "3"], "an argument of the tool is written a=3"),
        (["call", "shop.py", "add", "--some-thing=3"], "is written some_thing=3"),
        (["call", "shop.py", "--tool", "add"], "write the name after TARGET"),
        (["serve", "shop.py", "--tool", "add"], "`--select NAME`"),
        (["serve", "shop.py", "--list"], "write `toolwright list TARGET`"),
        (["serve", "--module", "shop"], "write TARGET as `package.module`"),
        (["serve", "shop.py", "--stdio"], "without `--http`"),
        (["list", "shop.py", "--auth-token", "x"], "it is `--token`"),
    ],
)
def test_words_of_other_commands_are_refused_with_ours(words, hint):
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert hint in done.stderr


def test_a_syntax_error_is_shown_with_its_line(here):
    here({"bad.py": "def f(a: int) -> int:\n    return (a +\n\ndef g(): ...\n"})
    done = run("list", "bad.py")
    assert done.returncode == 2
    assert done.stderr == (
        "toolwright: bad.py cannot be imported: SyntaxError: '(' was never closed (bad.py:2)\n"
        "    return (a +\n"
        "           ^\n"
    )
    here({"long.py": f"x = {'a' * 300} b\n", "odd.py": "x = '\x1b[31m' (\n"})
    for name in ("long.py", "odd.py"):
        assert len(run("list", name).stderr.splitlines()) == 1


# -- whose lines are shown


def untyped(a): ...


def frames(run):
    try:
        run()
    except DefinitionError as error:
        return len(traceback.extract_tb(error.__traceback__)) - 2  # this function, and the lambda


@for_every(
    "run",
    [
        lambda: Toolbox("shop").add(untyped),
        lambda: Toolbox("shop").tool(untyped),
        lambda: Toolbox("shop").tool("name")(untyped),
        lambda: Toolbox("shop").include({"a": untyped, "b": untyped}),
        lambda: Toolbox("shop").prompt(untyped),
        lambda: Toolbox("shop").resource("a://{a}")(untyped),
        lambda: Toolbox("shop", [untyped]),
        lambda: Tool(untyped),
    ],
)
def test_a_refusal_shows_one_frame_of_ours(run):
    assert frames(run) == 1


def test_a_script_with_a_bad_tool_shows_its_own_line(here, tmp_path):
    here(
        {"bad.py": "from toolwright import Toolbox\nbox = Toolbox('x')\n@box.tool\ndef f(a): ...\n"}
    )
    lines = run_script(tmp_path / "bad.py").stderr.splitlines()
    assert len([line for line in lines if "src/toolwright" in line]) == 1
    assert lines[-1].startswith("toolwright.SchemaError: f.a has no type hint")


def test_a_rate_may_be_written_with_per():
    box = Toolbox("shop")
    rates = [
        box.add(one, name=f"t{at}", rate_limit=text).options.rate_limit
        for at, text in enumerate(("10 per minute", "10/min"))
    ]
    assert rates[0] == rates[1]


def test_decorators_that_need_a_word_are_refused_without_it():
    box = Toolbox("shop")
    assert 'write `@box.resource("scheme://place")`' in said(SchemaError, lambda: box.resource(one))
    assert 'write `@box.route("/path")`' in said(TypeError, lambda: box.route(one))
    assert 'write `@converter("package.Class")`' in said(
        TypeError, lambda: toolwright.converter(one)
    )
    assert not box.resources
