"""Plain classes: made by their constructors, and sent by what is known of their attributes."""

from collections.abc import Callable
from typing import Any

import attrs
import pytest

from toolwright import ArgumentError, SchemaError, Tool, UnexpectedError


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


class Variadic:
    def __init__(self, x: int, /, y: int = 2, *rest: int, z: int = 4, **more: str) -> None:
        self.given = (x, y, rest, z, more)


class Tags:
    def __init__(self, *names: str) -> None:
        self.names = names


class Anything:
    def __init__(self, *args: Any, **kwargs: object) -> None: ...


def given(made: Variadic) -> list[Any]:
    return list(made.given)


def test_a_constructor_with_typed_variadics_is_built_by_all_it_takes():
    assert Tool(given).input_schema["properties"]["made"] == {
        "type": "object",
        "properties": {
            "x": {"type": "integer"},
            "y": {"type": "integer", "default": 2},
            "rest": {"type": "array", "items": {"type": "integer"}},
            "z": {"type": "integer", "default": 4},
        },
        "required": ["x"],
        "additionalProperties": {"type": "string"},
    }


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"x": 1}, [1, 2, [], 4, {}]),
        ({"x": 1, "rest": [8, 9]}, [1, 2, [8, 9], 4, {}]),
        ({"x": 1, "z": 0, "a": "b", "more": "c"}, [1, 2, [], 0, {"a": "b", "more": "c"}]),
    ],
)
def test_what_is_sent_for_variadics_reaches_the_constructor(sent, expected):
    assert Tool(given).call({"made": sent}).structured == expected


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"x": 1, "a": 2}, "given: `made.a` must be a string; got 2"),
        ({"x": 1, "rest": ["a"]}, 'given: `made.rest[0]` must be an integer; got "a"'),
        ({"a": "b"}, "given: missing argument `made.x` (an integer)"),
    ],
)
def test_what_variadics_do_not_take_is_refused(sent, said):
    assert Tool(given).call({"made": sent}).text == said


def test_a_constructor_with_nothing_but_typed_positionals_takes_a_list():
    def f(tags: list[Tags] | None) -> list[str]:
        return [name for each in tags or () for name in each.names]

    assert Tool(f).call({"tags": [{"names": ["a", "b"]}, {}]}).structured == ["a", "b"]
    assert "unknown argument `tags[0].name`" in Tool(f).call({"tags": [{"name": "a"}]}).text


def test_a_constructor_that_says_nothing_of_what_it_takes_is_refused():
    def f(it: Anything) -> None: ...

    with pytest.raises(SchemaError, match="it takes anything: its parameters have no names"):
        Tool(f).compile()


def test_variadics_that_cannot_be_sent_are_left_out_and_noted():
    class Hooked:
        def __init__(self, x: int, *before: Callable[[], None], **hooks: Callable[[], None]):
            self.given = (x, before, hooks)

    def f(it: Hooked) -> int:
        return it.given[0]

    tool = Tool(f)
    assert tool.input_schema["properties"]["it"] == {
        "type": "object",
        "properties": {"x": {"type": "integer"}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert tool.problems == (
        "`Hooked`: leaves `before` out: `Callable` cannot be sent as JSON",
        "`Hooked`: leaves `**kwargs` out: `Callable` cannot be sent as JSON",
    )
    assert tool.call({"it": {"x": 1}}).structured == 1
    assert "unknown argument `it.k`" in tool.call({"it": {"x": 1, "k": 1}}).text


def test_where_a_constructor_keeps_variadics_is_not_guessed():
    def f() -> Tags:
        return Tags("a")

    assert Tool(f).output_schema is None


class Options:
    def __init__(self, **options: str) -> None:
        self.options = options


def test_no_keyword_of_a_constructor_has_the_name_of_its_instance():
    def f(options: list[Options]) -> int:
        return len(options)

    said = Tool(f).call({"options": [{"cls": "a"}, {"self": "a"}]}).text
    assert said == "f: `options[1]`: unknown argument `self`"


class Many:
    def method(self, **values: str) -> dict[str, str]:
        return values

    @classmethod
    def of_class(cls, **values: str) -> dict[str, str]:
        return values

    def __call__(self, **values: str) -> dict[str, str]:
        return values


@pytest.mark.parametrize(
    ("target", "name"), [(Many().method, "self"), (Many.of_class, "cls"), (Many(), "self")]
)
def test_no_unknown_argument_has_the_name_of_the_instance(target, name):
    tool = Tool(target, name="many")
    other = {"self": "cls", "cls": "self"}[name]
    assert tool.call({name: "a"}).text == f"many: unknown argument `{name}`"
    assert tool.call({other: "a"}).structured == {other: "a"}
