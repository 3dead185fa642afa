"""What the command says, and what it leaves unsaid."""

import json
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Http, Stdio, good, refused, run, until

__all__ = ["here"]  # a fixture

MIXED = """
import pandas
from toolwright import Toolbox, ToolError

box = Toolbox("mixed")

@box.tool
def fine(a: int = 1) -> int:
    "Do it."
    return a

@box.tool
def untyped(x): ...

@box.tool
def unknown(x: "Nowhere") -> int: ...

@box.tool
def odd() -> type: ...

@box.tool
def closed() -> str:
    raise ToolError("it is closed")
"""


@pytest.mark.promise("serve.one-tool")
@pytest.mark.parametrize("words", [["call"], ["show"]])
def test_a_tool_that_can_be_used_is_spoken_of_alone(here, words):
    here({"mixed.py": MIXED})
    listed = run("list", "mixed.py").stderr
    assert listed.count("refused: ") == 2 and listed.count("note: ") == 1
    assert run(*words, "mixed.py", "fine").stderr == ""
    assert "note: odd" in run(*words, "mixed.py", "odd").stderr
    for name in ("untyped", "nothing"):
        assert run(*words, "mixed.py", name).stderr.count("refused: ") == 2
    assert run(*words, "mixed.py", "fine", "--strict").stderr.count("refused: ") == 2


def test_a_tool_error_is_one_line(here):
    here({"mixed.py": MIXED})
    done = run("call", "mixed.py", "closed")
    assert (done.returncode, done.stderr) == (1, "it is closed\n")
    assert "Traceback" in run("call", "mixed.py", "closed", "--debug").stderr


def test_an_argument_is_given_once_in_any_form(here):
    here({"mixed.py": MIXED})
    given = ["call", "mixed.py", "fine", "--json", '{"a": 1}', "a=2"]
    assert "`a` is given twice: in --json, and as a=..." in refused(2, *given)
    assert good("call", "mixed.py", "fine", "--json", "{}", "a=2") != ""
    given = ["call", "mixed.py", "fine", "--json", '{"a": 1, "a": 2}']
    assert "`a` is in one object twice: give it once" in refused(2, *given)


def test_a_list_in_a_pipe_has_a_tab_before_each_description(here):
    here({"mixed.py": MIXED})
    first = run("list", "mixed.py").stdout.splitlines()[0]
    assert first.split("\t") == ["fine(a: int = 1) -> int", "Do it."]


def test_every_file_that_new_writes_is_named(here, tmp_path):
    said = good("new", "jots")
    for name in ("jots.py", "test_jots.py", "schemas/jots.json"):
        assert name in said.splitlines()[0] and Path(name).is_file()
    said = good("new", "memos", "--project")
    files = [str(each.relative_to("memos")) for each in Path("memos").rglob("*") if each.is_file()]
    files = [each for each in files if "__pycache__" not in each]  # of the import that `new` tries
    assert len(files) == 5
    assert all(name in said.splitlines()[0] for name in files)


ALL_BAD = "from toolwright import Toolbox\nbox = Toolbox('bad')\n@box.tool\ndef f(a): ...\n"


@pytest.mark.promise("serve.nothing-left")
def test_a_server_of_which_nothing_is_left_does_not_start(here):
    here({"bad.py": ALL_BAD})
    for flags in ([], ["--http", "--port", "0"]):
        done = run("serve", "bad.py", *flags)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == (
            "toolwright: nothing is left to serve: every tool is refused"
        )
    with Stdio("bad.py", "--reload") as server:
        here({"bad.py": ALL_BAD.replace("f(a)", "f(a: int)")})
        until(lambda: "reloaded, 1 tool" in server.said(), "the mended tool")


def test_without_a_resource_or_prompts_left_too(here):
    here({"bad.py": ALL_BAD + "@box.prompt\ndef greet() -> str:\n    return 'hi'\n"})
    with Stdio("bad.py") as server:
        assert server.ask("prompts/list")["result"]["prompts"]


BARE = """
from toolwright import Toolbox
box = Toolbox("bare")

@box.resource
def settings() -> str:
    return "x"

@box.prompt
def greet() -> str:
    return "hi"

@box.tool
def fine() -> int:
    return len(settings())
"""


def test_a_resource_without_its_uri_is_refused(here):
    here({"bare.py": BARE})
    done = run("list", "bare.py")
    assert done.stderr == (
        'refused: settings needs a URI to be a resource - write `@box.resource("scheme://place")`\n'
    )
    assert "greet() -> str" in done.stdout
    assert good("call", "bare.py", "fine") == "1\n"  # it is still a function


def test_errors_of_a_remote_target_name_flags(here):
    here({"mixed.py": MIXED})
    with Http("mixed.py", "--token", "a-long-token-of-mine") as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        for command in ("list", "call"):
            said = run(command, url, *(["fine"] if command == "call" else [])).stderr
            assert "give --token" in said and "token=" not in said
        with Stdio(url) as passed_on:
            until(lambda: "give --header Authorization=..." in passed_on.said(), "the hint")
        assert json.loads(good("call", url, "fine", "--token", "a-long-token-of-mine")) == 1
        wrong = run("call", url, "fine", "--token", "another-long-token").stderr
        assert "it does not know the --token" in wrong and "give" not in wrong
        assert "is refused: the token is not known" in server.said()
        assert "is refused: a token is needed" in server.said()
