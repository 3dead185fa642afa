"""Classes that others implement, and classes themselves: chosen by their names."""

from __future__ import annotations

import http.cookiejar
from abc import ABC, abstractmethod
from typing import Any

import pytest

from toolwright import ArgumentError, SchemaError, Tool, Toolbox

made: list[str] = []


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...


class Square(Shape):
    """A square."""

    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side**2


class Dot(Shape):
    def area(self) -> float:
        return 0.0


class Both(Shape):
    """Two shapes."""

    def __init__(self, first: Shape, second: Shape) -> None:
        self.parts = (first, second)

    def area(self) -> float:
        return sum(part.area() for part in self.parts)


class Untyped(Dot):
    def __init__(self, size) -> None:
        self.size = size


class Opening(Dot):
    def __init__(self) -> None:
        made.append("opened")


class _Private(Dot):
    pass


class Marker(ABC):
    """Meant to be implemented, though nothing says what with."""


class Marked(Marker):
    pass


class Settings:
    debug: bool = False


class LocalSettings(Settings):
    pass


class Alone(ABC):
    @abstractmethod
    def go(self) -> None: ...


def area(shape: Shape) -> float:
    return shape.area()


@pytest.mark.promise("parameters.implementations")
def test_a_caller_chooses_an_implementation_by_its_name():
    tool = Tool(area)
    arms = {"Both", "Dot", "Square"}
    written = str(tool.input_schema)
    assert all(f"'enum': ['{name}']" in written for name in arms)
    square = {
        "description": "A square.",
        "type": "object",
        "properties": {"type": {"type": "string", "enum": ["Square"]}, "side": {"type": "number"}},
        "required": ["type", "side"],
        "additionalProperties": False,
    }
    assert square in tool.input_schema["$defs"]["Shape"]["anyOf"]
    both = {"type": "Both", "first": {"type": "Dot"}, "second": {"type": "Square", "side": 2}}
    assert tool.call({"shape": both}).value == 4.0
    for wrong in ({"type": "Nope"}, {"side": 2}, {"type": "Dot", "side": 2}, {}, 3, "Dot"):
        with pytest.raises(ArgumentError):
            tool.bind({"shape": wrong})


@pytest.mark.promise("parameters.implementations")
def test_what_cannot_be_made_is_left_out_and_named():
    tool = Tool(area)
    assert len(tool.problems) == 1
    assert "`Untyped` cannot be sent" in tool.problems[0]
    assert "`Opening` cannot be sent" in tool.problems[0]
    assert "Private" not in str((tool.input_schema, tool.problems))
    assert made == []  # nothing was run to find out
    with pytest.raises(ArgumentError):
        tool.bind({"shape": {"type": "Opening"}})


@pytest.mark.promise("parameters.choices-where-needed")
def test_what_need_not_be_chosen_is_left_out():
    def draw(size: int, shape: Shape | None = None, kind: type[Shape] = Dot) -> None: ...
    def either(shape: str | Shape) -> None: ...

    assert list(Tool(draw).input_schema["properties"]) == ["size"]
    assert Tool(either).input_schema["properties"] == {"shape": {"type": "string"}}


def test_without_an_implementation_nothing_can_be_chosen():
    def go(x: Alone) -> None: ...

    with pytest.raises(SchemaError, match="`Alone`"):
        Tool(go).compile()


def test_only_what_is_abstract_or_cannot_be_made_stands_for_others():
    def mark(x: Marker) -> str:
        return type(x).__name__

    def settle(x: Settings) -> None: ...
    def dot(x: Dot) -> None: ...

    assert Tool(mark).call({"x": {"type": "Marked"}}).value == "Marked"
    for target in (settle, dot):
        with pytest.raises(SchemaError):
            Tool(target).compile()


def test_a_result_is_of_a_class_that_nobody_may_know():
    def give() -> Shape:
        return Dot()

    assert Tool(give).output_schema is None


class Node:
    kind: str = "node"
    line: int
    abstract = True

    def __init__(self, *parts: Any, **more: Any) -> None:
        if self.abstract:
            raise TypeError("abstract")
        for name in ("line",):
            setattr(self, name, more.pop(name, None))


class Leaf(Node):
    abstract = False
    text: str


class Branch(Node):
    abstract = False
    children: list[Node]


@pytest.mark.promise("parameters.declared-attributes")
def test_a_constructor_that_takes_anything_leaves_the_word_to_declarations():
    def show(node: Node) -> Any:
        leaf = node.children[0].children[0]
        return leaf.line, leaf.text, leaf.kind

    tool = Tool(show)
    assert "'kind'" not in str(tool.input_schema)
    leaf = {"type": "Leaf", "text": "x"}
    tree = {"type": "Branch", "children": [{"type": "Branch", "children": [leaf], "line": 1}]}
    assert tool.call({"node": tree}).value == (None, "x", "node")
    with pytest.raises(ArgumentError, match="text"):
        tool.bind({"node": {"type": "Leaf"}})


class Handing:
    text: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        made.append("handed")


def test_a_constructor_that_does_more_is_not_run_to_find_out():
    def go(x: Handing) -> None: ...

    with pytest.raises(SchemaError):
        Tool(go).compile()
    assert made == []


@pytest.mark.promise("parameters.classes")
def test_a_class_goes_by_its_name():
    def warn(category: type[Warning], shape: type[Shape]) -> list[str]:
        return [category.__name__, shape.__name__]

    properties = Tool(warn).input_schema["properties"]
    assert {"Warning", "UserWarning", "DeprecationWarning"} <= set(properties["category"]["enum"])
    assert properties["shape"]["enum"] == ["Both", "Dot", "Opening", "Square", "Untyped"]
    sent = {"category": "UserWarning", "shape": "Opening"}
    assert Tool(warn).call(sent).value == ["UserWarning", "Opening"]
    with pytest.raises(ArgumentError):
        Tool(warn).bind({**sent, "category": "int"})


def test_exceptions_are_made_of_a_name_and_a_message():
    def fail(error: BaseException) -> str:
        return repr(error)

    tool = Tool(fail)
    assert tool.call({"error": {"type": "ValueError", "message": "no"}}).value == "ValueError('no')"
    for wrong in ("SystemExit", "KeyboardInterrupt", "UnicodeDecodeError", "ExceptionGroup"):
        with pytest.raises(ArgumentError):
            tool.bind({"error": {"type": wrong, "message": "no"}})


def test_cookies_are_a_list():
    def names(jar: http.cookiejar.CookieJar) -> list[list[str]]:
        return [[each.name, each.value or "", each.domain] for each in jar]

    sent = [{"name": "a", "value": "1"}, {"name": "b", "value": "2", "domain": "x.org"}]
    found = Tool(names).call({"jar": sent}).value
    assert sorted(found) == [["a", "1", ""], ["b", "2", "x.org"]]


def test_the_choice_is_the_same_alone_and_in_a_batch():
    def other(shape: Shape, x: int) -> None: ...

    box = Toolbox("shapes")
    box.add(other)
    box.add(area)
    assert box["area"].input_schema == Tool(area).input_schema
    assert box["other"].problems == Tool(other).problems
