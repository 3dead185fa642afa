"""The environment of a client's entry reaches the commands that its server runs."""

import json
import subprocess
import sys

import pytest

from toolwright.client import connect

KUBE = """
import json, os
import click
from toolwright import Toolbox, add_mcp
from toolwright.sources import CommandLine, Rule, python_tool

@click.command()
def kube():
    shown = {name: value for name, value in os.environ.items() if name.startswith("KUBE_")}
    click.echo(json.dumps(shown))

rules = [Rule("*", env={"KUBE_RULE": "rule", "KUBE_BOTH": "rule"})]
add_mcp(kube, rules=rules)
box = Toolbox("box")
box.include(CommandLine(kube, rules=rules))
box.add(python_tool())

if __name__ == "__main__":
    kube()
"""
VARIABLES = ("--env", "KUBE_CONFIG=a b", "--env", "KUBE_BOTH=user")
SEEN = {"KUBE_CONFIG": "a b", "KUBE_RULE": "rule", "KUBE_BOTH": "user"}
WAYS = {
    "program": ("kube.py", "mcp", "cursor", "enable", "--config-path", "c.json", *VARIABLES),
    "command": ("-m", "toolwright", "install", "cursor", "kube.py:box", "--config", "c.json", *VARIABLES),
}  # fmt: skip


@pytest.fixture
def entry_of(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kube.py").write_text(KUBE)

    def written(way):
        subprocess.run([sys.executable, *WAYS[way]], check=True, capture_output=True)
        (entry,) = json.loads((tmp_path / "c.json").read_text())["mcpServers"].values()
        return entry

    return written


def command_sees(entry, *more):
    """Return what the command sees of its environment, started as a client starts it."""
    environment = {**entry["env"], "KUBE_SECRET": "of the server alone"}
    command = [entry["command"], *entry["args"], *more]
    with connect(command, env=environment) as server:
        return json.loads(server.tools["kube"]().stdout)


@pytest.mark.promise("commands.entry-environment")
@pytest.mark.parametrize("way", WAYS)
def test_the_environment_of_an_entry_reaches_the_commands(way, entry_of):
    assert command_sees(entry_of(way)) == SEEN


def test_it_does_so_after_a_reload_as_well(entry_of):
    assert command_sees(entry_of("command"), "--reload") == SEEN


@pytest.mark.promise("commands.entry-by-hand")
def test_a_variable_that_is_added_by_hand_is_named_beside_the_others(entry_of):
    entry = entry_of("program")
    entry["env"]["KUBE_MORE"] = "by hand"
    entry["env"]["TOOLWRIGHT_PASS_ENV"] += " KUBE_MORE"
    assert command_sees(entry) == {**SEEN, "KUBE_MORE": "by hand"}


def test_code_that_a_model_writes_sees_none_of_it(entry_of):
    entry = entry_of("command")
    with connect([entry["command"], *entry["args"]], env=entry["env"]) as server:
        code = "import os; [name for name in os.environ if name.startswith('KUBE_')]"
        assert server.tools["python"](code=code).value == []


def test_an_entry_of_plain_functions_names_no_variables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.py").write_text("def add(a: int) -> int:\n    return a\n")
    words = ("-m", "toolwright", "install", "generic", "shop.py", "--env", "A=1")
    done = subprocess.run([sys.executable, *words], check=True, capture_output=True)
    assert json.loads(done.stdout)["mcpServers"]["shop"]["env"] == {"A": "1"}
