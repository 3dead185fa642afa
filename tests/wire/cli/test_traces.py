"""In development, the author's own line is shown for every exception."""

import re

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Http, Stdio, refused, run, until

__all__ = ["here"]  # a fixture

FAILING = """
import asyncio, logging
from toolwright import Call, Inject, ToolError, Toolbox
from typing import Annotated
box = Toolbox("failing")

def helper():
    return {}["missing"]  # line 8

@box.tool
def spoken() -> str:
    return helper()

@box.tool
def bug() -> str:
    return None.nothing  # line 16

@box.tool
async def later() -> str:
    await asyncio.sleep(0)
    return 1 // 0  # line 21

@box.tool
def meant() -> str:
    raise ToolError("closed")  # line 25

@box.tool(run_on="process")
def apart() -> str:
    return int("x")  # line 29

@box.tool
def chained() -> str:
    try:
        return helper()
    except KeyError as error:
        raise RuntimeError("no") from error  # line 36

def provider():
    raise LookupError("no database")  # line 39

@box.tool
def injected(db: Annotated[str, Inject(provider)]) -> str:
    return db

@box.tool
def typed(n: int) -> int:
    return n
"""
LINES = {
    "spoken": 8,
    "bug": 16,
    "later": 21,
    "meant": 25,
    "apart": 29,
    "chained": 36,
    "injected": 39,
}


def shows(said, line):
    assert re.search(rf'File ".*failing.py", line {line}, in ', said), said
    frames = re.findall(r'File "(.*?)"', said)
    assert all("toolwright/" not in file for file in frames), said
    return True


@pytest.mark.promise("errors.own-line")
@pytest.mark.parametrize("name", LINES)
def test_call_shows_the_authors_line(here, name):
    here({"failing.py": FAILING})
    done = run("call", "failing.py", name, *(["--debug"] if name == "meant" else []))
    assert (done.returncode, done.stdout.strip()) == (1, "")
    assert shows(done.stderr, LINES[name])


def test_what_an_author_says_on_purpose_is_one_line(here):
    here({"failing.py": FAILING})
    assert refused(1, "call", "failing.py", "meant") == "closed\n"


def test_a_mistake_of_the_caller_has_no_traceback(here):
    here({"failing.py": FAILING})
    assert "must be an integer" in refused(1, "call", "failing.py", "typed", "n=x")


@pytest.mark.promise("errors.own-line")
def test_serve_with_debug_logs_every_exception(here):
    here({"failing.py": FAILING})
    with Stdio("failing.py", "--debug") as server:
        for name in LINES:
            server.call(name)
        said = until(lambda: (said := server.said()).count("line 39") and said, "all are logged")
        assert all(shows(said, line) for line in LINES.values())
    with Http("failing.py", "--debug") as server:
        server.call("spoken")
        assert shows(server.said(), 8)
    with Stdio("failing.py") as server:
        server.call("bug")
        assert shows(server.said(), 16)
        server.call("spoken")
        assert "KeyError" not in server.said()  # a model was told


DEEP = {
    "deep.py": "import helper\n\ndef f(x: int) -> int: return x\n",
    "helper.py": "import json\n\ndef start():\n    json.loads('{')\n\nstart()\n",
}


@pytest.mark.promise("errors.import")
@pytest.mark.parametrize("command", [("list", "deep.py"), ("serve", "deep.py")])
def test_an_import_that_fails_names_the_authors_line(here, command):
    here(DEEP)
    said = refused(2, *command)
    assert "JSONDecodeError" in said
    assert said.endswith(" (helper.py:4)\n")


@pytest.mark.promise("errors.import")
@pytest.mark.parametrize(
    "command",
    [
        ("call", "deep.py", "f"),
        ("serve", "deep.py", "--debug"),
        ("serve", "deep.py", "--http", "--debug"),
        ("list", "deep.py", "--debug"),
    ],
)
def test_an_import_that_fails_has_a_traceback(here, command):
    here(DEEP)
    done = run(*command)
    assert done.returncode == 2
    assert 'helper.py", line 4, in start' in done.stderr
    assert 'deep.py", line 1, in <module>' in done.stderr
    assert "importlib" not in done.stderr
    assert "toolwright/" not in done.stderr
    assert done.stderr.splitlines()[-1].endswith("(helper.py:4)")


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("def f(:\n", "bad.py:1"),
        ("x = 1\nimport nowhere_at_all\n", "bad.py:2"),
        ("import sys\n\nsys.exit(3)\n", "bad.py:3"),
        ("from toolwright import Toolbox\nbox = Toolbox('b', page_size=-1)\n", "bad.py:2"),
        ("from toolwright import Toolbox\nbox = Toolbox('b', defaults={'a': 1})\n", "bad.py:2"),
        ("raise Exception('one\\ntwo')\n", "bad.py:1"),
    ],
)
def test_whatever_fails_in_an_import_has_its_place(here, source, place):
    here({"bad.py": source, "many/bad.py": source, "many/fine.py": "def f() -> int: ...\n"})
    done = run("list", "bad.py")
    said, *excerpt = done.stderr.splitlines()
    assert (done.returncode, done.stdout, bool(excerpt)) == (2, "", "SyntaxError" in said)
    assert said.count(place) == 1, said
    assert said.endswith(f"({place})")
    assert f"refused: many/bad.py" in run("list", "many").stderr
    assert 'File "' in run("call", "bad.py", "f").stderr


def test_a_reload_that_fails_names_the_line(here, tmp_path):
    here({"live.py": "def f() -> int:\n    return 1\n"})
    with Stdio("live.py", "--reload", "--debug") as server:
        (tmp_path / "live.py").write_text("\n\nnothing.at.all\n")
        said = until(lambda: "not reloaded" in (said := server.said()) and said, "it is told")
        assert "(live.py:3)" in said
        assert 'live.py", line 3, in <module>' in said
