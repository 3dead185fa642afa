"""Unusual callables: what calling them takes is what their tool takes."""

import functools
import inspect
from dataclasses import dataclass
from typing import Annotated, Generic, NewType, Self, TypeVar

import pytest

from toolwright import Inject, SchemaError, Tool

INT, TEXT = {"type": "integer"}, {"type": "string"}
T = TypeVar("T")
K = TypeVar("K")


def plus(x: int) -> int:
    "Add one."
    return x + 1


def passing(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


class Static:
    __call__ = staticmethod(plus)


class OfClass:
    @classmethod
    def __call__(cls, x: int) -> int:
        return x + 1


class Partial:
    __call__ = functools.partial(plus)


class Wrapping:
    @functools.wraps(plus)
    def __call__(self, *args, **kwargs):
        return plus(*args, **kwargs)


class Wrapped:
    @passing
    def __call__(self, x: int) -> int:
        return x + 1


class Signed:
    def __init__(self):
        self.__signature__ = inspect.signature(plus)

    def __call__(self, *args, **kwargs):
        return plus(*args, **kwargs)


class Handler(Generic[T]):
    def __init__(self, size: int = 1) -> None:
        self.size = size

    def __call__(self, x: T) -> T:
        return x + self.size

    def many(self, x: list[T]) -> dict[str, T]:
        return {"first": x[0]}


class Numbers(Handler[int]): ...


class Pairs(Handler[K], Generic[K, T]): ...


@pytest.mark.filterwarnings("ignore:functools.partial will be:FutureWarning")  # 3.13, of the class
@pytest.mark.promise("targets.callable-kinds")
@pytest.mark.parametrize(
    "target",
    [
        Static(),
        OfClass(),
        Partial(),
        Wrapping(),
        Wrapped(),
        Signed(),
        Handler[int](),
        Numbers(),
        Pairs[int, str](),
    ],
    ids=lambda target: type(target).__name__,
)
def test_an_object_takes_what_calling_it_takes(target):
    made = Tool(target)

    assert made.input_schema["properties"] == {"x": INT}
    assert made.output_schema == INT
    assert made.call({"x": 1}).value == 2


def test_methods_of_a_generic_class_know_its_types():
    for owner in (Handler[int](), Numbers()):
        made = Tool(owner.many)

        assert made.input_schema["properties"] == {"x": {"type": "array", "items": INT}}
        assert made.output_schema == {"type": "object", "additionalProperties": INT}
    assert list(Tool(Handler[int]).input_schema["properties"]) == ["size"]


class Doubling(type):
    def __call__(cls, x: int) -> int:
        return x * 2


class Double(metaclass=Doubling):
    def __init__(self, other: str) -> None: ...


class Single(type):
    def __call__(cls, *args, **kwargs):
        return super().__call__(*args, **kwargs)


class One(metaclass=Single):
    def __init__(self, size: int) -> None:
        self.size = size


class Text:
    def __new__(cls, x: int) -> str:
        return str(x)

    def __init__(self, other: str) -> None: ...


class Own:
    def __new__(cls, x: int) -> "Own":
        return super().__new__(cls)

    def __init__(self, x: int) -> None:
        self.x = x


@pytest.mark.promise("targets.callable-kinds")
def test_a_class_takes_what_calling_it_takes():
    assert Tool(Double).input_schema["properties"] == {"x": INT}
    assert Tool(Double).call({"x": 2}).value == 4
    assert Tool(One).input_schema["properties"] == {"size": INT}
    assert Tool(Text).input_schema["properties"] == {"x": INT}
    assert Tool(Text).output_schema == TEXT
    assert Tool(Text).call({"x": 2}).value == "2"
    assert Tool(Own).input_schema["properties"] == {"x": INT}


class Space:
    def plus(x: int) -> int:
        return x + 1

    def nothing() -> int:
        return 1


def test_a_method_without_self_is_a_function_of_its_class_only():
    assert Tool(Space.plus).call({"x": 1}).value == 2
    assert Tool(Space.nothing).call({}).value == 1
    for bound in (Space().plus, Space().nothing):
        with pytest.raises(
            SchemaError, match="first parameter is not its instance - give it `self`"
        ):
            Tool(bound)


def test_a_new_type_is_refused_as_ours():
    with pytest.raises(SchemaError):
        Tool(NewType("TaskID", int))


def test_a_method_of_an_object_that_looks_every_attribute_up():
    class Lazy:
        def __getattr__(self, name):
            return getattr(self.inner, name)  # which is not set yet

        def go(self, x: int) -> int:
            return x

    assert Tool(Lazy().go).input_schema["properties"] == {"x": INT}


def get_limit() -> int:
    return 5


class Signed:
    __signature__ = inspect.Signature(
        [
            inspect.Parameter("x", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=int),
            inspect.Parameter(
                "limit",
                inspect.Parameter.KEYWORD_ONLY,
                annotation=Annotated[int, Inject(get_limit)],
            ),
        ]
    )

    def __call__(self, x: int, limit: int = 0) -> list[int]:
        return [x, limit]


def test_the_signature_that_a_class_shows_for_its_objects_counts():
    tool = Tool(Signed())
    assert tool.input_schema["properties"] == {"x": INT}
    assert tool.call({"x": 1}).value == [1, 5]
    assert tool.call({"x": 1, "limit": 9}).is_error


class SignedClass:
    __signature__ = Signed.__signature__

    def __init__(self, x: int, limit: int = 0) -> None:
        self.values = [x, limit]


class OpenClass:
    __signature__ = Signed.__signature__

    def __init__(self, *args, **kwargs) -> None:
        self.values = [*args, *kwargs.values()]


class Inherits(SignedClass):
    def __init__(self, size: int) -> None:
        super().__init__(size)


@pytest.mark.parametrize("target", [SignedClass, OpenClass])
def test_the_signature_that_a_class_shows_for_itself_counts(target):
    tool = Tool(target)
    assert tool.input_schema["properties"] == {"x": INT}
    assert tool.call({"x": 1}).value.values == [1, 5]
    assert tool.call({"x": 1, "limit": 9}).is_error


def test_a_constructor_of_a_subclass_counts_more_than_what_its_base_shows():
    assert Tool(Inherits).input_schema["properties"] == {"size": INT}


@dataclass
class Node:
    size: int = 0

    def joined(self, other: "Self", more: "list[Self] | None" = None) -> "Self":
        return Node(self.size + other.size + sum(each.size for each in more or ()))

    @classmethod
    def first(cls, named: "dict[str, Self]", *rest: "Self | int") -> "list[Self]":
        return [*named.values()]


@dataclass
class Leaf(Node):
    colour: str = "green"


def test_self_is_the_class_of_the_method_wherever_it_is_in_a_hint():
    node = {"type": "object", "properties": {"size": {"type": "integer", "default": 0}}}
    tool = Tool(Node(1).joined)
    assert tool.input_schema["properties"] == {
        "other": node,
        "more": {"type": "array", "items": node},
    }
    sent = {"other": {"size": 2}, "more": [{"size": 3}]}
    assert tool.call(sent).value == Node(6)
    first = Tool(Leaf.first)
    assert first.call({"named": {"x": {"size": 1}}, "rest": [2, {}]}).value == [Leaf(1)]
    leaf = first.input_schema["properties"]["named"]["additionalProperties"]
    assert list(leaf["properties"]) == ["size", "colour"]
