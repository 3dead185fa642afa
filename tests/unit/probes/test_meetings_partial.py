"""Where partials meet other features."""

import functools

import pytest

from tests.unit.probes.case import INT
from tests.unit.probes.compiled import Desk, Window, fetch, made, properties, refuses


@pytest.mark.promise("target.partials")
def test_a_bound_name_is_never_seen_nor_set_through_the_extras():
    tool = made(functools.partial(fetch, key="sk-SECRET", trace="sk-TRACE"))
    listed = tool.to_mcp_json().decode()

    assert set(tool.input_schema["properties"]) == {"url", "retries"}
    assert tool.input_schema["additionalProperties"] == {
        "type": "string",
        "description": "More headers.",
    }
    assert "SECRET" not in listed
    assert "TRACE" not in listed
    assert "secret key" not in listed
    refuses(tool, {"url": "a", "key": "mine"}, {"url": "a", "trace": "mine"})
    assert tool.bind({"url": "a", "accept": "b"}) == ([], {"url": "a", "retries": 3, "accept": "b"})


def test_a_value_bound_by_position_is_never_set_through_the_extras():
    tool = made(functools.partial(fetch, "https://here"))

    assert set(tool.input_schema["properties"]) == {"key", "retries"}
    refuses(tool, {"key": "a", "url": "b"})


def test_a_bound_keyword_only_default_is_not_published():
    tool = made(functools.partial(fetch, retries=9))

    assert set(tool.input_schema["properties"]) == {"url", "key"}
    refuses(tool, {"url": "a", "key": "b", "retries": 1})


def test_what_follows_a_parameter_bound_by_name_goes_by_name():
    def f(a: int, b: int, c: int, *rest: int): ...

    tool = made(functools.partial(f, b=2))

    assert set(tool.input_schema["properties"]) == {"a", "c"}
    positional, named = tool.bind({"a": 1, "c": 3})
    # The call itself decides: neither may land on `b`.
    assert functools.partial(lambda a, b, c, *rest: (a, b, c, rest), b=2)(*positional, **named) == (
        1,
        2,
        3,
        (),
    )


def test_a_partial_after_update_wrapper_has_name_and_text_and_still_hides():
    bound = functools.partial(fetch, key="sk-SECRET")
    functools.update_wrapper(bound, fetch)

    tool = made(bound)

    assert tool.name == "fetch"
    assert tool.description == "Fetch a page."
    assert "key" not in tool.input_schema["properties"]
    assert "SECRET" not in tool.to_mcp_json().decode()
    refuses(tool, {"url": "a", "key": "mine"})


def test_a_partial_of_a_bound_method_hides_self_and_what_it_binds():
    tool = made(functools.partial(Desk(10).add, y=5))

    assert tool.name == "add"
    assert tool.input_schema["properties"] == {"x": {"type": "integer", "description": "A number."}}
    positional, named = tool.bind({"x": 1})
    assert tool.target(*positional, **named) == 16


@pytest.mark.promise("target.partials")
def test_a_partial_of_a_partial_hides_both():
    inner = functools.partial(fetch, key="sk-A")
    tool = made(functools.partial(inner, retries=1, agent="sk-B"))

    assert set(tool.input_schema["properties"]) == {"url"}
    refuses(tool, {"url": "a", "key": "x"}, {"url": "a", "agent": "x"}, {"url": "a", "retries": 2})


def test_a_partial_of_a_class_is_its_constructor():
    class Engine:
        def __init__(self, power: int, fuel: str): ...

    tool = made(functools.partial(Engine, fuel="gas"))

    assert set(tool.input_schema["properties"]) == {"power"}
    assert tool.bind({"power": 1}) == ([], {"power": 1})


def test_a_partial_of_a_dataclass_binds_its_field():
    tool = made(functools.partial(Window, end=5))

    assert set(tool.input_schema["properties"]) == {"start"}
    positional, named = tool.bind({"start": 1})
    assert tool.target(*positional, **named) == Window(1, 5)


def test_a_partial_that_binds_an_untyped_parameter_makes_the_rest_a_tool():
    def f(x: int, connection) -> int: ...

    assert properties(functools.partial(f, connection=object())) == {"x": INT}


def test_a_partial_that_binds_an_unsendable_parameter_makes_the_rest_a_tool():
    class Engine: ...

    def f(x: int, engine: Engine) -> int: ...

    assert properties(functools.partial(f, engine=Engine())) == {"x": INT}


def test_a_bound_callable_object_in_a_partial():
    assert properties(functools.partial(Desk(), 1)) == {}
