"""Classes that declare their attributes, and are made with nothing."""

import threading
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final, Protocol

import pytest

from toolwright import ArgumentError, SchemaError, Tool


class Point:
    """A place.

    Attributes:
        x: How far to the right.
    """

    x: int
    y: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Point) and vars(self) == vars(other)

    __hash__ = None


class Reply:
    """Filled by its constructor, as far as that goes."""

    kinds: ClassVar[int] = 3
    limit: Final = 9
    code: int
    text: str
    parts: "list[Reply]"
    url: str
    _raw: bytes

    def __init__(self) -> None:
        self.code = 0
        self.parts = []
        if self.kinds:
            self.url = "x"


class Slots:
    __slots__ = ("a",)
    a: int


class Deeper(Point):
    z: float


class Checked:
    x: int

    def __setattr__(self, name: str, value: Any) -> None:
        if value < 0:
            raise ValueError("below zero")
        super().__setattr__(name, value)


def taking(hint):
    def f(p: hint) -> None: ...

    return Tool(f)


def bound(hint, sent):
    return taking(hint).bind({"p": sent})[1]["p"]


@pytest.mark.promise("parameters.declared-attributes")
def test_declared_attributes_are_set():
    tool = taking(Point)
    assert tool.input_schema["properties"]["p"] == {
        "type": "object",
        "description": "A place.",
        "properties": {
            "x": {"type": "integer", "description": "How far to the right."},
            "y": {"type": "integer"},
        },
        "required": ["x", "y"],
        "additionalProperties": False,
    }
    assert vars(bound(Point, {"x": 1, "y": 2})) == {"x": 1, "y": 2}
    assert vars(bound(Deeper, {"x": 1, "y": 2, "z": 0.5})) == {"x": 1, "y": 2, "z": 0.5}
    assert bound(Slots, {"a": 1}).a == 1
    for wrong in ({"x": 1}, {"x": "1", "y": 2}, {"x": 1, "y": 2, "__class__": 3}, 5):
        with pytest.raises(ArgumentError):
            tool.bind({"p": wrong})


def test_what_the_constructor_sets_need_not_be_sent():
    node = taking(Reply).input_schema
    made = bound(Reply, {"text": "a", "url": "u"})
    assert vars(made) == {"code": 0, "parts": [], "text": "a", "url": "u"}
    inner = bound(Reply, {"text": "a", "url": "u", "parts": [{"text": "b", "url": "v"}]})
    assert inner.parts[0].text == "b"
    assert "_raw" not in str(node)
    assert "kinds" not in str(node)
    with pytest.raises(ArgumentError, match="text"):
        bound(Reply, {"url": "u"})


def test_it_is_filled_wherever_a_type_may_stand():
    sent, made = {"x": 1, "y": 2}, Point()
    made.x, made.y = 1, 2
    assert bound(list[Point], [sent]) == [made]
    assert bound(dict[str, Point], {"k": sent}) == {"k": made}
    assert bound(Point | None, sent) == made
    assert bound(str | Point, sent) == made
    assert bound(tuple[Point, int], [sent, 3]) == (made, 3)


def test_what_an_attribute_refuses_is_a_fault_of_the_argument():
    assert bound(Checked, {"x": 1}).x == 1
    with pytest.raises(ArgumentError, match="below zero"):
        bound(Checked, {"x": -1})


class Settings:
    url: str = "here"
    token: str = "hush"


class Service:
    name: str

    def __init__(self, lock: threading.Lock) -> None: ...


class Live:
    lock: threading.Event
    name: str


class Shape(ABC):
    x: int

    @abstractmethod
    def area(self) -> int: ...


class Named(Protocol):
    name: str


class NoPlace:
    __slots__ = ()
    x: int


class Nothing:
    pass


class Unknown:
    x: "Missing"  # noqa: F821


@pytest.mark.parametrize(
    "hint", [Settings, Service, Live, Shape, Named, NoPlace, Nothing, Unknown, threading.Event]
)
def test_other_classes_are_refused_as_before(hint):
    with pytest.raises(SchemaError, match="cannot be sent as JSON"):
        taking(hint).compile()


def test_a_result_is_written_by_its_declarations():
    def f(p: Point) -> Point:
        return p

    tool = Tool(f)
    assert list(tool.output_schema["properties"]) == ["x", "y"]
    assert tool.call({"p": {"x": 1, "y": 2}}).structured == {"x": 1, "y": 2}


def test_a_result_that_was_never_filled_is_an_error():
    def f() -> Point:
        return Point()

    result = Tool(f).call({})
    assert result.is_error
    assert "0x" not in result.text
