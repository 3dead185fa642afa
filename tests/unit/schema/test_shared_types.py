"""What several tools, or several places of one, share: it is compiled once and means the same."""

import json
from collections.abc import Iterable
from typing import Literal, Union

import pytest
import typing_extensions

from toolwright import ArgumentError, Tool

KINDS = [f"kind_{number}" for number in range(20)]
NODES = [
    typing_extensions.TypedDict(
        f"Node{number}",
        {"kind": Literal[kind], "inner": typing_extensions.NotRequired["Node"]},
    )
    for number, kind in enumerate(KINDS)
]
Node = Union[tuple(NODES)]  # noqa: UP007


class Crew(typing_extensions.TypedDict):
    """Must change: pydantic would hand an iterator on."""

    ships: Iterable[int]
    home: "Harbour"


class Harbour(typing_extensions.TypedDict):
    """Must change because a crew must."""

    crews: list[Crew]


@pytest.mark.promise("schema.large-unions")
def test_a_union_of_many_records_is_written_once():
    def walk(node: Node, other: Node | None = None) -> Node:
        return node

    tool = Tool(walk)
    written = json.dumps(tool.input_schema)
    assert written.count("#/$defs/Node19") == 1
    assert "Node0_or_19_others" in tool.input_schema["$defs"]
    assert set(tool.input_schema["$defs"]) == {"Node0_or_19_others", *(n.__name__ for n in NODES)}
    nested = {"kind": "kind_3", "inner": {"kind": "kind_19", "inner": {"kind": "kind_0"}}}
    assert tool.bind({"node": nested})[1]["node"] == nested
    assert tool.call({"node": nested, "other": nested}).structured == nested
    with pytest.raises(ArgumentError):
        tool.bind({"node": {"kind": "kind_3", "inner": {"kind": "kind_20"}}})


def test_records_that_hold_each_other_are_changed_together():
    def sail(crew: Crew, harbour: Harbour) -> int:
        return len(list(crew["ships"])) + len(harbour["crews"])

    tool = Tool(sail)
    assert set(tool.input_schema["$defs"]) == {"Crew", "Harbour"}
    crew = {"ships": [1, 2], "home": {"crews": []}}
    assert tool.call({"crew": crew, "harbour": {"crews": [crew]}}).value == 3


def test_equal_hints_in_another_order_keep_their_order():
    def up(a: Literal["x", "y"], b: int | str) -> Literal["x", "y"]:
        return a

    def down(a: Literal["y", "x"], b: str | int) -> Literal["y", "x"]:
        return a

    first, second = Tool(up), Tool(down)
    assert first.input_schema["properties"]["a"]["enum"] == ["x", "y"]
    assert second.input_schema["properties"]["a"]["enum"] == ["y", "x"]
    kinds = [
        [arm["type"] for arm in t.input_schema["properties"]["b"]["anyOf"]] for t in (first, second)
    ]
    assert kinds == [["integer", "string"], ["string", "integer"]]
    assert [t.output_schema["enum"] for t in (first, second)] == [["x", "y"], ["y", "x"]]


def test_true_and_one_are_different_choices():
    def number(a: Literal[1]) -> Literal[1]:
        return a

    def truth(a: Literal[True]) -> Literal[True]:
        return a

    assert [Tool(f).input_schema["properties"]["a"]["enum"] for f in (number, truth)] == [
        [1],
        [True],
    ]
