"""A finished result passes through whatever the hint; an author's own data does not."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Optional, TypedDict, Union

import mcp_types
import pytest
from pydantic import BaseModel

from tests.unit.returning import OLD, PNG, each_way, image, returning, same_each_way, text
from tests.unit.ways import label, result_of
from toolwright import Result, Tool, Toolbox

BLOCK = mcp_types.TextContent(text="t")


class Whole(TypedDict):
    content: list[dict[str, Any]]
    isError: bool


class Item(BaseModel):
    n: int


OPEN_HINTS = [
    ...,
    Any,
    object,
    dict,
    dict[str, Any],
    Mapping[str, Any],
    Union[dict[str, Any], str],
    Optional[dict[str, Any]],
    Annotated[dict[str, Any], "words"],
    Whole,
]


@pytest.mark.promise("result.finished")
@pytest.mark.parametrize("hint", OPEN_HINTS, ids=label)
def test_an_error_passes_through_whatever_the_hint(hint):
    payload = {"content": [text("no"), image()], "isError": True, "_meta": {"m": 1}}
    assert same_each_way(returning(payload, hint)) == payload
    assert result_of(returning(payload, hint)).is_error


@pytest.mark.parametrize("hint", [dict[str, int], Item, int, list[str]], ids=label)
def test_an_error_passes_through_a_hint_that_it_does_not_fit(hint):
    payload = {"content": [text("no")], "isError": True}
    assert same_each_way(returning(payload, hint)) == payload


@pytest.mark.parametrize("hint", OPEN_HINTS, ids=label)
@pytest.mark.parametrize(
    "payload",
    [
        {"content": [text("a"), image()], "isError": False},
        {"content": [text("a"), image()]},
        {"content": [text("a"), mcp_types.ImageContent(**image())]},
        {"content": [text("a"), image()], "isError": False, "_meta": {"m": 1}},
        {"content": [text("a"), image()], "structuredContent": None, "_meta": None},
    ],
    ids=["whole", "bare", "instances", "meta", "nulls"],
)
def test_content_passes_through_whatever_the_hint(payload, hint):
    seen = same_each_way(returning(payload, hint))
    assert seen["content"] == [text("a"), image()]
    assert seen["isError"] is False
    assert seen.get("_meta") == payload.get("_meta")


@pytest.mark.promise("result.only-structured")
@pytest.mark.parametrize(
    "payload",
    [
        {"structuredContent": {"n": 1}},
        {"structuredContent": {"n": 1}, "isError": False},
        {"content": [], "structuredContent": {"n": 1}, "isError": False},
        mcp_types.CallToolResult(content=[], structured_content={"n": 1}),
    ],
    ids=["alone", "no content", "empty content", "instance"],
)
@pytest.mark.parametrize("hint", [*OPEN_HINTS[:-1], Item, dict[str, int]], ids=label)
def test_structured_content_alone_is_shown_as_text(payload, hint):
    for seen in each_way(returning(payload, hint)).values():
        assert seen["content"] == [text('{"n":1}')]
        boxed = {"result": {"n": 1}}
        assert seen["structuredContent"] in ({"n": 1}, boxed)


def test_an_error_without_content_says_that_it_is_one():
    for value in (
        {"content": [], "isError": True},
        mcp_types.CallToolResult(content=[], is_error=True),
    ):
        for hint in (..., dict, Item):
            seen = same_each_way(returning(value, hint))
            assert (seen["content"], seen["isError"]) == ([text("the tool reports an error")], True)


@pytest.mark.promise("result.finished-structured")
@pytest.mark.parametrize(
    ("hint", "said", "wanted"),
    [
        (dict, '{"a": 1}', {"a": 1}),
        (dict, "words", {"result": "words"}),
        (Union[dict[str, Any], str], "words", "words"),
        (dict[str, int], '{"a": 1}', {"a": 1}),
        (Whole, "words", {"content": [text("words")], "isError": False}),
        (int, "5", 5),
    ],
    ids=label,
)
def test_what_an_output_schema_needs_is_taken_from_the_text(hint, said, wanted):
    payload = {"content": [text(said)], "isError": False}
    for seen in each_way(returning(payload, hint)).values():
        assert seen["content"] == [text(said)]
        assert seen["structuredContent"] in (wanted, {"result": wanted})


def test_a_finished_result_that_breaks_the_type_is_refused():
    payload = {"content": [text("words")], "isError": False}
    said = result_of(returning(payload, dict[str, int])).text
    assert said == "probe: a finished result must have `structuredContent` of the declared type"
    wrong = {**payload, "structuredContent": {"n": "x"}}
    assert "`result.n` is not of its declared type" in result_of(returning(wrong, Item)).text


def test_an_explicit_schema_takes_a_finished_result():
    payload = {"content": [text('{"a": 1}')], "isError": False}
    schema = {"type": "object", "required": ["a"]}
    seen = same_each_way(returning(payload), output_schema=schema)
    assert (seen["content"], seen["structuredContent"]) == (payload["content"], {"a": 1})
    failed = {"content": [text("no")], "isError": True}
    assert same_each_way(returning(failed), output_schema=schema) == failed
    other = {"content": [text("words")], "isError": False}
    assert result_of(returning(other), output_schema=schema).is_error


# -- what is an author's own data


@pytest.mark.promise("result.own-content")
@pytest.mark.parametrize(
    "value",
    [
        {"content": "words"},
        {"content": []},
        {"content": None, "isError": False},
        {"content": [1, 2]},
        {"content": [{"type": "paragraph", "text": "a"}]},
        {"content": [{"type": "text"}]},
        {"content": [{"type": "text", "text": "a"}], "id": 5},
        {"content": [{"type": "text", "text": "a"}], "isError": "no"},
        {"content": [{"type": "text", "text": "a"}, "b"]},
        {"content": {"type": "text", "text": "a"}},
        {"content": [{"type": "text", "text": "a"}], "structured_content": {}},
        {"isError": True},
        {"_meta": {"a": 1}},
        {"structuredContent": None},
        {"data": {"content": [{"type": "text", "text": "a"}], "isError": True}},
    ],
    ids=label,
)
@pytest.mark.parametrize("hint", [..., dict, dict[str, Any]], ids=label)
def test_data_that_has_content_is_not_a_result(value, hint):
    seen = same_each_way(returning(value, hint))
    assert seen["isError"] is False
    (block,) = seen["content"]
    assert json.loads(block["text"]) == value


# -- Annotated[CallToolResult, Model]


WHOLE = mcp_types.CallToolResult


@pytest.mark.promise("result.promised")
def test_the_model_in_annotated_is_published_and_checked():
    hint = Annotated[WHOLE, Item]
    good = WHOLE(content=[BLOCK], structured_content={"n": 1}, _meta={"m": 1})
    tool = Tool(returning(good, hint))
    wanted = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert tool.output_schema == wanted
    assert tool.to_mcp(OLD)["outputSchema"] == wanted
    seen = same_each_way(returning(good, hint))
    assert (seen["content"], seen["structuredContent"]) == ([text("t")], {"n": 1})
    assert seen["_meta"] == {"m": 1}
    bad = WHOLE(content=[BLOCK], structured_content={"n": "x"})
    assert "`result.n` is not of its declared type" in result_of(returning(bad, hint)).text
    assert result_of(returning(WHOLE(content=[BLOCK]), hint)).is_error
    failed = WHOLE(content=[BLOCK], is_error=True)
    assert same_each_way(returning(failed, hint)) == {"content": [text("t")], "isError": True}
    assert same_each_way(returning(Item(n=3), hint))["structuredContent"] == {"n": 3}


def test_any_type_may_be_promised():
    boxed = WHOLE(content=[BLOCK], structured_content={"result": [1]})
    for seen in each_way(returning(boxed, Annotated[WHOLE, list[int]])).values():
        assert seen["structuredContent"] in ([1], {"result": [1]})
    assert Tool(returning(boxed, Annotated[WHOLE, list[int]])).output_schema["type"] == "array"
    assert Tool(returning(boxed, Annotated[WHOLE, "words"])).output_schema is None
    assert Tool(returning(boxed, WHOLE)).output_schema is None
    box = Toolbox("b")

    @box.tool
    def own() -> Annotated[Result, Item]:
        return Result({"n": 1})

    assert box["own"].output_schema["required"] == ["n"]
    assert box.call("own").structured == {"n": 1}

    @box.tool
    async def later() -> Annotated[WHOLE, Item]:
        return WHOLE(content=[], structured_content={"n": 2})

    assert box.call("later").structured == {"n": 2}


def test_a_finished_result_is_capped_and_cached_like_any_other():
    calls: list[int] = []

    def probe() -> dict[str, Any]:
        calls.append(1)
        return {"content": [text("a" * 1000), image(PNG)], "isError": False}

    box = Toolbox("b")
    box.add(probe, name="probe", cache=60, max_result=100)
    first, second = (box.call("probe").to_mcp() for _ in range(2))
    assert first["content"] == second["content"]
    assert first["structuredContent"] == second["structuredContent"]
    assert len(calls) == 1
    assert [block["type"] for block in first["content"]] == ["text", "image", "text"]
    assert "900 bytes left out" in first["content"][-1]["text"]
