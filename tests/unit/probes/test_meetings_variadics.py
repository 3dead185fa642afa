"""Where *args and **kwargs meet other features."""

import functools
from typing import Unpack

import pytest

from tests.unit.probes.case import INT, NULL, STR, array, obj
from tests.unit.probes.compiled import Point, made, properties, refuses
from tests.unit.probes.targets import keywords


@pytest.mark.promise("parameters.variadics")
def test_args_of_a_model():
    def f(first: Point, *more: Point): ...

    tool = made(f)
    point = obj({"x": INT, "y": {"type": "integer", "default": 0}}, ["x"])

    assert tool.input_schema["properties"] == {"first": point, "more": array(point)}
    assert tool.bind({"first": {"x": 1}, "more": [{"x": 2}, {"x": 3}]}) == (
        [Point(x=1), Point(x=2), Point(x=3)],
        {},
    )
    refuses(tool, {"first": {"x": 1}, "more": [{"y": 1}]}, {"first": {"x": 1}, "more": {"x": 1}})


def test_args_with_a_default_before_them():
    def f(a: int = 1, *rest: int, b: int = 2): ...

    tool = made(f)

    assert tool.bind({"rest": [5]}) == ([1, 5], {"b": 2})
    assert tool.bind({}) == ([1], {"b": 2})


def test_the_docstring_describes_args_and_kwargs():
    def f(*paths: str, **options: int):
        """Do it.

        Args:
            *paths: Where.
            **options: How.
        """

    tool = made(f)

    assert tool.input_schema["properties"] == {"paths": array(STR, description="Where.")}
    assert tool.input_schema["additionalProperties"] == {"type": "integer", "description": "How."}
    assert tool.problems == ()


@pytest.mark.promise("parameters.variadics")
def test_kwargs_of_a_model():
    def f(**points: Point): ...

    tool = made(f)

    assert tool.input_schema["additionalProperties"] == obj(
        {"x": INT, "y": {"type": "integer", "default": 0}}, ["x"]
    )
    assert tool.bind({"a": {"x": 1}}) == ([], {"a": Point(x=1)})


@pytest.mark.promise("parameters.unpack")
def test_unpacked_keywords_have_their_documentation_bounds_and_requirements():
    def f(query: str, **filters: Unpack[keywords.Filters]) -> int: ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "query": STR,
        "color": {"type": "string", "description": "Which color."},
        "shape": {"type": "string", "description": "Which shape."},
        "size": {"type": "integer", "description": "How large"},
        "count": {"type": "integer", "minimum": 1},
        "nothing": {"anyOf": [INT, NULL]},
    }
    assert sorted(tool.input_schema["required"]) == ["color", "query", "size"]
    assert tool.input_schema["additionalProperties"] is False
    needed = {"query": "a", "color": "red", "size": 1}
    assert tool.bind(needed) == ([], needed)
    assert tool.bind({**needed, "nothing": None}) == ([], {**needed, "nothing": None})
    refuses(
        tool,
        {"query": "a", "color": "red"},
        {**needed, "count": 0},
        {**needed, "shape": None},
        {**needed, "other": 1},
    )


def test_unpacked_keys_that_are_python_keywords_or_no_names_at_all():
    def f(**odd: Unpack[keywords.Odd]): ...

    tool = made(f)

    assert tool.input_schema["properties"] == {
        "class": STR,
        "from": INT,
        "x-y": STR,
        "plain": INT,
    }
    assert sorted(tool.input_schema["required"]) == ["class", "plain"]
    assert tool.bind({"class": "a", "plain": 1}) == ([], {"class": "a", "plain": 1})
    everything = {"class": "a", "from": 1, "x-y": "b", "plain": 2}
    assert tool.bind(everything) == ([], everything)
    refuses(tool, {"plain": 1}, {"class": 1, "plain": 1}, {"class": "a", "plain": 1, "key_0": "a"})


def test_unpacked_keywords_behind_args_and_positional_only():
    def f(a: int, /, b: int, *rest: int, **odd: Unpack[keywords.Odd]): ...

    assert made(f).bind({"a": 1, "b": 2, "rest": [3], "class": "x", "plain": 4}) == (
        [1, 2, 3],
        {"class": "x", "plain": 4},
    )


def test_unpacked_keywords_bound_by_a_partial_are_gone():
    def f(**filters: Unpack[keywords.Filters]): ...

    tool = made(functools.partial(f, color="red", count=3))

    assert set(tool.input_schema["properties"]) == {"shape", "size", "nothing"}
    assert tool.input_schema["required"] == ["size"]
    refuses(tool, {"size": 1, "color": "blue"})
    assert tool.bind({"size": 1}) == ([], {"size": 1})
