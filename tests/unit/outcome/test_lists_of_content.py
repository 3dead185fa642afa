"""Lists of text and content become blocks in their order, whatever the hint."""

from collections import abc
from collections.abc import AsyncIterator
from typing import Any, Generator, Iterable, Iterator, List, Sequence, Tuple, Union  # noqa: UP035

import pytest

from tests.unit.returning import PNG, each_way, image, returning, same_each_way, text
from tests.unit.ways import label, result_of
from toolwright import Image, Tool

VALUE = ["a", Image(PNG), {"k": 1}, text("b"), 5]
WANTED = [text("a"), image(), text('{"k":1}'), text("b"), text("5")]
LISTS = [..., Any, list, list[Any], List, Sequence, Sequence[Any], abc.Sequence, abc.Collection]


@pytest.mark.promise("result.blocks-in-order")
@pytest.mark.parametrize("hint", [*LISTS, Iterable, abc.Iterable, list[Union[str, Any]]], ids=label)
def test_a_list_of_text_and_images_is_blocks_in_order(hint):
    seen = same_each_way(returning(VALUE, hint))
    assert seen["content"] == WANTED
    if "structuredContent" in seen:
        assert seen["structuredContent"] == ["a", "[image 1]", {"k": 1}, text("b"), 5]


@pytest.mark.parametrize(
    "hint", [..., Any, tuple, Tuple, tuple[Any, ...], tuple[Any, Any, Any, Any, Any]], ids=label
)
def test_a_tuple_of_text_and_images_is_blocks_in_order(hint):
    assert same_each_way(returning(tuple(VALUE), hint))["content"] == WANTED


@pytest.mark.parametrize(
    "hint",
    [
        ...,
        Iterator,
        Iterator[Any],
        Iterator[Union[str, Image]],
        abc.Iterator,
        Generator,
        Generator[Any, None, None],
        abc.Generator,
        Iterable,
        list,
    ],
    ids=label,
)
def test_a_generator_of_text_and_images_is_blocks_in_order(hint):
    def probe():
        yield "a"
        yield Image(PNG)
        yield "b"

    if hint is not ...:
        probe.__annotations__["return"] = hint
    assert same_each_way(probe)["content"] == [text("a"), image(), text("b")]


@pytest.mark.parametrize("hint", [..., AsyncIterator, AsyncIterator[Any]], ids=label)
def test_an_async_generator_of_text_and_images_is_blocks_in_order(hint):
    async def probe():
        yield "a"
        yield Image(PNG)

    if hint is not ...:
        probe.__annotations__["return"] = hint
    assert same_each_way(probe)["content"] == [text("a"), image()]


def test_a_list_without_content_is_one_text():
    assert same_each_way(returning(["a", 1], list))["content"] == [text('["a",1]')]


def test_content_deeper_in_a_list_is_lifted_out():
    seen = same_each_way(returning([{"a": Image(PNG)}], list))
    assert seen["content"] == [text('[{"a":"[image 1]"}]'), image()]


def test_a_long_list_with_images_is_cut_and_keeps_its_images():
    value = ["a" * 80, Image(PNG), "b" * 80]
    for seen in each_way(returning(value, list), max_result=100).values():
        kinds = [block["type"] for block in seen["content"]]
        assert kinds == ["text", "image", "text", "text"]
        assert seen["content"][-1]["text"].startswith("[cut: 60 bytes left out")
        shown = seen["structuredContent"]
        assert (shown if isinstance(shown, list) else shown["result"]) == ["a" * 80, "[image 1]"]


def test_a_stream_that_was_stopped_keeps_its_last_block():
    def probe() -> list:
        for _ in range(60):
            yield {"a": "b"}
            yield Image(PNG)

    result = Tool(probe, max_result=200).call({})
    assert result.content[-1]["text"].startswith("[cut: only the beginning is shown")
    assert result.content[-2]["type"] == "image" or "a" in result.content[-2]["text"]
    assert result_of(probe, max_result=10_000).content[-1]["type"] == "image"
