"""Long results are cut at the cap, and say so."""

import json
import re
from collections.abc import Iterator

import pytest
from pydantic import Field

from tests.unit.returning import Item, each_way, raising, returning, same_each_way, text
from tests.unit.ways import compact, label, result_of
from toolwright import ToolError
from toolwright.results import build_result


@pytest.mark.parametrize("hint", [..., str])
@pytest.mark.parametrize("char", ["a", "é", "日", "🙂"])
@pytest.mark.parametrize("most", [10, 11, 12, 13])
def test_long_text_is_cut_between_characters_and_says_so(hint, char, most):
    seen = same_each_way(returning(char * 100, hint), max_result=most)
    shown, notice = (block["text"] for block in seen["content"])
    assert set(shown) == {char}
    assert most - len(char.encode()) < len(shown.encode()) <= most
    total = 100 * len(char.encode())
    assert str(total - len(shown.encode())) in notice
    assert str(total) in notice
    assert not seen["isError"]


def test_text_of_exactly_the_cap_is_whole():
    for hint in (..., str):
        assert same_each_way(returning("x" * 100, hint), max_result=100)["content"] == [
            text("x" * 100)
        ]


def test_text_with_quotes_is_measured_as_it_is_sent():
    words = '"' * 60
    seen = same_each_way(returning(words, str), max_result=100)
    assert seen["content"][0]["text"].startswith('"' * 50)


@pytest.mark.parametrize("hint", [..., list[int], tuple[int, ...], Iterator[int]], ids=label)
def test_a_long_list_is_cut_between_items_and_says_so(hint):
    def probe():
        yield from range(1000)

    if hint is not ...:
        probe.__annotations__["return"] = hint
    target = probe if hint in (..., Iterator[int]) else returning(tuple(range(1000)), hint)
    if hint == list[int]:
        target = returning(list(range(1000)), hint)
    for way, seen in each_way(target, max_result=50).items():
        assert not seen["isError"]
        kept = json.loads(seen["content"][0]["text"])
        assert kept == list(range(len(kept)))
        assert 5 < len(kept) < 30
        assert len(seen["content"][0]["text"]) <= 50
        if target is probe:  # a stream is not taken to its end, so nobody knows how many there are
            assert "only the beginning" in seen["content"][-1]["text"]
        else:
            assert f"{1000 - len(kept)} of 1000" in seen["content"][-1]["text"]
        if hint is not ...:
            boxed = way == "old client"
            assert seen["structuredContent"] == ({"result": kept} if boxed else kept)


def test_a_list_of_models_is_cut_between_items():
    seen = each_way(returning([Item(n=n) for n in range(100)], list[Item]), max_result=100)[
        "client"
    ]
    kept = json.loads(seen["content"][0]["text"])
    assert kept == [{"n": n, "word": "é"} for n in range(len(kept))]
    assert seen["structuredContent"] == kept
    assert 0 < len(kept) < 10


def test_a_list_with_a_least_length_is_not_cut():
    from typing import Annotated

    hint = Annotated[list[int], Field(min_length=1)]
    result = result_of(returning(list(range(1000)), hint), max_result=50)
    assert result.is_error
    assert "50" in result.text


def test_a_list_whose_first_item_is_too_large_is_an_empty_list_or_an_error():
    for hint in (..., list[str]):
        seen = same_each_way(returning(["x" * 1000, "y"], hint), max_result=50)
        assert seen["isError"] or json.loads(seen["content"][0]["text"]) == []
        assert len(compact(seen)) < 500


@pytest.mark.parametrize(
    "value",
    [{"a": "x" * 1000}, Item(n=1, word="x" * 1000), [["x" * 1000]], {"a": list(range(1000))}],
    ids=label,
)
def test_a_large_object_is_an_error_with_size_and_cap(value):
    for hint in (..., type(value)):
        result = result_of(returning(value, hint), max_result=100)
        if isinstance(value, list):
            continue
        assert result.is_error
        assert result.error.code == "result"
        assert "100" in result.text
        assert re.search(r"\d{4}", result.text)


def test_the_notice_names_the_arguments_that_ask_for_less():
    def probe(offset: int = 0, limit: int = 1000) -> list[int]:
        return list(range(offset, limit))

    result = result_of(probe, max_result=50)
    assert "`limit`" in result.text
    assert "`offset`" in result.text


def test_the_default_cap_is_a_hundred_kilobytes():
    assert not result_of(returning("x" * 99_000, str)).text.endswith("]")
    assert len(result_of(returning("x" * 1_000_000, str)).to_mcp_json()) < 110_000
    assert result_of(returning({"a": "x" * 200_000}, dict[str, str])).is_error


@pytest.mark.parametrize("kind", ["blocks", "canonical", "tool error", "spoken"])
def test_no_text_of_a_result_escapes_the_cap(kind):
    big = "x" * 400_000
    target = {
        "blocks": returning([text(big), text(big)]),
        "canonical": returning(build_result(big)),
        "tool error": raising(ToolError(big)),
        "spoken": raising(ValueError(big)),
    }[kind]
    assert len(result_of(target).to_mcp_json()) < 300_000


def test_an_endless_generator_stops_at_the_cap():
    made = []

    def probe() -> Iterator[int]:
        for n in range(10_000_000):
            made.append(n)
            yield n

    result = result_of(probe, max_result=1000)
    assert not result.is_error
    assert len(made) < 100_000
