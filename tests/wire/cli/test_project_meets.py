"""`[tool.toolwright]` where it meets stdio, clients, resources, and settings of the file itself."""

import pytest

from tests.wire.command_files import here
from tests.wire.processes import Stdio, good, refused, run

__all__ = ["here"]  # a fixture

TABLE = '[tool.toolwright]\ntarget = "shop.py"\n'
OWN = """
from toolwright import Toolbox
box = Toolbox("own")
@box.resource("notes://all")
def notes() -> str:
    return "all of them"
@box.resource("notes://day={day}")
def of_day(day: str) -> str:
    return f"notes of {day}"
if __name__ == "__main__":
    box.serve("http", tokens={"secret": "me"})
"""


@pytest.mark.promise("project.http-only")
def test_settings_of_http_are_for_http_only(here):
    here({"pyproject.toml": TABLE + "[tool.toolwright.serve]\nport = 9123\nmax_sessions = 3\n"})
    with Stdio() as server:
        assert "result" in server.ask("tools/list")
    assert "--port goes with --http" in refused(2, "serve", "--port", "9000")
    here({"pyproject.toml": TABLE + "[tool.toolwright.serve]\nport = 'x'\n"})
    assert "`serve.port` must be a whole number" in refused(2, "serve")


def test_a_level_of_logging_is_checked(here):
    here({"pyproject.toml": TABLE + "serve.log_level = 'loud'\n"})
    assert "`serve.log_level` must be one of debug, info" in refused(2, "serve")


@pytest.mark.promise("project.install-http")
def test_a_project_over_http_is_not_installed_as_one_over_stdio(here):
    here({"pyproject.toml": TABLE + "serve.transport = 'http'\n"})
    assert "install the URL that it shows" in refused(2, "install", "generic")


def test_a_resource_whose_address_has_an_equals_sign(here):
    here({"pyproject.toml": TABLE, "own.py": OWN})
    assert good("call", "own.py", "notes://day=1") == "notes of 1\n"


def test_what_the_file_gives_to_its_own_serve_counts_in_a_project_too(here):
    text = '[tool.toolwright]\ntarget = "own.py"\nserve.transport = "http"\n'
    here({"pyproject.toml": text, "own.py": OWN})
    said = refused(2, "serve", "--port", "0")
    assert "own.py:11 gives its own serve() `tokens`" in said


def test_refused_tools_of_sub_folders_have_their_whole_names(here):
    bad = "def f(x) -> int: ...\ndef g(x: int) -> int:\n    return x\n"
    here(
        {"tools/git/a.py": bad, "tools/git/b.py": "x = 1\n", "tools/c.py": "def h() -> int: ...\n"}
    )
    done = run("list", "tools", "--select", "git.*", "--strict")
    assert done.returncode == 1
    assert "git.f.x has no type hint" in done.stderr
    assert good("list", "tools", "--select", "h", "--strict") == "h() -> int\n"


def test_hints_repeat_what_was_typed(here):
    here({"pyproject.toml": TABLE, "shop.py": "def add(a: int) -> int:\n    return a\n"})
    assert "write `toolwright call add a=...`" in refused(1, "call", "add")
    assert "(`toolwright list` shows all)" in refused(2, "call", "ad", "a=1")
    assert "write `toolwright call shop.py add a=...`" in refused(1, "call", "shop.py", "add")
    assert "(`toolwright list shop.py` shows all)" in refused(2, "call", "shop.py", "ad", "a=1")
