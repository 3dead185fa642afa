"""`toolwright tokens`: the table, the details, and the budget."""

import json
from pathlib import Path

import pytest

from tests.wire.cli.typed_terminal import seen
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run

SHOP = '''
"""A shop."""

def search(query: str, limit: int = 10) -> list[str]:
    """Search the catalogue.

    >>> search("bike", limit=2)
    ['bike', 'bike']
    """
    return [query] * limit

def stock(sku: str) -> int:
    """Say how many are in stock."""
    return len(sku)
'''


@pytest.fixture
def shop(here):
    Path("shop.py").write_text(SHOP)
    return here


@pytest.mark.promise("tokens.command")
def test_the_table_has_a_row_for_each_tool_and_the_total(shop):
    lines = good("tokens", "shop.py").splitlines()
    assert lines[0].split() == ["total", "description", "schema", "output", "other"]
    rows = {line.split()[0]: line.split()[1:] for line in lines[1:3]}
    assert list(rows) == ["search", "stock"]  # the dearest first
    totals = lines[3].split()
    assert totals[:2] == ["2", "tools"]
    assert int(totals[2]) == sum(int(row[0]) for row in rows.values())


def test_one_tool_is_shown_by_parameter(shop):
    lines = good("tokens", "shop.py", "search").splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["search", "query", "limit"]


def test_a_provider_gets_other_definitions(shop):
    for name in ("openai", "anthropic", "gemini"):
        listed = json.loads(good("tokens", "shop.py", "--for", name, "--json"))
        assert listed["for"] == name
        assert {each["tool"] for each in listed["tools"]} == {"search", "stock"}
        assert all(each["output"] == 0 for each in listed["tools"])
    compared = json.loads(good("tokens", "shop.py", "--for", "all", "--json"))
    # Two short output schemas take hardly more than the words that stand for them elsewhere.
    assert compared["mcp"] != compared["openai"]


def test_results_are_counted_where_there_are_examples(shop):
    listed = json.loads(good("tokens", "shop.py", "--results", "--json"))
    search, stock = sorted(listed["tools"], key=lambda each: each["tool"])
    assert search["result"] > 3
    assert "result" not in stock
    assert search["most_result"] > 10_000
    header = good("tokens", "shop.py", "--results").splitlines()[0]
    assert header.split()[-1] == "result"


@pytest.mark.promise("tokens.budget")
def test_a_budget_fails(shop):
    done = run("tokens", "shop.py", "--max-total", "20", "--max-tool", "60")
    assert done.returncode == 1
    assert "over budget: all tools together take" in done.stdout
    Path("pyproject.toml").write_text(
        '[tool.toolwright]\ntarget = "shop.py"\n[tool.toolwright.tokens]\nmax_total = 20\n'
        "[tool.toolwright.tokens.openai]\nmax_total = 2000\n"
    )
    assert run("tokens").returncode == 1
    assert run("tokens", "--max-total", "2000").returncode == 0
    assert run("tokens", "--for", "openai").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--for", "openia"], "--for: there is no `openia`; did you mean `openai`?"),
        (["nothing"], "unknown tool `nothing`"),
        (["--max-total", "x"], "takes a whole number"),
    ],
)
def test_wrong_use_is_one_line(shop, arguments, said):
    assert said in refused(2, "tokens", "shop.py", *arguments)


def test_a_wrong_table_is_refused(shop):
    Path("pyproject.toml").write_text(
        '[tool.toolwright]\ntarget = "shop.py"\n[tool.toolwright.tokens]\nmax = 20\n'
    )
    assert "[tool.toolwright.tokens] has no `max`" in refused(2, "tokens")


def test_an_empty_toolbox_costs_nothing(here):
    Path("empty.py").write_text("from toolwright import Toolbox\nbox = Toolbox('b')\n")
    assert "0 tools" in good("tokens", "empty.py")


@pytest.mark.parametrize("columns", [80, 120])
def test_the_table_fits_a_terminal(shop, columns):
    assert max(map(len, seen("tokens", "shop.py", columns=columns).splitlines())) <= columns
