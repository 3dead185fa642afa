"""Fixtures for examples, generated calls and coverage, as an author uses them."""

from tests.unit.testing.test_trial_fixtures import author


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


def test_a_test_without_the_mark_is_told_so(author):
    done = author("def test_example(toolbox_example): toolbox_example.check()")
    done.stdout.fnmatch_lines(["*toolbox_example needs a toolbox: @pytest.mark.toolbox(box)*"])


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
