"""`toolwright test`: what it prints, how it ends, and what no tool can do to it."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.wire.cli.typed_terminal import seen
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run

SHOP = '''
"""A shop."""

def search(query: str, limit: int = 10) -> list[str]:
    """Search.

    >>> search("bike", limit=1)
    ['City bike']
    """
    return [name for name in ("City bike", "Chain") if query in name][:limit]

def half(number: int) -> float:
    """Halve."""
    if number == 0:
        raise TypeError("zero")
    return number / 2
'''
YAML = """
tests:
  - tool: search
    params: {query: ain}
    expect: {equals: [Chain]}
  - tool: half
    params: {number: 3}
    name: odd
    expect: {equals: 1.0}
"""


@pytest.fixture
def shop(here):
    Path("shop.py").write_text(SHOP)
    return here


def timeless(text):
    return re.sub(r"[\d.]+ ms", "T ms", text)


@pytest.mark.promise("testing.command")
def test_examples_are_tried_and_counted(shop):
    Path("toolwright-tests.yaml").write_text(YAML)
    done = run("test", "shop.py")
    assert (done.returncode, done.stderr) == (1, "")
    assert timeless(done.stdout).splitlines() == [
        "ok      search  shop.py:7  (T ms)",
        "ok      search  toolwright-tests.yaml:3  (T ms)",
        "FAILED  half  odd  toolwright-tests.yaml:6  (T ms)",
        "        should be 1.0; got 1.5",
        "        toolwright call shop.py half number=3",
        "Tests: 2 passed, 1 failed",
        "Latency: p50 T ms, p95 T ms (3 calls)",
    ]


def test_generated_calls_print_what_repeats_them(shop):
    done = run("test", "shop.py", "half", "--generate", "200")
    assert done.returncode == 1
    lines = timeless(done.stdout).splitlines()
    assert lines[0].startswith("FAILED  half  generated  (")
    assert lines[1].startswith("        failed unexpectedly: TypeError: zero (")
    assert lines[2:5] == [
        "        toolwright call shop.py half number=0",
        '        - tool: "half"',
        '          params: {"number": 0}',
    ]
    Path("toolwright-tests.yaml").write_text("tests:\n" + "\n".join(lines[3:5]))
    again = run("test", "shop.py", "half")
    assert "toolwright-tests.yaml:2" in again.stdout
    assert again.returncode == 1
    assert run("call", "shop.py", "half", "number=0").returncode == 1
    assert not Path(".hypothesis").exists()


def test_one_tool_is_tried_with_arguments_at_hand(shop):
    assert "1 passed" in good("test", "shop.py", "search", "--params", '{"query": "bike"}')
    done = run("test", "shop.py", "search", "--params", '{"limit": 1}')
    assert done.returncode == 1
    assert "missing argument `query`" in done.stdout


def test_coverage_is_shown_and_may_fail(shop):
    shown = good("test", "shop.py", "--coverage")
    assert timeless(shown).splitlines()[-4:] == [
        "Coverage",
        "  ✓  search: 2 of 2 parameters",
        "  ·  half: not called",
        "Coverage: 1 of 2 tools (50 %), 66.7 % of parameters",
    ]
    assert run("test", "shop.py", "--fail-under", "60").returncode == 0
    assert run("test", "shop.py", "--fail-under", "70").returncode == 1
    assert "a number from 0 to 100; got `200`" in refused(
        2, "test", "shop.py", "--fail-under", "200"
    )


def test_reports_are_written_as_json_and_junit(shop):
    Path("toolwright-tests.yaml").write_text(YAML)
    done = run("test", "shop.py", "--json", "--junit", "report.xml")
    report = json.loads(done.stdout)
    assert (done.returncode, report["passed"], report["failed"]) == (1, 2, 1)
    suite = ET.parse("report.xml").getroot()[0]
    assert (suite.get("name"), suite.get("tests"), suite.get("failures")) == ("shop", "3", "1")


HARMFUL = '''
import os, signal, sys, time

def ends() -> int:
    """
    >>> ends()
    """
    os._exit(0)

def crashes() -> int:
    """
    >>> crashes()
    """
    os.kill(os.getpid(), signal.SIGKILL)

def prints() -> int:
    """
    >>> prints()
    1
    """
    os.write(1, b"raw")
    print("text")
    return 1

def exits() -> int:
    """
    >>> exits()
    """
    sys.exit(0)

def fine() -> int:
    """
    >>> fine()
    1
    """
    return 1
'''


@pytest.mark.promise("testing.bounds")
def test_a_tool_that_ends_the_process_fails_alone(here):
    Path("harm.py").write_text(HARMFUL)
    done = run("test", "harm.py", "--json")
    results = {each["tool"]: each for each in json.loads(done.stdout)["results"]}
    assert done.returncode == 1
    assert results["ends"]["detail"] == "ended its process with exit code 0"
    assert results["crashes"]["detail"] == "ended its process by signal 9 (SIGKILL)"
    assert results["exits"]["status"] == "failed"
    assert [results[name]["status"] for name in ("prints", "fine")] == ["passed", "passed"]


def test_generated_arguments_that_end_the_process_are_shown(here):
    source = "import os\ndef f(x: int) -> int:\n    if x > 5:\n        os._exit(3)\n    return x\n"
    Path("harm.py").write_text(source)
    done = run("test", "harm.py", "--generate")
    assert done.returncode == 1
    assert "ended its process with exit code 3" in done.stdout
    assert re.search(r"toolwright call harm.py f x=\d+", done.stdout)


def test_settings_are_those_of_the_project(shop):
    Path("tests.json").write_text('[{"tool": "half", "params": {"number": 4}}]')
    Path("pyproject.toml").write_text(
        '[tool.toolwright]\ntarget = "shop.py"\n'
        '[tool.toolwright.test]\nfile = "tests.json"\ndocstrings = false\nfail_under = 90\n'
    )
    done = run("test")
    assert done.returncode == 1
    assert "1 passed" in done.stdout
    assert run("test", "--fail-under", "10").returncode == 0
    assert "1 passed" in run("test", "half").stdout
    assert "unknown tool `nothing`" in run("test", "nothing").stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fils = 'x'", "[tool.toolwright.test] has no `fils`"),
        ("generate = 'x'", "`test.generate` must be how many calls"),
        ("timeout = true", "`test.timeout` must be seconds"),
    ],
)
def test_wrong_settings_are_refused(shop, line, said):
    Path("pyproject.toml").write_text(
        f'[tool.toolwright]\ntarget = "shop.py"\n[tool.toolwright.test]\n{line}\n'
    )
    assert said in refused(2, "test")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "unknown tool `nothing`"),
        (["--file", "none.yaml"], "none.yaml cannot be read: No such file"),
        (["--params", "{}"], "--params needs the name of a TOOL"),
        (["search", "--params", "{"], "--params is not JSON"),
        (["search", "--params", "[]"], "--params must be one JSON object"),
        (["--generate", "-1"], "takes a whole number"),
        (["--generate", "5", "--seed", "x"], "--seed takes a whole number, or random"),
        (["--timeout", "0"], "--timeout must be a positive number"),
        (["--generate", "5", "--state", "none"], "`none`, which is not a tool"),
        (["--junit", "no/such/folder.xml"], "cannot be written"),
    ],
)
def test_wrong_use_is_one_line(shop, arguments, said):
    assert said in refused(2, "test", "shop.py", *arguments)


def test_a_target_without_examples_says_how_to_write_some(here):
    Path("plain.py").write_text("def f(x: int) -> int:\n    return x\n")
    done = run("test", "plain.py")
    assert "has no examples: write `>>> tool(...)`" in done.stdout
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("columns", [80, 120])
def test_on_a_terminal_there_is_colour_and_a_bar(shop, columns):
    shown = seen("test", "shop.py", columns=columns)
    assert "Tests: 1 passed" in shown


@pytest.mark.promise("testing.nothing-learnt")
def test_a_tool_whose_calls_all_fail_has_not_passed(here):
    Path("far.py").write_text(
        "from toolwright import ToolError\n"
        "def far(repo: str, number: int) -> str:\n"
        "    raise ToolError('outside of the repository')\n"
        "def near(number: int) -> int:\n"
        "    if number > 3:\n"
        "        raise ToolError('too many')\n"
        "    return number\n"
    )
    done = run("test", "far.py", "--generate", "10", "--junit", "report.xml")
    assert done.returncode == 0
    far, near, totals, *_ = done.stdout.splitlines()
    assert far.startswith("skipped far  generated")
    assert far.endswith("- nothing learnt: every call was refused, or ended in an error")
    assert near.startswith("ok")
    assert totals == "Tests: 1 passed, 0 failed, 1 skipped"
    cases = {each.get("classname"): each for each in ET.parse("report.xml").iter("testcase")}
    assert "nothing learnt" in cases["far"].find("skipped").get("message")
    assert cases["near"].find("skipped") is None
