"""`add_mcp`: programs that serve themselves, and what can be wrong with them."""

import json
import subprocess
import sys

import mcp
import pytest

CLICK = """
import click
from toolwright import add_mcp

@click.group()
def cli(): ...

@cli.command()
@click.argument("name")
def hello(name):
    click.echo(f"hello {name}")

@cli.command()
@click.option("--password", prompt=True, hide_input=True)
def login(password): ...

add_mcp(cli)

if __name__ == "__main__":
    cli()
"""
TAKEN = {
    "click": """
import click
app = click.Group(commands=[click.Command("mcp")])
""",
    "typer": """
import typer
app = typer.Typer()

@app.command()
def mcp(): ...
""",
    "argparse": """
import argparse
app = argparse.ArgumentParser()
app.add_subparsers().add_parser("mcp")
""",
    "cyclopts": """
import cyclopts
app = cyclopts.App()

@app.command
def mcp(): ...
""",
}


def ran(*words, folder):
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("framework", TAKEN)
def test_a_command_of_that_name_is_not_hidden(framework):
    from toolwright import add_mcp

    made = {}
    exec(TAKEN[framework], made)  # noqa: S102 - written above
    with pytest.raises(ValueError, match="already has a command `mcp`"):
        add_mcp(made["app"])
    assert add_mcp(made["app"], name="ai") is made["app"]


def test_a_command_that_cannot_be_a_tool_does_not_stop_the_others(tmp_path):
    (tmp_path / "greet.py").write_text(CLICK)
    ended = ran("greet.py", "mcp", "tools", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert [each["name"] for each in json.loads((tmp_path / "mcp-tools.json").read_text())] == [
        "greet_hello"
    ]
    assert "refused: greet_login" in ended.stderr


REST = """
import argparse
from toolwright import add_mcp

parser = argparse.ArgumentParser()
parser.add_argument("words", nargs=argparse.REMAINDER)
add_mcp(parser)

if __name__ == "__main__":
    print(parser.parse_args().words)
"""


def test_no_value_reaches_the_group(tmp_path, monkeypatch):
    from tests.wire.processes import run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "rest.py").write_text(REST)
    sent = json.dumps({"words": ["mcp", "tools", "-o", "made.json"]})
    refused = run("call", "rest.py", "rest", "--json", sent)
    assert "`words` must not begin with `mcp`" in refused.stdout + refused.stderr
    assert not (tmp_path / "made.json").exists()
    taken = run("call", "rest.py", "rest", "--json", json.dumps({"words": ["a", "mcp"]}))
    assert taken.returncode == 0, taken.stderr


FIRST = {
    "click": """
import click
@click.command()
@click.argument("word")
def app(word):
    print(f"got {word}")
""",
    "typer": """
import typer
app = typer.Typer()
@app.command()
def first(word: str):
    print(f"got {word}")
""",
    "cyclopts": """
import cyclopts
app = cyclopts.App(name="first")
@app.default
def first(word: str):
    print(f"got {word}")
""",
}


@pytest.mark.parametrize("framework", FIRST)
def test_the_name_of_the_group_is_a_value_like_any_other(framework, tmp_path, monkeypatch):
    from tests.wire.processes import run

    monkeypatch.chdir(tmp_path)
    end = "\nfrom toolwright import add_mcp\nadd_mcp(app)\nif __name__ == '__main__':\n    app()\n"
    (tmp_path / "first.py").write_text(FIRST[framework] + end)
    done = run("call", "first.py:app", "first", "word=mcp")
    assert "got mcp" in done.stdout, done.stderr


NESTED = """
import click
from pydantic import BaseModel
from toolwright import add_mcp
from toolwright.sources import Rule, json_option

class Inner(BaseModel):
    size: int
    inside: list["Inner"] = []

class Outer(BaseModel):
    inner: Inner

@click.group()
def app(): ...

@app.command()
@click.option("--outer", type=json_option(Outer))
@click.argument("name", default="x")
def run(outer, name):
    click.echo(outer.inner)

@app.command()
@click.option("--odd", type=json_option({"$ref": "https://elsewhere.example/schema"}))
def odd(odd): ...

add_mcp(app, style="flags_args", rules=[Rule("nope"), Rule()])

if __name__ == "__main__":
    app()
"""


@pytest.mark.promise("commands.embedded-left-out")
def test_a_command_that_is_refused_when_it_is_compiled_is_said(tmp_path):
    (tmp_path / "nest.py").write_text(NESTED)
    ended = ran("nest.py", "mcp", "tools", "-o", "-", folder=tmp_path)
    assert [each["name"] for each in json.loads(ended.stdout)] == ["nest_run"]
    assert "refused: nest_odd.odd has a schema that refers to https://elsewhere" in ended.stderr
    assert "note: nest has a rule that matches no command: `nope`" in ended.stderr
    assert len(ended.stderr.splitlines()) == 2


def test_a_json_option_with_definitions_works_in_two_parts(tmp_path, monkeypatch):
    from tests.wire.processes import run

    monkeypatch.chdir(tmp_path)
    (tmp_path / "nest.py").write_text(NESTED.replace("add_mcp(app, ", "add_mcp(app, name='ai', "))
    (tmp_path / "box.py").write_text(
        "from nest import app\nfrom toolwright import Toolbox\nfrom toolwright.sources import CommandLine\n"
        "box = Toolbox('box')\nbox.include(CommandLine(app, style='flags_args'), select='run')\n"
    )
    good = {"flags": {"outer": {"inner": {"size": 1, "inside": [{"size": 2}]}}}}
    done = run("call", "box.py", "nest_run", "--json", json.dumps(good))
    assert "size=1 inside=[Inner(size=2" in done.stdout, done.stderr
    good["flags"]["outer"]["inner"]["inside"] = [{"size": "x"}]
    refused = run("call", "box.py", "nest_run", "--json", json.dumps(good))
    assert "`inner.inside[0].size` must be an integer; got" in refused.stdout


def test_every_option_of_the_group_has_a_help_text(tmp_path):
    (tmp_path / "greet.py").write_text(CLICK)
    pages = ("stream", "tools", "cursor enable", "cursor disable", "cursor list")
    for page in pages:
        shown = ran("greet.py", "mcp", *page.split(), "--help", folder=tmp_path).stdout
        options = shown.partition("options:")[2].strip().splitlines()
        bare = [
            line for line in options if line.lstrip().startswith("-") and "  " not in line.strip()
        ]
        texts = [options[options.index(line) + 1 :][:1] for line in bare]
        assert all(text and text[0].startswith("        ") for text in texts), shown
