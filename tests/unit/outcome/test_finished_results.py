"""Results and blocks of the protocol pass through, and are checked."""

from typing import Any

import mcp_types
import pytest

from tests.unit.returning import PNG, Item, each_way, image, returning, same_each_way, text
from tests.unit.ways import WAYS, label, payload_by, result_of, text_of
from toolwright import CallError, Image, Result, Toolbox
from toolwright.results import build_result, validate


def test_canonical_results_pass_through():
    payload = {
        "content": [text("a"), image()],
        "isError": False,
        "structuredContent": {"k": 1},
        "_meta": {"m": "x"},
    }
    assert same_each_way(returning(payload)) == payload
    assert same_each_way(returning(build_result("x"))) == build_result("x")
    failed = result_of(returning(build_result("no", is_error=True)))
    assert failed.is_error
    with pytest.raises(CallError, match="no"):
        _ = failed.value


@pytest.mark.parametrize("said", ["", " ", "\n"])
def test_an_error_without_words_still_says_that_it_is_one(said):
    failed = result_of(returning(build_result(said, is_error=True)))
    assert failed.is_error
    assert failed.text == "the tool reports an error"


def test_canonical_results_are_checked():
    for content in ([{"type": "text", "text": 5}], [{"type": "image", "data": "x"}]):
        result = result_of(returning({"content": content, "isError": False}))
        validate(result.to_mcp())
        assert result.is_error


def test_a_canonical_result_of_a_typed_tool_must_fit_the_type():
    for value in (build_result("x"), {**build_result("x"), "structuredContent": "bad"}):
        each_way(returning(value, int))
    good = {**build_result("5"), "structuredContent": {"n": 5, "word": "w"}}
    for seen in each_way(returning(good, Item)).values():
        assert not seen["isError"]
        assert seen["structuredContent"] == {"n": 5, "word": "w"}


def test_a_dict_that_is_declared_and_looks_like_a_result_still_reaches_clients():
    for seen in each_way(returning(build_result("x"), dict[str, Any])).values():
        assert "x" in text_of(seen)


@pytest.mark.parametrize(
    "value",
    [
        mcp_types.TextContent(text="t"),
        [mcp_types.TextContent(text="t")],
        (mcp_types.TextContent(text="t"),),
        {"type": "text", "text": "t"},
        [{"type": "text", "text": "t"}],
        mcp_types.CallToolResult(content=[mcp_types.TextContent(text="t")]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_blocks_of_the_protocol_pass_through(value):
    assert same_each_way(returning(value))["content"] == [text("t")]
    assert same_each_way(returning(value, Any))["content"] == [text("t")]


@pytest.mark.parametrize(
    "hint",
    [
        mcp_types.TextContent,
        list[mcp_types.TextContent],
        list[mcp_types.TextContent | mcp_types.ImageContent],
        mcp_types.CallToolResult,
    ],
    ids=label,
)
def test_declared_blocks_pass_through(hint):
    block = mcp_types.TextContent(text="t")
    value: Any = block
    if hint is mcp_types.CallToolResult:
        value = mcp_types.CallToolResult(content=[block])
    elif hint is not mcp_types.TextContent:
        value = [block]
    seen = same_each_way(returning(value, hint))
    assert seen["content"] == [text("t")]
    assert "structuredContent" not in seen


def test_a_mixed_list_keeps_its_order():
    value = ["a", Image(PNG), {"k": 1}, text("b"), 5]
    seen = same_each_way(returning(value))
    wanted = [text("a"), image(), text('{"k":1}'), text("b"), text("5")]
    assert seen["content"] == wanted


def test_resource_links_pass_through():
    link = mcp_types.ResourceLink(uri="file:///a", name="a")
    (block,) = same_each_way(returning(link))["content"]
    assert (block["type"], block["uri"], block["name"]) == ("resource_link", "file:///a", "a")


def test_a_result_passes_through():
    box = Toolbox("b")

    @box.tool
    def inner(n: int) -> int:
        return n

    @box.tool
    def outer(n: int) -> Result:
        return box.call("inner", {"n": n})

    @box.tool
    def undeclared(n: int):
        return box.call("inner", {"n": n})

    for name in ("outer", "undeclared"):
        assert box.call(name, {"n": 4}).text == "4"
        assert box.call(name, {"n": "x"}).is_error
        for way in WAYS:
            assert text_of(payload_by(way, box, name, {"n": 4})) == "4"
            assert payload_by(way, box, name, {"n": "x"})["isError"]


def test_blocks_are_copies():
    blocks = [text("a")]
    result = result_of(returning(blocks))
    result.content[0]["text"] = "changed"
    blocks[0]["text"] = "changed too"
    assert result.to_mcp()["content"][0]["text"] == "a"
