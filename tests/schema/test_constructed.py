"""Plain classes: made by their constructors, and sent by what is known of their attributes."""

import attrs
import pytest

from toolwright import ArgumentError, Tool, UnexpectedError


class Kept:
    def __init__(self, x: int, y: str = "a") -> None:
        self.x = x
        self.y = y


class Changed:
    def __init__(self, x: str) -> None:
        self.x = int(x)


class Rebound:
    def __init__(self, x: str) -> None:
        x = x.strip()
        self.x = len(x)


class Private:
    def __init__(self, x: int) -> None:
        self._x = x


class Mute:
    def __init__(self, x: int) -> None:
        self._x = x


class Picky:
    def __init__(self, n: int) -> None:
        if n < 0:
            raise RuntimeError("secret")
        if n == 7:
            raise ValueError("not seven")
        self.n = n


def test_attributes_that_a_constructor_keeps_are_published():
    def f() -> Kept:
        return Kept(1)

    assert list(Tool(f).output_schema["properties"]) == ["x", "y"]
    assert Tool(f).call({}).structured == {"x": 1, "y": "a"}


@pytest.mark.parametrize("cls", [Changed, Rebound, Private, Mute])
@pytest.mark.parametrize("many", [False, True])
def test_a_constructor_is_not_published_as_a_result(cls, many):
    hint = list[cls] if many else cls

    def f() -> hint:
        return [cls(3 if cls in (Private, Mute) else "3")] if many else cls(3)

    tool = Tool(f)
    assert tool.output_schema is None
    assert tool.problems[0].startswith("has no output schema: `")


class Declared:
    x: int

    def __init__(self, x: str) -> None:
        self.x = int(x)


def test_attributes_that_a_class_declares_have_the_types_it_says():
    def f() -> Declared:
        return Declared("3")

    assert Tool(f).output_schema["properties"] == {"x": {"type": "integer"}}
    assert Tool(f).call({}).structured == {"x": 3}


def test_a_result_that_says_nothing_of_itself_is_an_error_without_an_address():
    def f() -> Mute:
        return Mute(1)

    result = Tool(f).call({})
    assert result.is_error
    assert "0x" not in result.text


def test_what_a_constructor_refuses_is_a_fault_of_its_argument():
    def f(picky: list[Picky]) -> int:
        return len(picky)

    with pytest.raises(ArgumentError, match=r"`picky\[1\]`: not seven"):
        Tool(f).bind({"picky": [{"n": 1}, {"n": 7}]})
    assert "not seven" in Tool(f).call({"picky": [{"n": 7}]}).text


def test_an_exception_of_a_constructor_does_not_leave_bind_as_it_is():
    def f(picky: Picky) -> int:
        return picky.n

    with pytest.raises(UnexpectedError) as caught:
        Tool(f).bind({"picky": {"n": -1}})
    assert "secret" not in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_no_address_stands_in_a_problem():
    def f(a: Kept = Kept(1), b: dict[str, Kept] = {"k": Kept(1)}) -> None: ...  # noqa: B006, B008

    assert Tool(f).problems == (
        "`a`: the default `Kept object` is not JSON",
        "`b`: the default `dict object` is not JSON",
    )


def test_what_attrs_writes_at_its_constructors_describes_nothing():
    @attrs.define
    class Point:
        x: int

    def f(point: Point) -> Point:
        return point

    assert "description" not in Tool(f).input_schema["properties"]["point"]
    assert "description" not in Tool(f).output_schema
    assert Tool(Point).description == ""
