"""Variadics without a type, let through, leave the types of their neighbours alone."""

import textwrap
from typing import Annotated

import pytest

from toolwright import Call, Fixed, Hidden, Tool

OPEN = {"type": "object", "additionalProperties": True}
INT, TEXT = {"type": "integer"}, {"type": "string"}


def permissive(target, **options):
    return Tool(target, on_unsupported="permissive", **options)


@pytest.mark.promise("parameters.permissive-variadics")
def test_typed_parameters_keep_their_types():
    def get(url: str, *, retries: int = 3, **kwargs):
        return url, retries, kwargs

    made = permissive(get)
    schema = made.input_schema

    assert schema["properties"] == {"url": TEXT, "retries": {**INT, "default": 3}}
    assert schema["required"] == ["url"]
    assert schema["additionalProperties"] is not False
    assert made.bind({"url": "x", "a": [1]}) == ([], {"url": "x", "retries": 3, "a": [1]})
    assert made.call({"url": 1}).is_error
    assert made.call({}).is_error
    assert made.problems == ("takes any value for `kwargs`: it has no type hint",)


@pytest.mark.promise("parameters.permissive-variadics")
def test_untyped_positionals_are_a_list_of_anything():
    def log(level: int, *args):
        return level, args

    made = permissive(log)

    assert list(made.input_schema["properties"]) == ["level", "args"]
    assert made.input_schema["properties"]["level"] == INT
    assert made.input_schema["properties"]["args"]["type"] == "array"
    assert made.input_schema["additionalProperties"] is False
    assert made.bind({"level": 1, "args": ["a", None]}) == ([1, "a", None], {})
    assert made.call({"level": 1, "other": 2}).is_error


def test_both_and_an_untyped_neighbour():
    def mixed(a, b: int, *args, c: str = "x", **kwargs): ...

    made = permissive(mixed)
    properties = made.input_schema["properties"]

    assert list(properties) == ["a", "b", "args", "c"]
    assert (properties["b"], properties["c"]) == (INT, {**TEXT, "default": "x"})
    assert made.bind({"a": 1, "b": 2, "args": [3], "d": 4}) == ([1, 2, 3], {"c": "x", "d": 4})


def test_a_typed_variadic_counts_as_a_type():
    def take(*args, **labels: int): ...

    assert permissive(take).input_schema["additionalProperties"] == INT


@pytest.mark.promise("parameters.permissive-variadics")
def test_parameters_without_a_type_stay():
    made = permissive(textwrap.wrap)
    schema = made.input_schema

    assert list(schema["properties"]) == ["text", "width"]
    assert schema["properties"]["width"]["default"] == 70
    assert schema["required"] == ["text"]
    assert schema["additionalProperties"] is not False
    assert made.call({"text": "a b", "width": 1, "initial_indent": ""}).value == ["a", "b"]
    assert made.call({"width": 1}).is_error


@pytest.mark.promise("parameters.permissive-variadics")
def test_variadics_without_a_type_alone_take_any_object():
    def positionals(*args): ...
    def keywords(**kwargs): ...
    def both(*args, **kwargs): ...
    def called(call: Call, **kwargs): ...
    def fixed(x: Annotated[int, Fixed(1)], *args): ...
    def hidden(*args, x: Annotated[int, Hidden()] = 1): ...

    for target in (positionals, keywords, both, called, fixed, hidden):
        assert permissive(target).input_schema == OPEN
    assert permissive(positionals).bind({"args": [1], "more": 2}) == ([1], {})


def test_extra_still_says_what_happens_to_the_rest():
    def get(url: str, **kwargs): ...

    assert permissive(get, extra="forbid").input_schema["additionalProperties"] is False
    assert permissive(get, extra="ignore").bind({"url": "x", "y": 1}) == ([], {"url": "x"})


def test_a_bound_method_and_a_partial_keep_theirs():
    class Shop:
        def find(self, name: str, *args, **kwargs): ...

    assert permissive(Shop().find).input_schema["properties"]["name"] == TEXT
