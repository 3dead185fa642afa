"""What of a result is sent as text, and what as structured content."""

import json
from typing import Any, Optional

import pytest

from tests.unit.returning import NEW, OLD, Item, each_way, returning, same_each_way, text
from tests.unit.ways import box_of, compact, label, result_of, text_of


@pytest.mark.parametrize(
    ("hint", "value", "wanted"),
    [
        (int, 5, 5),
        (bool, True, True),
        (float, 1.5, 1.5),
        (list[int], [1, 2], [1, 2]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (Item, Item(n=1), {"n": 1, "word": "é"}),
        (list[Item], [Item(n=1)], [{"n": 1, "word": "é"}]),
        (Optional[int], None, None),
        (Optional[int], 5, 5),
    ],
    ids=label,
)
@pytest.mark.parametrize("emit", ["auto", "text", "structured", "both"])
def test_emit_decides_what_is_sent_in_both_eras(hint, value, wanted, emit):
    box = box_of(returning(value, hint), emit=emit)
    result = box.call("probe")
    for protocol in (OLD, NEW):
        payload = result.to_mcp(protocol)
        listed = box.to_mcp(protocol)["tools"][0]
        assert ("outputSchema" in listed) == ("structuredContent" in payload) == (emit != "text")
        if emit != "structured":
            assert payload["content"] == [text(compact(wanted))]
        else:
            assert len(payload["content"]) == 1
        if emit != "text":
            boxed = hint == Optional[int] or (protocol == OLD and not isinstance(wanted, dict))
            shown = {"result": wanted} if boxed else wanted
            assert compact(payload["structuredContent"]) == compact(shown)
    each_way(returning(value, hint), emit=emit)


@pytest.mark.parametrize(
    ("emit", "structured"), [("auto", False), ("text", False), ("structured", True), ("both", True)]
)
@pytest.mark.parametrize(("hint", "value"), [(str, "hé")])
def test_text_is_sent_once_unless_asked_otherwise(hint, value, emit, structured):
    box = box_of(returning(value, hint), emit=emit)
    result = box.call("probe")
    for protocol in (OLD, NEW):
        payload = result.to_mcp(protocol)
        assert ("structuredContent" in payload) is structured
        assert ("outputSchema" in box.to_mcp(protocol)["tools"][0]) is structured
        if structured:
            shown = payload["structuredContent"]
            boxed = protocol == OLD or value is None
            assert shown == ({"result": value} if boxed else value)
        if emit != "structured":
            assert payload["content"] == [text("hé" if value else "null")]
    each_way(returning(value, hint), emit=emit)


@pytest.mark.parametrize("emit", ["auto", "text", "structured", "both"])
def test_nothing_is_visible_whatever_is_sent(emit):
    for seen in each_way(returning(None, None), emit=emit).values():
        assert not seen["isError"]
        assert text_of(seen)


def test_text_is_compact_utf8_json():
    value = {"k": ["日本語", "é\u2028", {"a": 1.0, "b": None}], "emoji": "🙂", "q": '"\\\n\x00'}
    for hint in (..., dict[str, Any]):
        result = result_of(returning(value, hint))
        assert json.loads(result.text) == value
        assert "日本語" in result.text
        assert "🙂" in result.text
        assert ": " not in result.text
        assert "\\u65e5" not in result.text
        assert "日本語".encode() in result.to_mcp_json()
        assert json.loads(result.to_mcp_json()) == result.to_mcp()


def test_text_is_sent_as_it_is():
    words = 'a "quoted"\n\tline \\ 日本語 \x00 \x7f </script>'
    for hint in (..., str):
        assert same_each_way(returning(words, hint))["content"] == [text(words)]


def test_an_empty_text_is_still_a_block():
    for hint in (..., str):
        assert same_each_way(returning("", hint))["content"][0]["type"] == "text"
