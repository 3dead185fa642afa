"""What is mistyped, repeated or without effect is refused, with what would be right."""

import json

import pytest

import toolwright
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run

__all__ = ["here"]  # a fixture

MIXED = """
from toolwright import Toolbox
box = Toolbox("mixed")

@box.tool
def fine(numbers: list[int], text: str = "") -> int:
    return sum(numbers)

@box.tool("orders.find")
def find() -> int: ...

@box.tool
def legacy(x): ...

@box.tool
def unknown(x: "Nowhere") -> int: ...
"""


@pytest.fixture
def mixed(here):
    here({"mixed.py": MIXED})


@pytest.mark.promise("serve.select-typo")
@pytest.mark.parametrize("command", ["list", "serve", "export"])
@pytest.mark.parametrize(
    ("patterns", "said"),
    [
        (["fien"], "no tool is called `fien` (did you mean `fine`?)"),
        (["fine", "!legcy"], "no tool is called `legcy` (did you mean `legacy`?)"),
        (["orders.finds"], "did you mean `orders.find`?"),
        (["zzz*"], "no tool matches `zzz*`: there are `fine`, `orders.find`"),
        (["legcay"], "did you mean `legacy`?"),
    ],
)
def test_a_pattern_without_a_tool_is_refused(here, command, patterns, said):
    here({"mixed.py": MIXED})
    given = [word for pattern in patterns for word in ("--select", pattern)]
    done = run(command, "mixed.py", *given)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1], done.stderr


@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize(
    ("patterns", "code", "lines"),
    [
        (["!legacy", "!unknown"], 0, 0),
        (["fine"], 0, 0),
        (["!legacy"], 1, 1),
        (["fine", "unknown"], 1, 1),
        (["legacy", "fine"], 1, 1),
        (["*"], 1, 2),
        (["orders*"], 0, 0),
        (["orders_find"], 0, 0),
    ],
)
@pytest.mark.promise("serve.strict-selected")
def test_strict_looks_at_what_is_selected(patterns, code, lines):
    given = [word for pattern in patterns for word in ("--select", pattern)]
    done = run("list", "mixed.py", "--strict", *given)
    assert (done.returncode, done.stderr.count("refused:")) == (code, lines), done.stderr


@pytest.mark.usefixtures("mixed")
def test_nothing_that_is_read_only():
    done = run("list", "mixed.py", "--select", "fine", "--read-only")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "note: no tool is left, since none of them is read-only: `read_only=True` makes it so\n"
    )


@pytest.mark.promise("serve.useless-flags")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--port", "9000"], "--port goes with --http"),
        (["--port", "0"], "--port goes with --http"),
        (["--port", "8000"], "--port goes with --http"),
        (["--host", "0.0.0.0"], "--host goes with --http"),
        (["--path", "/x"], "--path goes with --http"),
        (["--token", "abc"], "--token goes with --http"),
        (["--workers", "2"], "--workers goes with --http"),
        (["--stateless"], "--stateless goes with --http"),
        (["--allow-origin", "x"], "--allow-origin goes with --http"),
        (["--max-sessions", "3"], "--max-sessions goes with --http"),
        (["--state-key-file", "x"], "--state-key-file goes with --http"),
        (["--metrics"], "--metrics goes with --http"),
        (["--http", "--roles-claim", "r"], "--roles-claim goes with --issuer"),
        (["--http", "--stateless", "--session-idle", "3"], "--session-idle"),
        (["--http", "--workers", "2", "--max-sessions", "3"], "--max-sessions"),
        (["--http", "--failed-sign-ins", "3/min"], "--failed-sign-ins goes with --token"),
        (["--audit-arguments"], "--audit-arguments goes with --audit"),
    ],
)
def test_an_option_that_does_nothing_is_refused(here, given, said):
    assert said in refused(2, "serve", "shop.py", *given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["serve", "shop.py", "--htpp"], "there is no `--htpp` (did you mean `--http`?)"),
        (["serve", "shop.py", "--htpp=1"], "there is no `--htpp` (did you mean `--http`?)"),
        (["serve", "shop.py", "--prot", "1"], "there is no `--prot` (did you mean `--port`?)"),
        (["serve", "--prot", "1", "shop.py"], "there is no `--prot` (did you mean `--port`?)"),
        (["serve", "shop.py", "--stdio"], "there is no `--stdio`: stdio is what it serves without"),
        (["serve", "shop.py", "more.py"], "`more.py` is one argument too many"),
        (["serve", "shop.py", "-p", "8000"], "there is no `-p`"),
        (["serve", "shop.py", "--transport", "http"], "there is no `--transport`"),
        (["list", "shop.py", "--selct", "x"], "(did you mean `--select`?)"),
        (["list", "shop.py", "--http"], "there is no `--http`"),
        (["--htpp", "serve", "shop.py"], "--htpp"),
        (["serv", "shop.py"], "did you mean `serve`?"),
        (["run", "shop.py"], "did you mean `serve`?"),
        (["inspect", "shop.py"], "did you mean `show`?"),
        (["serve", "shop.py", "--log-level", "loud"], "critical"),
        (["serve", "shop.py", "--port", "x"], "--port"),
    ],
)
def test_an_unknown_word_gets_a_suggestion(here, given, said):
    line = refused(2, *given)
    assert said in line
    assert line.rstrip().endswith("--help` shows how")


@pytest.mark.usefixtures("mixed")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["numbers=1", "numbers=2"], "`numbers` is given twice: a list is numbers='[1, 2]'"),
        (["text=a", "numbers=[1]", "text=b"], "`text` is given twice: give it once"),
    ],
)
def test_an_argument_is_given_once(given, said):
    assert said in refused(2, "call", "mixed.py", "fine", *given, "--select", "fine")


def test_arguments_that_are_missing_are_named(here):
    here({"mixed.py": MIXED.split("@box.tool\ndef legacy", maxsplit=1)[0]})
    said = refused(1, "call", "mixed.py", "fine")
    assert "`numbers`" in said
    assert "toolwright call mixed.py fine numbers=..." in said
    said = refused(2, "call", "mixed.py")
    assert said.startswith("toolwright call: TOOL is missing: `toolwright list TARGET` names them")
    assert "toolwright list mixed.py" in refused(2, "call", "mixed.py", "numbers=1")
    assert "TARGET is missing" in refused(2, "call")
    assert "TARGET is missing" in refused(2, "serve")
    assert "key=value" in refused(2, "call", "mixed.py", "fine", "numbers")


def test_an_at_sign_reads_a_file_and_says_how_not_to(here):
    here({"mixed.py": MIXED.split("@box.tool\ndef legacy", maxsplit=1)[0]})
    said = refused(2, "call", "mixed.py", "fine", "text=@ada")
    assert "text=@@ada" in said
    assert "ada cannot be read" in said


@pytest.mark.parametrize("word", ["--version", "-V", "version"])
def test_the_version(here, word):
    assert good(word) == f"toolwright {toolwright.__version__}\n"


def test_help(here):
    assert good("help") == good("--help") == good("-h") == good()
    assert good("help", "serve") == good("serve", "--help")
    assert "did you mean `serve`?" in refused(2, "help", "srve")
    assert json.loads(good("version", "--json"))
