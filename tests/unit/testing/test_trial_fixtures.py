"""Fixtures for examples, generated calls and coverage, as an author uses them."""

import re
import sys
from pathlib import Path

import pytest


PAGE = Path(__file__).parents[3] / "docs" / "testing-tools.md"
SHOP = '''
from toolwright import Toolbox

shop = Toolbox("shop")
ORDERS = []

@shop.tool(read_only=True)
def search(query: str, limit: int = 10) -> list[str]:
    """Search.

    >>> search("bike", limit=1)
    ['City bike']
    """
    return [name for name in ("City bike", "Chain") if query in name][:limit]

@shop.tool(destructive=False)
def order(sku: str) -> int:
    """Order.

    Examples:
        order("B-1")
    """
    ORDERS.append(sku)
    return len(ORDERS)
'''


@pytest.fixture
def author(pytester, monkeypatch):
    monkeypatch.delitem(sys.modules, "shop", raising=False)  # an example of ours has that name
    pytester.makepyfile(shop=SHOP)
    pytester.syspathinsert()

    def run(text, *arguments):
        pytester.makepyfile(test_shop=text)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-q", *arguments)

    return run


@pytest.mark.promise("testing.fixtures")
def test_the_example_of_the_documentation_passes(author, pytester):
    blocks = re.findall(r"```python\n(from shop import.*?)```", PAGE.read_text(), re.DOTALL)
    pytester.makefile(".yaml", **{"toolwright-tests": "tests: [{tool: order, params: {sku: P-1}}]"})
    author(blocks[0]).assert_outcomes(passed=5)


def test_generated_calls_that_fail_show_the_arguments(author):
    done = author(
        """
        import pytest
        from toolwright import Toolbox

        box = Toolbox("box")
        kept = []

        @box.tool(read_only=True)
        def look(number: int) -> int:
            if number > 5:
                kept.append(number)
            return number

        @pytest.fixture
        def toolbox_state():
            return lambda: list(kept)

        def test_generated(generated_calls):
            generated_calls(box, 30)
        """
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*look: says that it is read-only*", "*with {'number': 6}*"])
