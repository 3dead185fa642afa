"""Completion in shells: what may come next, and that real shells take it."""

import os
import subprocess
import sys

import pytest

from tests.wire.command_files import here
from tests.wire.processes import good, run

__all__ = ["here"]  # a fixture

PAINT = """
import enum
from pathlib import Path
from typing import Literal

class Size(enum.Enum):
    small = 1
    large = 2

def paint(
    colour: Literal["red", "dark blue"], wet: bool = False, size: Size | None = None, note: str = ""
) -> str:
    '''Paint it.

    And more.

    Args:
        colour: Which one.
    '''
    return colour

def load(path: Path, other: Path | None = None, many: list[Literal["x", "y"]] = []) -> str:
    return ""
"""
OFFERS = """
from toolwright import Toolbox

box = Toolbox("offers")

@box.tool
def sell() -> str:
    return ""

@box.prompt
def greet(name: str, polite: bool = False) -> str:
    return name

@box.resource("offers://all")
def everything() -> str:
    return ""

@box.resource("offers://{id}")
def one(id: str) -> str:
    return id
"""
LOUD = """
import sys
print("HELLO")
print("OH", file=sys.stderr)
assert sys.stdin.read() == ""
def f(x: int) -> int:
    return x
"""


def asked(line, path, **env):
    """Ask as the script of a shell does, but for the answer, which goes into a file."""
    env |= {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1"}
    done = run(
        stdin="typed ahead",
        env={**env, "_ARGCOMPLETE_STDOUT_FILENAME": str(path), "_ARGCOMPLETE_IFS": "\n"},
    )
    return done, path.read_text().splitlines()


@pytest.fixture
def completed(here, tmp_path):
    here({"offers.py": OFFERS})
    here({"paint.py": PAINT, "loud.py": LOUD, "deep/in.py": "", "a file.py": "", ".hidden": ""})

    def ask(line, **env):
        done, found = asked(f"toolwright {line}", tmp_path / ".answer", **env)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return [each.rstrip(" ") for each in found]

    return ask


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("se", ["serve"]),
        ("un", ["uninstall"]),
        ("serve shop.py --read", ["--read-only"]),
        ("install c", ["claude-desktop", "claude-code", "cursor"]),
        ("uninstall g", ["gemini-cli", "goose", "generic"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("serve sh", ["shop.py"]),
        ("serve de", ["deep/"]),
        ("serve deep/", ["deep/in.py"]),
        ("serve a", [r"a\ file.py"]),
        ("serve missing/", []),
        ("serve --folder=de", ["--folder=deep/"]),
        ("serve shop.py --tls-cert sh", ["shop.py"]),
        ("call shop.py add --save de", ["deep/"]),
        ("serve shop.py --port ", []),
        ("call missing.py ", []),
    ],
)
def test_commands_options_and_files(completed, line, found):
    assert completed(line) == found


@pytest.mark.promise("everyday.completion-names")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("call shop.py or", ["orders_find", "orders_drop"]),
        ("show shop.py ", ["add", "orders_find", "orders_drop"]),
        ("call shop.py:box or", ["orders_find", "orders_drop"]),
        ("call 'shop.py' ad", ["add"]),
        ("call ~/shop.py ad", ["add"]),
        ("call --select add shop.py a", ["add"]),
        ("call shop.py --json ad", ["add"]),
        ("call shop.py add ", ["a=", "b="]),
        ("call shop.py add a=1 ", ["b="]),
        ("call shop.py add nothing=", []),
        ("call paint.py paint colour=", ["colour=red", r"colour=dark\ blue"]),
        ("call paint.py paint 'colour=d", ["colour=dark blue"]),
        ("call paint.py paint wet=t", ["wet=true"]),
        ("call paint.py paint size=", ["size=1", "size=2"]),
        ("call paint.py paint note=", []),
        ("call paint.py paint note=@deep/", ["note=@deep/in.py"]),
        ("call paint.py load path=deep/", ["path=deep/in.py"]),
        ("call paint.py load other=pai", ["other=paint.py"]),
        ("call paint.py load path=@pai", ["path=@paint.py"]),
        ("call paint.py load many=", ["many=x", "many=y"]),
        ("call offers.py ", ["sell", "offers://all"]),
        ("call offers.py --prompt ", ["greet"]),
        ("call offers.py --prompt greet ", ["name=", "polite="]),
        ("call offers.py --prompt greet polite=", ["polite=true", "polite=false"]),
        ("show offers.py ", ["greet", "offers://all", r"offers://\{id\}", "sell"]),
        # Behind options, where argparse does not look for arguments of a tool.
        ("call paint.py paint --json co", ["colour="]),
        ("call paint.py paint colour=red --json wet=f", ["wet=false"]),
        ("call paint.py paint --select ", []),
        ("call paint.py nothing --json ", []),
    ],
)
def test_tools_and_their_arguments(completed, monkeypatch, line, found):
    monkeypatch.setenv("HOME", os.getcwd())
    assert completed(line) == found


def test_shells_that_show_it_get_what_is_said_of_each(completed):
    fish = {"_ARGCOMPLETE_DFS": "\t", "_ARGCOMPLETE_SUPPRESS_SPACE": "1"}
    assert completed("call paint.py pai", **fish) == ["paint\tPaint it."]
    found = completed("call paint.py paint c", _ARGCOMPLETE_SHELL="zsh")
    assert found == ["colour=:Which one."]
    found = completed("call paint.py paint --json c", _ARGCOMPLETE_SHELL="zsh")
    assert found == ["colour=:Which one."]


def test_what_a_target_prints_is_no_candidate(here, tmp_path):
    """And it is not read from the terminal of whoever types, either."""
    here({"loud.py": LOUD})
    done, found = asked("toolwright call loud.py ", tmp_path / ".answer")
    assert found == ["f "]
    assert done.returncode == 0


@pytest.mark.promise("everyday.completion")
def test_no_schema_is_made_for_names(here, tmp_path):
    here({"plain.py": "import sys, atexit\ndef f(x: int) -> int:\n    return x\n"})
    spy = "import sys; from toolwright.cli import main, completer\n"
    spy += "completer.CompletionFinder._init_debug_stream = lambda self: None\n"
    spy += "real = completer._Finder.quote_completions\n"
    spy += "def quoted(self, *more):\n    print('pydantic' in sys.modules, 'mcp' in sys.modules)\n"
    spy += "    sys.stdout.flush()\n    return real(self, *more)\n"
    spy += "completer._Finder.quote_completions = quoted\nmain.main([])\n"
    line = "toolwright call plain.py "
    env = {"COMP_LINE": line, "COMP_POINT": str(len(line)), "_ARGCOMPLETE": "1"}
    env |= {**os.environ, **env, "_ARGCOMPLETE_STDOUT_FILENAME": str(tmp_path / ".answer")}
    done = subprocess.run([sys.executable, "-c", spy], capture_output=True, text=True, env=env)
    assert (done.stdout, done.stderr) == ("False False\n", "")
    assert (tmp_path / ".answer").read_text() == "f "


SHELLS = {
    "bash": (["bash", "--norc", "-i"], ["PS1=; source <(toolwright completion bash)"]),
    "zsh": (
        ["zsh", "-f", "-i"],
        ["PS1=; autoload -U compinit; compinit -u -D", "source <(toolwright completion zsh)"],
    ),
    "fish": (["fish", "--no-config", "-i"], ["toolwright completion fish | source"]),
}


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_printed(shell):
    assert "_ARGCOMPLETE" in good("completion", shell)
