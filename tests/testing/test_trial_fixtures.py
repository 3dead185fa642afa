"""Fixtures for examples, generated calls and coverage, as an author uses them."""

import re
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PAGE = Path(__file__).parents[2] / "docs" / "testing-tools.md"
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


@pytest.mark.soak
def test_an_example_that_fails_fails_its_test(author, pytester):
    pytester.makefile(
        ".yaml",
        **{
            "other": "tests: [{tool: search, params: {query: x}, expect: {length: 3}, name: three}]"
        },
    )
    done = author(
        """
        import pytest
        from shop import shop

        @pytest.mark.toolbox(shop, file="other.yaml", docstrings=False)
        def test_example(toolbox_example):
            toolbox_example.check()
        """,
        "-v",
    )
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*test_example*search-three*", "*should have length 3; it has 0*"])


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


@pytest.mark.soak
def test_coverage_counts_calls_of_all_tests(author):
    done = author(
        """
        import pytest
        from shop import shop

        def test_first(toolbox_coverage):
            toolbox_coverage(shop)
            shop.call("search", {"query": "x"})

        def test_coverage(toolbox_coverage):
            toolbox_coverage(shop).check(tools=50, parameters=30)
            toolbox_coverage(shop).check()
        """
    )
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        ["*50 % of tools*", "*search: never given: limit*", "*order: not called*"]
    )


@pytest.mark.soak
def test_a_test_without_the_mark_is_told_so(author):
    done = author("def test_example(toolbox_example): toolbox_example.check()")
    done.stdout.fnmatch_lines(["*toolbox_example needs a toolbox: @pytest.mark.toolbox(box)*"])


@pytest.mark.soak
def test_a_toolbox_without_examples_is_skipped(author):
    done = author(
        """
        import pytest
        from toolwright import Toolbox

        @pytest.mark.toolbox(Toolbox("empty"))
        def test_example(toolbox_example):
            toolbox_example.check()
        """
    )
    done.assert_outcomes(skipped=1)
