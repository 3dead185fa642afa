"""Seed document 004, omni: the contract of results.

Differences: content is never empty, so a tool without output says `null` (the document: an empty
string). An error is a result with `isError: true`, which a model can read; the document sends a
JSON-RPC error. Beside text there are the protocol's other blocks, `structuredContent` and `_meta`.
"""

import asyncio
import json

import jsonschema
import pytest

from toolwright import Toolbox, ToolError, tool
from toolwright.results import (
    build_result,
    get_schema_path,
    get_validator,
    is_canonical,
    parse,
    validate,
)

TEXT = {"content": [{"type": "text", "text": "done"}], "isError": False}

BROKEN = [
    None,
    "done",
    [],
    {},
    {"content": None, "isError": False},
    {"content": [], "isError": False},
    {"content": [{"type": "text", "text": "done"}]},
    {"content": [{"type": "text", "text": None}], "isError": False},
    {"content": [{"type": "text"}], "isError": False},
    {"content": [{"type": "odd", "text": "done"}], "isError": False},
    {"content": "done", "isError": False},
    {"content": [{"type": "text", "text": "done"}], "isError": "no"},
    {"content": [{"type": "text", "text": "done"}], "isError": None},
    {**TEXT, "result": 1},
]


# -- the schema file


def test_the_schema_is_a_file_of_the_package():
    path = get_schema_path()
    assert path.is_file()
    assert path.name == "tool_result.v1.schema.json"
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text("utf-8")))


def test_the_validator_is_that_of_the_file():
    assert get_validator().schema == json.loads(get_schema_path().read_text("utf-8"))
    assert get_validator() is get_validator()


def test_a_result_is_valid():
    assert validate(TEXT) is None
    assert get_validator().is_valid(TEXT)


@pytest.mark.parametrize("payload", BROKEN, ids=str)
def test_what_is_no_result_is_refused(payload):
    assert not get_validator().is_valid(payload)
    with pytest.raises(ValueError, match="not a tool result"):
        validate(payload)


def test_a_refusal_says_where():
    with pytest.raises(ValueError, match="content"):
        validate({"content": None, "isError": False})


def test_structured_content_and_meta_belong_to_it():
    validate({**TEXT, "structuredContent": {"a": 1}, "_meta": {"x/y": 1}})


# -- building and recognising


@pytest.mark.parametrize("text", ["done", "", "a\nb", "\u00e9"])
@pytest.mark.parametrize("is_error", [False, True])
def test_a_built_result_is_valid_and_canonical(text, is_error):
    made = build_result(text, is_error)
    assert made == {"content": [{"type": "text", "text": text}], "isError": is_error}
    validate(made)
    assert is_canonical(made)


def test_a_built_result_is_no_error_by_default():
    assert build_result("done") == TEXT


@pytest.mark.parametrize(
    "value",
    [value for value in BROKEN if value != BROKEN[7]]
    + [1, {"a": 1}, {"content": [1], "isError": False}, {"type": "text", "text": "done"}],
    ids=str,
)
def test_what_is_not_canonical_is_told_apart(value):
    assert is_canonical(value) is False


# -- reading


def test_text_that_is_json_is_parsed():
    assert parse(build_result('{"a": 1}')) == {"a": 1}
    assert parse(json.dumps(build_result("[1, 2]"))) == [1, 2]


def test_text_that_is_not_json_is_returned_as_it_is():
    assert parse(TEXT) == "done"
    assert parse(build_result("")) == ""


def test_structured_content_counts_more_than_text():
    assert parse({**TEXT, "structuredContent": {"a": 1}}) == {"a": 1}


@pytest.mark.parametrize("payload", BROKEN[3:], ids=str)
def test_what_is_no_result_is_not_parsed(payload):
    with pytest.raises(ValueError, match="not a tool result"):
        parse(payload)


# -- where normalisation happens


def giving(value):
    box = Toolbox("omni")

    @box.tool
    def give():
        return value

    return box


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("done", "done"),
        ("", ""),
        (None, "null"),
        ([], "[]"),
        ({"a": 1}, '{"a":1}'),
        (7, "7"),
        (True, "true"),
    ],
    ids=str,
)
def test_every_value_becomes_a_valid_result(value, text):
    box = giving(value)
    for result in (box.call("give"), asyncio.run(box.call_async("give"))):
        validate(result.to_mcp())
        assert result.to_mcp()["content"] == [{"type": "text", "text": text}]
        assert result.to_mcp()["isError"] is False


@pytest.mark.parametrize("value", [TEXT, build_result("no", True)], ids=str)
def test_a_finished_result_is_passed_on_as_it_is(value):
    result = giving(value).call("give")
    assert result.to_mcp() == value
    assert result.is_error is value["isError"]


def test_what_only_looks_like_a_result_is_a_value():
    value = {"content": None, "isError": False}
    payload = giving(value).call("give").to_mcp()
    validate(payload)
    assert json.loads(payload["content"][0]["text"]) == value


def test_an_error_is_a_valid_result():
    box = Toolbox("omni")

    @box.tool
    def fail():
        raise ToolError("the shop is closed")

    payload = box.call("fail").to_mcp()
    validate(payload)
    assert payload["isError"] is True
    assert payload["content"] == [{"type": "text", "text": "the shop is closed"}]


def test_an_unknown_tool_is_a_valid_result():
    payload = Toolbox("omni").call("nothing").to_mcp()
    validate(payload)
    assert payload["isError"] is True


# -- the complete example


def test_the_complete_example_is_called():
    from typing import Literal

    box = Toolbox("omni")

    @tool(
        "search_code",
        description="Search for patterns in code files",
        read_only=True,
        idempotent=True,
    )
    def search_code(
        query: str,
        file_pattern: str = "*.py",
        case_sensitive: bool = False,
        max_results: int = 100,
        encoding: Literal["utf-8", "gbk"] = "utf-8",
        exclude_patterns: list[str] | None = None,
    ) -> str:
        """Search for patterns in code"""
        return (
            f"{query} {file_pattern} {case_sensitive} {max_results} {encoding} {exclude_patterns}"
        )

    box.add(search_code)
    assert box.call("search_code", {"query": "x"}).text == "x *.py False 100 utf-8 None"
    sent = {"query": "x", "max_results": 5, "encoding": "gbk", "exclude_patterns": ["a"]}
    assert box.call("search_code", sent).text == "x *.py False 5 gbk ['a']"
    refused = box.call("search_code", {"query": "x", "encoding": "ascii"})
    assert refused.is_error
    assert '"utf-8", "gbk"' in refused.text
