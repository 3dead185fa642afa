"""Examples in docstrings: found, and run through the tool's real path."""

import functools
from enum import Enum
from pathlib import Path
from typing import Annotated

import pytest

from toolwright import Call, Hidden, Inject, Toolbox, ToolError
from toolwright.contract.trials import try_tools


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


def outcomes(function, **options):
    box = Toolbox("box")
    box.add(function, **options)
    return try_tools(box).outcomes


def only(function, **options):
    (outcome,) = outcomes(function, **options)
    return outcome


@pytest.mark.promise("testing.docstrings")
def test_lines_with_a_prompt_are_calls_of_the_tool():
    def double(number: int, times: int = 2) -> int:
        """Multiply.

        >>> double(2)
        4
        >>> six = double(2, times=3)
        >>> six
        6
        """
        return number * times

    outcome = only(double)
    assert (outcome.status, outcome.kind, outcome.calls) == ("passed", "docstring", 2)
    assert outcome.source.startswith(f"{__file__}:")


def test_another_value_than_written_fails():
    def double(number: int) -> int:
        """
        >>> double(2)
        5
        """
        return number * 2

    outcome = only(double)
    assert outcome.detail == "`double(2)` should give 5; got 4"
    assert outcome.arguments == {"number": 2}
    line = int(outcome.source.rpartition(":")[2])
    assert ">>> double(2)" in Path(__file__).read_text().splitlines()[line - 1]


@pytest.mark.promise("testing.real-path")
def test_an_example_takes_the_path_of_a_call():
    """Arguments are JSON, are validated, and what nobody can set is injected."""
    seen = []

    def paint(
        colour: Colour,
        call: Call,
        shop: Annotated[str, Inject(lambda: "here")],
        key: Annotated[int, Hidden()] = 1,
    ) -> str:
        """
        >>> paint(Colour.RED)
        'red here'
        >>> paint("green")
        Traceback (most recent call last):
        ...
        ArgumentError: paint: `colour` must be ...
        """
        seen.append(call.tool)
        return f"{colour.value} {shop}"

    outcome = only(paint)
    assert (outcome.status, outcome.detail) == ("passed", "")
    assert seen == ["paint"]


def test_what_a_tool_raises_is_what_an_example_shows():
    def buy(count: int) -> int:
        """
        >>> buy(0)
        Traceback (most recent call last):
        ...
        ValueError: at least one
        >>> buy(-1)
        Traceback (most recent call last):
        ...
        toolwright.ToolError: no
        """
        if count < 0:
            raise ToolError("no")
        if not count:
            raise ValueError("at least one")
        return count

    assert only(buy).detail == ""


def test_an_example_that_fails_says_what_was_raised_and_where():
    def divide(number: int) -> float:
        """
        >>> divide(0)
        """
        return [1 / number, {}["x"]][0]

    outcome = only(divide)
    assert outcome.detail.startswith(
        f"`divide(0)` raised ZeroDivisionError: division by zero ({__file__}:"
    )


def test_async_tools_are_called_with_and_without_await():
    async def later(number: int) -> int:
        """
        >>> await later(1)
        1
        >>> later(number=2)
        2
        """
        return number

    assert only(later).detail == ""


def test_what_a_tool_prints_is_no_part_of_its_example():
    def talk(number: int) -> int:
        """
        >>> talk(1)
        1
        >>> print(talk(2))
        2
        """
        print("hello")
        return number

    assert only(talk).detail == ""


def test_sections_of_examples_hold_calls_and_arguments():
    def search(query: str, limit: int = 10) -> str:
        """Search.

        Examples:
            search("bike", limit=3)
            - `search(query="x")`
            {"query": "y", "limit": 1}
            search(
                "several",
                limit=2,
            )
            search(of prose)
            other("thing")
        """
        return f"{query} {limit}"

    found = outcomes(search)
    assert [each.status for each in found] == ["passed"] * 4
    assert {each.kind for each in found} == {"docstring"}


def test_numpy_sections_are_read():
    def search(query: str) -> str:
        """Search.

        Examples
        --------
        search("bike")

        Notes
        -----
        search("no example")
        """
        return query

    assert len(outcomes(search)) == 1


def test_arguments_that_are_refused_fail_an_example():
    def search(query: str) -> str:
        """
        Example:
            search(5)
        """
        return query

    outcome = only(search, repair=False)
    assert outcome.status == "failed"
    assert outcome.detail.startswith("failed: search: `query` must be")


def test_docstrings_of_destructive_tools_are_not_run_unless_asked():
    gone = []

    def delete_all() -> None:
        """
        >>> delete_all()
        """
        gone.append(1)

    outcome = only(delete_all)
    assert (outcome.status, gone) == ("skipped", [])
    box = Toolbox("box", [delete_all])
    assert try_tools(box, destructive=True).outcomes[0].status == "passed"
    assert gone == [1]


def test_a_method_and_a_partial_have_examples():
    class Shop:
        def search(self, query: str) -> str:
            """
            >>> search("a")
            'a'
            """
            return query

    box = Toolbox("box")
    box.add(Shop().search)
    box.add(functools.partial(Shop().search), name="part")
    assert {each.status for each in try_tools(box).outcomes} == {"passed"}


def test_variadics_are_given_by_position():
    def add(*numbers: int) -> int:
        """
        >>> add(1, 2, 3)
        6
        """
        return sum(numbers)

    assert only(add).detail == ""


@pytest.mark.parametrize(
    "doc",
    [
        "    >>> f(1)\n  bad",
        ">>> f(",
        ">>> f(1)  # doctest: +SKIP",
        ">>> f(object())",
        ">>> f(1, 2, 3)",
        ">>>f(1)",
        "Examples:\n" + "    f(" * 1000,
        ">>> exit(f(1))",
    ],
)
def test_odd_docstrings_do_no_harm(doc):
    def f(x: int) -> int:
        return x

    f.__doc__ = doc
    assert len(outcomes(f)) <= 1


def test_skipped_lines_are_not_run():
    def f(x: int) -> int:
        """
        >>> f(1)  # doctest: +SKIP
        5
        """
        return x

    assert only(f).calls == 0


def test_a_call_of_something_else_with_the_same_name_is_left_alone():
    def f(x: int) -> int:
        """
        >>> other.f(1)
        5
        """
        return x

    assert outcomes(f) == []
