"""The contract of results: what its schema admits, and its bounds."""

import datetime
import json
from typing import Any

import pytest

from tests.unit.returning import NEW, OLD, PNG, Item, each_way, raising, returning, text
from tests.unit.ways import label, result_of
from toolwright import Image
from toolwright.results import (
    build_result,
    get_schema_path,
    get_validator,
    is_canonical,
    parse,
    validate,
)


def test_the_contract_ships_and_works():
    assert get_schema_path().name == "tool_result.v1.schema.json"
    json.loads(get_schema_path().read_text("utf-8"))
    get_validator().check_schema(get_validator().schema)
    validate(build_result("x"))
    validate(build_result("x", is_error=True))
    assert is_canonical(build_result("x"))
    assert parse(build_result('{"a": 1}')) == {"a": 1}
    assert parse(json.dumps(build_result("plain"))) == "plain"


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        {},
        {"content": []},
        {"content": [], "isError": False},
        {"content": None, "isError": False},
        {"content": [text("x")]},
        {"content": [text("x")], "isError": "no"},
        {"content": [text("x")], "isError": None},
        {"content": [text(None)], "isError": False},
        {"content": [{"type": "image", "data": "x"}], "isError": False},
        {"content": [{"type": "video"}], "isError": False},
        {"content": [text("x")], "isError": False, "more": 1},
        {"content": [text("x")], "isError": False, "_meta": None},
        {"content": "x", "isError": False},
    ],
    ids=label,
)
def test_the_contract_refuses_what_is_no_result(payload):
    with pytest.raises(ValueError, match="not a tool result"):
        validate(payload)
    assert not is_canonical(payload) or payload["content"][0]["type"] in ("text", "image")


def test_a_result_says_what_it_is():
    good = result_of(returning({"a": 1}, dict[str, int]))
    assert good.value == {"a": 1}
    assert good.structured == {"a": 1}
    assert good.text == '{"a":1}'
    assert good.error is None
    assert not good.is_error
    assert good.content == [text('{"a":1}')]
    assert "a" in repr(good)
    bad = result_of(raising(ValueError("x")))
    assert bad.structured is None
    assert "error" in repr(bad)


def test_the_value_of_a_result_is_the_python_value():
    item = Item(n=1)
    assert result_of(returning(item, Item)).value == item
    assert isinstance(result_of(returning({"n": 1}, Item)).value, Item)
    assert result_of(returning((1, 2), tuple[int, int])).value == (1, 2)
    assert result_of(returning(datetime.date(2026, 1, 2), datetime.date)).value == datetime.date(
        2026, 1, 2
    )
    assert result_of(returning({1}, set[int])).value == {1}
    assert result_of(returning(b"x", bytes)).value == b"x"


def test_an_authors_output_schema_is_enforced():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    for seen in each_way(returning({"n": 1}), output_schema=schema).values():
        assert seen["structuredContent"] == {"n": 1}
        assert not seen["isError"]
    for value in ({"n": "x"}, {}, [1], None, "x", Image(PNG)):
        for seen in each_way(returning(value), output_schema=schema).values():
            assert seen["isError"], value


def test_results_can_be_sent_again_and_again():
    result = result_of(returning([1, 2], list[int]))
    assert result.to_mcp(OLD) == result.to_mcp(OLD)
    assert result.to_mcp(NEW)["structuredContent"] == [1, 2]
    assert result.to_mcp(OLD)["structuredContent"] == {"result": [1, 2]}


@pytest.mark.parametrize("hint", [str, list[int], list[Any], ...])
def test_of_what_is_far_too_long_only_the_beginning_is_looked_at(hint):
    """Items behind the end are not even valid: nobody looks."""
    value = "x" * 10_000 if hint is str else [1] * 10_000 + [object()]
    result = result_of(returning(value, hint), max_result=100)
    assert not result.is_error
    assert f"of {len(value)} " in result.text
    assert result.value is value
