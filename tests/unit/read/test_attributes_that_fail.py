"""Callable objects whose own code answers for their attributes."""

import asyncio
import functools

import pytest

from toolwright import SchemaError, Tool, Toolbox


class Recursive:
    def __getattr__(self, name):
        return getattr(self, f"{name}_")

    def __call__(self, x: int) -> int:
        return x


class Unfinished(Recursive):
    """A proxy that was not given what it stands for."""

    def __getattr__(self, name):
        return getattr(self.inner, name)


class Raising(Recursive):
    def __getattr__(self, name):
        raise RuntimeError(name)


class Itself(Recursive):
    def __getattr__(self, name):
        return self


class Anything(Recursive):
    def __getattr__(self, name):
        return lambda *given: given


class Locked:
    def __getattribute__(self, name):
        raise RuntimeError(name)

    def __call__(self, x: int) -> int:
        return x


@pytest.mark.parametrize("cls", [Recursive, Unfinished, Raising, Itself, Anything])
def test_attributes_that_only_code_knows_do_not_matter(cls):
    tool = Tool(cls())
    assert tool.name == cls.__name__
    assert list(tool.input_schema["properties"]) == ["x"]
    assert tool.call({"x": 1}).value == 1
    assert asyncio.run(tool.call_async({"x": 1})).value == 1
    box = Toolbox("odd", [cls()])
    assert list(box) == [cls.__name__]
    assert box.call(cls.__name__, {"x": 2}).value == 2


def test_an_object_that_cannot_be_looked_at_is_refused():
    for target in (Locked(), functools.partial(Locked())):
        with pytest.raises(SchemaError, match="cannot be read: looking at it raises RuntimeError"):
            _ = Tool(target).input_schema
