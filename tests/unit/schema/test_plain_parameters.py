"""Parameters that are compiled without pydantic's own reading of a signature."""

import gc
import linecache
import sys
from enum import Enum
from types import ModuleType
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from toolwright import ArgumentError, Tool, Toolbox


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: int
    y: int = 0


class Short(BaseModel):
    model_config = ConfigDict(str_max_length=3)
    name: str


class Given(BaseModel):
    model_config = ConfigDict(json_schema_mode_override="serialization")
    x: int = 1


def test_a_validator_still_learns_the_name_of_its_parameter():
    names = []

    def note(value: int, info: ValidationInfo) -> int:
        names.append(info.field_name)
        return value

    def probe(
        plain: int,
        checked: Annotated[int, AfterValidator(note)],
        held: list[Annotated[int, AfterValidator(note)]],
    ) -> None: ...

    Tool(probe).bind({"plain": 1, "checked": 2, "held": [3]})
    assert names == ["checked", "held"]


def test_plain_and_other_parameters_keep_their_order_and_their_defaults():
    def probe(
        a: Point,
        b: Annotated[int, Field(ge=1)],
        c: str = "c",
        d: Annotated[int, Field(alias="dd")] = 4,
        e: Colour = Colour.RED,
        f: list[Point] | None = None,
        g: Literal["x", "y"] = "x",
        **more: int,
    ) -> None: ...

    tool = Tool(probe)
    assert list(tool.input_schema["properties"]) == ["a", "b", "c", "dd", "e", "f", "g"]
    assert tool.input_schema["required"] == ["a", "b"]
    _, named = tool.bind({"a": {"x": 1}, "b": 1, "dd": 5, "z": 6})
    assert named == {
        "a": Point(x=1),
        "b": 1,
        "c": "c",
        "d": 5,
        "e": Colour.RED,
        "f": None,
        "g": "x",
        "z": 6,
    }


def test_a_default_list_is_not_shared_by_calls():
    def probe(items: list[int] = []) -> None:  # noqa: B006
        items.append(1)

    tool = Tool(probe)
    first, second = (tool.bind({})[1]["items"] for _ in range(2))
    first.append(1)
    assert second == []


@pytest.mark.parametrize(
    "hint",
    [
        Annotated[int, Field(description="How many.")],
        Annotated[Point | None, Field(description="How many.")],
        Annotated[int, Field(description="How many.", ge=1, title="Count")],
    ],
    ids=["scalar", "union", "constrained"],
)
def test_a_field_that_describes_counts_more_than_the_docstring(hint):
    def probe(count):
        """Count.

        Args:
            count: Something else.
        """

    probe.__annotations__ = {"count": hint}
    node = Tool(probe).input_schema["properties"]["count"]
    assert node["description"] == "How many."
    assert ("minimum" in node, "title" in node) == (("ge" in str(hint).lower()),) * 2


def test_the_configuration_of_a_model_counts_for_its_plain_fields():
    def probe(short: Short, given: Given, text: str) -> None: ...

    properties = Tool(probe).input_schema["properties"]
    assert properties["short"]["properties"]["name"]["maxLength"] == 3
    assert properties["text"] == {"type": "string"}
    assert "x" in properties["given"]["properties"]


class Sized:
    def __init__(self, size: int) -> None:
        self.size = size


class Plain:
    def __init__(self, size: int, other: "Plain | None" = None) -> None:
        self.size = size
        self.other = other


def test_a_class_that_is_met_twice_is_built_both_times():
    def probe(one: Plain, two: list[Plain], three: Plain | None = None) -> None: ...

    for _ in range(2):
        tool = Tool(probe)
        _, named = tool.bind({"one": {"size": 1}, "two": [{"size": 2, "other": {"size": 3}}]})
        assert (named["one"].size, named["two"][0].other.size) == (1, 3)


def test_a_constructor_that_is_replaced_is_read_again(monkeypatch):
    def probe(one: Sized) -> None: ...

    def other(self, length: str) -> None:
        self.length = length

    before = Tool(probe).input_schema["properties"]["one"]
    monkeypatch.setattr(Sized, "__init__", other)
    after = Tool(probe).input_schema["properties"]["one"]
    assert (list(before["properties"]), list(after["properties"])) == (["size"], ["length"])


# -- what is kept of a compiled tool


def test_faults_are_explained_and_repaired_after_all_that_was_compiled_is_dropped():
    def probe(point: Point, colour: Colour = Colour.RED, stop: type | None = None) -> str:
        return f"{point.x} {colour.value}"

    tool = Tool(probe)
    tool.compile()
    gc.collect()
    assert tool.call({"point": '{"x": "1"}', "colour": "BLUE"}).value == "1 blue"
    with pytest.raises(ArgumentError, match="must be an integer"):
        tool.bind({"point": {"x": "one"}})
    with pytest.raises(ArgumentError, match="unknown argument `stop`"):
        tool.bind({"point": {"x": 1}, "stop": None})


def test_many_tools_are_listed_in_order_with_their_own_schemas():
    def make(at: int):
        def tool(value: int = at) -> list[int]: ...

        tool.__name__ = f"tool_{at}"
        return tool

    box = Toolbox("many")
    for at in range(230):
        box.add(make(at))
    listed = box.to_mcp()["tools"]
    assert [each["name"] for each in listed] == [f"tool_{at}" for at in range(230)]
    assert [e["inputSchema"]["properties"]["value"]["default"] for e in listed] == [*range(230)]
    assert Toolbox("empty").to_mcp() == {"tools": []}


# -- the source of a class

SOURCE = '''
from dataclasses import dataclass
TEXT = """
class Twice:
    size: int  # Not this one
"""

class Twice:
    size: int  # How large

@dataclass
class Alone:
    text: str = """
at the margin
"""
    size: int = 0  # How large

class Other:
    """Has a class inside."""
    class Inner:
        size: int  # Inside
'''


def test_comments_are_read_wherever_a_class_stands():
    file = "<source of classes>"
    linecache.cache[file] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), file)
    module = ModuleType("source_of_classes")
    module.__file__ = file
    sys.modules[module.__name__] = module
    try:
        exec(compile(SOURCE, file, "exec", dont_inherit=True), vars(module))
        from toolwright.read.documentation import class_docs

        found = [module.Twice, module.Alone, module.Other.Inner]
        texts = [class_docs(cls).attributes["size"] for cls in found]
    finally:
        del sys.modules[module.__name__]
        del linecache.cache[file]
    assert texts == ["How large", "How large", "Inside"]
