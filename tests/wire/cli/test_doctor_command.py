"""`toolwright doctor`: targets, settings, output, exit codes."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.wire.cli.typed_terminal import seen
from tests.wire.command_files import here
from tests.wire.processes import Http, Stdio, good, refused, run

__all__ = ["here"]  # a fixture

EXAMPLES = Path(__file__).parents[3] / "examples"
CLEAN = '''
from toolwright import Toolbox

box = Toolbox("clean")

@box.tool(read_only=True)
def add(
    a: int = 1,  # The first number
    b: int = 1,  # The second number
) -> int:
    """Add two numbers."""
    return a + b
'''
WARNS = (
    CLEAN
    + '''
@box.tool
def drop(all: bool = False) -> None:
    """Drop the last order."""
'''
)
FAILS = (
    WARNS
    + '''
@box.tool
def untyped(a) -> int:
    """Take anything at all."""
    return a
'''
)


@pytest.mark.promise("doctor.exit")
def test_exit_codes(here):
    here({"clean.py": CLEAN, "warns.py": WARNS, "fails.py": FAILS})
    assert good("doctor", "clean.py") == "No problems in 1 tool\n"
    assert good("doctor", "warns.py").startswith("Warnings (2)\n  warns.py:15: ")
    assert run("doctor", "warns.py", "--strict").returncode == 1
    assert run("doctor", "clean.py", "--strict").returncode == 0
    failed = run("doctor", "fails.py")
    assert failed.returncode == 1
    assert "Errors (1)\n  fails.py:18: refused_tool: untyped.a has no type hint" in failed.stdout
    assert failed.stderr == ""


@pytest.mark.promise("doctor.exit", "doctor.refused")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--select", "long_enums"], "there is no check `long_enums`; did you mean `long_enum`?"),
        (["--ignore", "nothing"], "ignore: there is no check `nothing`"),
        (["--for", "opnai"], "there is no client or provider `opnai`; did you mean `openai`?"),
        (["--format", "xml"], "invalid choice: 'xml'"),
        (["--json", "--format", "sarif"], "cannot be used together"),
        (["--tools", "ad"], "no tool is called `ad` (did you mean `add`?)"),
        (["--config", "none.toml"], "none.toml cannot be read"),
        (["--level", "fatal"], "fatal"),
        (["-o", "no/such/folder"], "cannot be written"),
    ],
)
def test_a_mistake_in_using_it_is_code_two(here, arguments, says):
    here({"clean.py": CLEAN})
    assert says in refused(2, "doctor", "clean.py", *arguments)


def test_a_target_that_cannot_be_loaded_is_code_two(here):
    here({"bad.py": "import nothing_of_it\n"})
    assert "nothing_of_it" in refused(2, "doctor", "bad.py")
    assert "TARGET is missing" in refused(2, "doctor")


@pytest.mark.promise("doctor.clean-examples")
@pytest.mark.parametrize(
    "name",
    ["shop.py", "showroom.py", "warehouse.py", "warehouse.py:parser", "client.py", "demo.py", ""],
)
def test_the_examples_are_clean(name):
    assert good("doctor", str(EXAMPLES / name), "--strict").startswith("No problems in ")


def test_what_a_new_project_has_is_clean(here):
    run("new", "notes", "--project")
    done = run("doctor", "notes/pyproject.toml", "--strict")
    assert (done.returncode, done.stdout[:15]) == (0, "No problems in ")


@pytest.mark.promise("doctor.settings-found")
def test_settings_of_the_project(here, monkeypatch):
    table = '[tool.toolwright]\ntarget = "warns.py"\n'
    doctor = '[tool.toolwright.doctor]\nignore = ["hints"]\nselect = ["*"]\n'
    here({"warns.py": WARNS, "pyproject.toml": table + doctor, "sub/x": ""})
    assert "missing_destructive_hint" not in good("doctor")
    assert "missing_destructive_hint" not in good("doctor", "warns.py")
    here({"other.toml": "[tool.toolwright.doctor]\nstrict = true\n"})
    assert run("doctor", "warns.py", "--config", "other.toml").returncode == 1
    monkeypatch.chdir("sub")
    assert "missing_destructive_hint" not in good("doctor")
    here({"pyproject.toml": table + doctor.replace("ignore", "ignored")})
    assert "has no `ignored`; did you mean `ignore`?" in refused(2, "doctor")


def test_tools_and_checks_are_selected(here):
    here({"fails.py": FAILS})
    assert good("doctor", "fails.py", "--tools", "add") == "No problems in 1 tool\n"
    only = good("doctor", "fails.py", "--select", "hints,long_enum", "--json")
    assert [each["id"] for each in json.loads(only)["findings"]] == ["missing_destructive_hint"]
    found = json.loads(good("doctor", "fails.py", "--ignore", "refused_tool", "--json"))
    assert "refused_tool" not in {each["id"] for each in found["findings"]}


def test_notes_are_counted_and_shown_when_asked_for(here):
    here({"note.py": CLEAN.replace("(read_only=True)", "").replace("def add", "def get_sum")})
    assert good("doctor", "note.py") == (
        "No problems in 1 tool (1 note not shown: --level info shows them)\n"
    )
    assert "Notes (1)\n  note.py:7: read_only_suggestion: " in good(
        "doctor", "note.py", "--level", "info"
    )
    assert good("doctor", "note.py", "--level", "error") == "No problems in 1 tool\n"


@pytest.mark.promise("doctor.formats")
def test_reports_in_files(here):
    here({"warns.py": WARNS})
    good("doctor", "warns.py", "--format", "sarif", "-o", "out.sarif")
    assert json.loads(Path("out.sarif").read_text())["version"] == "2.1.0"
    good("doctor", "warns.py", "--format", "junit", "-o", "out.xml")
    assert ElementTree.parse("out.xml").getroot().tag == "testsuites"
    good("doctor", "warns.py", "-o", "out.txt")
    assert Path("out.txt").read_text().startswith("Warnings (2)\n")
    assert json.loads(good("doctor", "warns.py", "--json"))["counts"]["warning"] == 2


def test_a_terminal_has_colours_and_nothing_that_controls_it(here):
    here({"warns.py": WARNS})
    shown = seen("doctor", "warns.py")
    assert "\x1b[1;35m" in shown or "\x1b[1m" in shown


@pytest.mark.parametrize("colours", [{}, {"NO_COLOR": "1"}])
def test_a_terminal_breaks_long_lines_between_words(here, colours):
    here({"warns.py": WARNS})
    shown = seen("doctor", "warns.py", columns=50, **colours)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).replace("\r", "").splitlines()
    whole = good("doctor", "warns.py").splitlines()
    assert max(map(len, lines)) <= 50
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(whole).split())


@pytest.mark.promise("doctor.fix", "doctor.fix-safe")
def test_fix_and_diff(here):
    text = CLEAN.replace(
        '"""Add two numbers."""', '"""Add two numbers.\n\n    Args:\n        numbr: One.\n    """'
    )
    text = text.replace("a: int = 1,  # The first number", "number: int = 1,")
    text = text.replace("return a + b", "return number + b")
    here({"a.py": text})
    shown = run("doctor", "a.py", "--diff")
    assert shown.returncode == 1
    assert "-        numbr: One.\n+        number: One.\n" in shown.stdout
    assert Path("a.py").read_text() == text
    done = run("doctor", "a.py", "--fix")
    assert "fixed: " in done.stderr
    assert Path("a.py").read_text() == text.replace("numbr: One", "number: One")
    again = run("doctor", "a.py", "--diff")
    assert (again.returncode, again.stdout) == (0, "")


def test_checks_are_listed(here):
    lines = good("doctor", "--list-checks").splitlines()
    assert len(lines) > 35
    assert lines[0].startswith("refused_tool ")


def test_prints_of_the_target_do_not_disturb_the_report(here):
    here({"loud.py": CLEAN + "print('noise')\n"})
    done = run("doctor", "loud.py", "--json")
    assert json.loads(done.stdout)["findings"] == []
    assert done.stderr == "noise\n"


@pytest.mark.promise("doctor.no-gate")
def test_serve_asks_the_doctor_only_if_strict(here):
    secret = CLEAN.replace("a: int = 1,", "a: int = 1, api_key: str = 'q8Zr41xv77Bd',")
    here({"secret.py": secret})
    assert run("doctor", "secret.py").returncode == 1
    with Stdio("secret.py") as server:
        assert server.call("add", a=1)["structuredContent"] == {"result": 2}
    stopped = run("serve", "secret.py", "--strict")
    assert stopped.returncode == 1
    assert "doctor: " in stopped.stderr and "secret_default" in stopped.stderr
    assert "q8Zr" not in stopped.stderr


def test_checks_of_ones_own_beside_the_target(here):
    own = "from toolwright.doctor import check\n@check('short', severity='error')\ndef short(tool):\n    if len(tool.name) < 5:\n        yield 'has a short name'\n"
    here({"clean.py": CLEAN, "own_rules_here.py": own})
    here(
        {
            "pyproject.toml": '[tool.toolwright]\ntarget = "clean.py"\n[tool.toolwright.doctor]\nchecks = ["own_rules_here"]\n'
        }
    )
    failed = run("doctor")
    assert failed.returncode == 1
    assert "clean.py:7: short: add has a short name" in failed.stdout


@pytest.mark.promise("doctor.remote")
def test_the_tools_of_another_server(here):
    here({"warns.py": WARNS})
    with Http("warns.py") as server:
        done = run("doctor", f"http://127.0.0.1:{server.port}/mcp", "--strict", "--json")
    assert done.returncode == 1, done.stderr
    found = [
        (each["id"], each["tool"], each["file"]) for each in json.loads(done.stdout)["findings"]
    ]
    assert ("missing_destructive_hint", "drop", None) in found
    assert "failed_check" not in [id for id, _, _ in found]
