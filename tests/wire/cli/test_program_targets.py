"""Command-line programs as targets of the command, and through a real client."""

import json

import pytest

from tests.wire.processes import good, refused, run

APPS = {
    "click": """
        import click

        @click.group()
        @click.option("--region", required=True)
        @click.version_option("4.5.6")
        @click.pass_context
        def cli(context, region):
            "Look after clouds."
            context.obj = region

        @cli.command(epilog="cloud start web")
        @click.argument("name")
        @click.option("--size", type=click.IntRange(1, 9), default=3)
        @click.option("--fast/--slow", default=True)
        @click.pass_obj
        def start(region, name, size, fast):
            "Start one."
            click.echo(f"{region} {name} {size} {fast}")

        @cli.command(hidden=True)
        def secret():
            pass

        if __name__ == "__main__":
            cli()
    """,
    "typer": """
        import typer

        app = typer.Typer()

        @app.callback()
        def root(context: typer.Context, region: str = typer.Option(...)):
            "Look after clouds."
            context.obj = region

        @app.command(epilog="cloud start web")
        def start(context: typer.Context, name: str, size: int = typer.Option(3, min=1, max=9), fast: bool = True):
            "Start one."
            print(f"{context.obj} {name} {size} {fast}")

        if __name__ == "__main__":
            app()
    """,
    "argparse": """
        import argparse

        parser = argparse.ArgumentParser(prog="cloud", description="Look after clouds.")
        parser.add_argument("--region", required=True)
        commands = parser.add_subparsers(required=True)
        start = commands.add_parser("start", description="Start one.", epilog="cloud start web")
        start.add_argument("name")
        start.add_argument("--size", type=int, choices=range(1, 10), default=3)
        start.add_argument("--fast", action=argparse.BooleanOptionalAction, default=True)

        if __name__ == "__main__":
            got = parser.parse_args()
            print(got.region, got.name, got.size, got.fast)
    """,
    "cyclopts": """
        from typing import Annotated

        from cyclopts import App, Parameter
        from cyclopts.validators import Number

        app = App(name="cloud", help="Look after clouds.")

        @app.command
        def start(
            name: str,
            *,
            region: str,
            size: Annotated[int, Parameter(validator=Number(gte=1, lte=9))] = 3,
            fast: bool = True,
        ):
            "Start one."
            print(f"{region} {name} {size} {fast}")

        if __name__ == "__main__":
            app()
    """,
}


@pytest.fixture(params=["click", "typer", "argparse", "cyclopts"])
def program(request, tmp_path, monkeypatch):
    import textwrap

    monkeypatch.chdir(tmp_path)
    (tmp_path / "cloud.py").write_text(textwrap.dedent(APPS[request.param]))
    return request.param


def listed(*arguments):
    return {tool["name"]: tool for tool in json.loads(good("list", *arguments, "--json"))}


def name_in(tools):
    (name,) = [name for name in tools if name.endswith("_start")]
    return name


@pytest.mark.promise("commands.targets")
@pytest.mark.parametrize("target", [("cloud.py",), ("cloud.py", "--script")])
def test_a_program_is_listed_shown_and_called(program, target):
    done = run("list", *target, "--json")
    tools = {tool["name"]: tool for tool in json.loads(done.stdout)}
    note = "note: `cloud --help` is run up to its parser, to read its commands\n"
    assert done.stderr == (note if "--script" in target else "")
    assert len(tools) == 1
    name = name_in(tools)
    properties = tools[name]["inputSchema"]["properties"]
    assert {"region", "name", "size", "fast"} <= set(properties)
    assert set(tools[name]["inputSchema"]["required"]) == {"region", "name"}
    assert properties["size"]["default"] == 3
    assert "Start one." in run("show", target[0], name, *target[1:]).stdout
    said = run(
        "call", target[0], name, "region=eu", "name=--web", "size=5", "fast=false", *target[1:]
    )
    assert said.returncode == 0, said.stderr
    assert "eu --web 5 False" in said.stdout
    assert (
        "must be"
        in run("call", target[0], name, "region=eu", "name=x", "size=50", *target[1:]).stderr
    )


def test_a_target_that_is_no_program_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain.py").write_text("open('ran', 'w').write('no parser here')\n")
    for command in ("list", "export", "lock", "doctor"):
        assert "plain was not run: its source names no" in refused(
            2, command, "plain.py", "--script"
        )
    assert not (tmp_path / "ran").exists()
    (tmp_path / "two.py").write_text(
        "import click\n@click.command()\ndef a(): pass\n@click.command()\ndef b(): pass\n"
    )
    assert "several command lines: say which of `a`, `b`" in refused(2, "list", "two.py")


def test_commands_are_selected_by_their_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kube.py").write_text(
        "import click\n"
        "@click.group()\ndef kube(): pass\n"
        "@kube.group()\ndef get(): pass\n"
        "@get.command()\ndef pods(): pass\n"
        "@get.command()\ndef nodes(): pass\n"
        "@kube.command()\ndef drop(): pass\n"
    )
    assert set(listed("kube.py")) == {"kube_get_pods", "kube_get_nodes", "kube_drop"}
    assert set(listed("kube.py", "--select", "get.*")) == {"kube_get_pods", "kube_get_nodes"}
    assert set(listed("kube.py", "--select", "!kube_drop", "--select", "!get.pods")) == {
        "kube_get_nodes"
    }
    assert "did you mean `get.pods`?" in refused(2, "list", "kube.py", "--select", "get.pod")


CYCLOPTS = """
import cyclopts
shop = cyclopts.App()
stock = cyclopts.App(name="stock")
shop.command(stock)

@stock.command
def count(item: str): print(item)
"""


def test_an_app_of_cyclopts_is_named_by_its_file_and_its_sub_apps_are_no_rivals(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "store.py").write_text(CYCLOPTS)
    assert set(listed("store.py")) == {"store_stock_count"}


def test_a_program_that_cannot_be_used_is_said_without_a_trace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.tools.json").write_text('{"format": 1, "name": "x", "argv": "x", "root": {}}')
    assert "argv: must be a list" in refused(2, "call", "x.tools.json", "x")
    assert "neither a file nor a command" in refused(2, "call", "--script", "no_such_one", "x")


def test_install_writes_the_variables_of_rules_into_the_entry(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "server.py").write_text(
        "import click\nfrom toolwright import Toolbox\nfrom toolwright.sources import Rule\n"
        "@click.group()\ndef kube(): pass\n@kube.command()\ndef get(): pass\n"
        "@kube.command()\ndef drop(): pass\n"
        "box = Toolbox('box')\n"
        "box.include(kube, rules=[Rule('get', env={'A': '1', 'B': '2'}), Rule(env={'A': '1', 'B': '3'})])\n"
    )
    good("install", "cursor", "server.py", "--config", "c.json", "--env", "C=4")
    (entry,) = json.loads((tmp_path / "c.json").read_text())["mcpServers"].values()
    assert entry["env"] == {"A": "1", "C": "4", "TOOLWRIGHT_PASS_ENV": "A C"}


def test_a_trace_begins_in_the_program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odd.py").write_text(
        "import click\n@click.command()\ndef odd():\n    raise RuntimeError('here')\n"
    )
    ended = run("call", "odd.py", "odd")
    assert "RuntimeError: here" in ended.stdout + ended.stderr
    assert "frameworks" not in ended.stdout + ended.stderr
