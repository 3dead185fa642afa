"""One bad tool never loses the file: it is named, and the others are served."""

import json
import re

import pytest

from tests.wire.command_files import here
from tests.wire.processes import refused, run
from toolwright import SchemaError, Tool, Toolbox, tool
from toolwright.toolbox.box import loading

__all__ = ["here"]  # a fixture

BEGIN = """
from toolwright import Tool, Toolbox, tool
box = Toolbox("mixed")

def untyped(y):
    return y

"""
END = """

@box.tool
def fine(n: int) -> int:
    return n
"""
BAD = {
    "a decorator of the toolbox": "@box.tool\ndef bad(x): ...\n",
    "add": "box.add(untyped)\n",
    "what add returns": "added = box.add(untyped, name='bad').replace(title='Bad')\nadded.name\n",
    "add with an unknown option": "box.add(len, colour='red', name='bad')\n",
    "a tool": "Tool(untyped)\n",
    "a tool that is added": "box.add(Tool(untyped), title='Bad')\n",
    "a tool that is included": "Toolbox('other', [Tool(untyped)])\n",
    "a list of tools": "box.include(Toolbox('other', [untyped]))\n",
    "an unknown option": "@box.tool(readonly=True)\ndef bad(x: int) -> int: ...\n",
    "an unknown option of a mark": "@box.tool\n@tool(unknown=1)\ndef bad(x: int) -> int: ...\n",
    "a bad value of a mark": "@tool(emit='loud')\ndef bad(x: int) -> int: ...\nbox.add(bad)\n",
    "two names of a mark": "@tool('bad', name='x')\ndef bad(x: int) -> int: ...\nbox.add(bad)\n",
    "a marked method": (
        "class Bad:\n    @tool(unknown=1)\n    def bad(self) -> int: ...\nbox.include(Bad())\n"
    ),
    "no function": "box.add(5, name='bad')\n",
    "a name that is taken": "@box.tool('fine')\ndef bad() -> int: ...\n",
    "a resource": "@box.resource('x://{y}')\ndef bad(z: str) -> str: ...\n",
    "an untyped resource": "@box.resource('x://{y}')\ndef bad(y): ...\n",
    "an unknown option of a resource": "@box.resource('x://y', mime='a/b')\ndef bad(): ...\n",
    "a URI": "@box.resource('x://{y')\ndef bad(y: str) -> str: ...\n",
    "a prompt": "@box.prompt\ndef bad(z): ...\n",
    "an unknown option of a prompt": "@box.prompt(nmae='x')\ndef bad(z: str) -> str: ...\n",
}


@pytest.mark.promise("serve.refused-tool")
@pytest.mark.parametrize("bad", BAD)
def test_one_bad_tool_does_not_lose_the_file(here, bad):
    here({"mixed.py": BEGIN + BAD[bad] + END})
    done = run("list", "mixed.py", "--json")
    assert [each["name"] for each in json.loads(done.stdout)] == ["fine"], done.stderr
    [line] = done.stderr.splitlines()
    assert re.match(r"refused: (bad|untyped|fine)\b", line), line
    assert done.returncode == 0
    assert run("list", "mixed.py", "--strict").returncode == 1


@pytest.mark.parametrize("bad", BAD)
def test_the_same_program_fails_in_python(bad):
    with pytest.raises((SchemaError, TypeError, ValueError)):
        exec(BEGIN + BAD[bad] + END, {"__name__": "mixed"})


@pytest.mark.promise("errors.bad-mark")
def test_a_plain_module_with_a_bad_mark(here):
    here(
        {
            "plain.py": "from toolwright import tool\n@tool(roels=['admin'])\n"
            "def secret() -> int: ...\n@tool\ndef fine() -> int: ...\n",
            "only.py": "from toolwright import tool\n@tool(roels=['admin'])\ndef bad() -> int: ...\n",
        }
    )
    done = run("list", "plain.py")
    assert done.stdout == "fine() -> int\n"  # and not the one whose roles were mistyped
    assert "did you mean `roles`?" in done.stderr
    done = run("list", "only.py")
    assert (done.stdout, done.stderr.count("\n")) == ("", 2)
    assert "bad has a bad option: unknown option `roels`" in done.stderr


def test_a_refused_tool_says_so_whenever_it_is_used():
    def untyped(y): ...

    with loading() as noted:
        made = Tool(untyped)
        box = Toolbox("box")
        assert isinstance(box.add(made, name="other"), Tool)
    assert [each.tool for each in noted] == ["untyped"]
    assert list(box) == []
    with pytest.raises(SchemaError, match="no type hint"):
        made.compile()
    with pytest.raises(SchemaError, match="no type hint"):
        made.replace(title="t").input_schema  # noqa: B018
    with pytest.raises(SchemaError):
        box.add(made)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("readonly", "read_only"),
        ("readOnly", "read_only"),
        ("desc", "description"),
        ("tag", "tags"),
    ],
)
def test_a_mistyped_option_gets_a_suggestion(wrong, right):
    with pytest.raises(TypeError, match=rf"`{wrong}`; did you mean `{right}`\?"):
        tool(**{wrong: True})(print)
    with pytest.raises(SchemaError, match=rf"`{wrong}`; did you mean `{right}`\?"):
        Tool(print, **{wrong: True})
    with pytest.raises(TypeError, match=rf"`{wrong}`; did you mean `{right}`\?"):
        Toolbox("box", defaults={wrong: True})


@pytest.mark.promise("serve.broken-file")
def test_a_broken_file_in_a_folder_is_named(here):
    here(
        {
            "many/a.py": "def one() -> int:\n    return 1\n",
            "many/broken.py": "def f(:\n",
            "many/c.py": "import nowhere_at_all\n",
            "many/d.py": "def two() -> int:\n    return 2\n",
            "bad/a.py": "1 / 0\n",
        }
    )
    done = run("list", "many")
    assert done.stdout.splitlines() == ["one() -> int", "two() -> int"]
    first, second = done.stderr.splitlines()
    assert first.startswith("refused: many/broken.py cannot be imported: SyntaxError")
    assert second.startswith("refused: many/c.py needs nowhere_at_all")
    assert run("list", "many", "--strict").returncode == 1
    assert "ZeroDivisionError" in refused(2, "list", "bad")


@pytest.mark.promise("serve.refused-tool")
@pytest.mark.parametrize(
    "command",
    [
        ["call", "mixed.py", "bad", "x=1"],
        ["show", "mixed.py", "bad"],
        ["tokens", "mixed.py", "bad"],
    ],
)
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x: 'Nowhere'", "refused: bad.x has a type that is not known: `Nowhere`"),
        ("x", "refused: bad.x has no type hint"),
    ],
    ids=["late", "at once"],
)
def test_what_asks_for_the_bad_tool_says_why_in_two_lines(here, command, source, reason):
    here({"mixed.py": BEGIN + f"@box.tool\ndef bad({source}) -> int: ...\n" + END})
    done = run(*command)
    assert done.returncode == 1
    why, said = done.stderr.splitlines()
    assert why.startswith(reason)
    assert said == "toolwright: bad is refused, and cannot be used"
