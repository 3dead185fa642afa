"""Seed document 003, toolslm: what its examples give when they are called.

Everywhere: a namespace is a toolbox. Its functions have no hints, which we refuse unless told
otherwise (`on_unsupported="permissive"`). A call gives a result, not the bare value; an error is a
result too, unless `raise_on_error=True`. The document's default is to raise.
"""

import asyncio
import logging
from pathlib import Path

import pytest

from toolwright import SchemaError, Toolbox
from toolwright.results import validate


def sums(a, b):
    return a + b


async def asums(a, b):
    return a + b


def path_test(
    a: Path,  # a type hint
    b: Path,  # b type hint
):
    "Mandatory docstring"
    return a / b


class ClassA:
    "I am a class"

    def f(self, a: int):  # That is `a`
        "Do a thing"
        return 1

    def __call__(self, b: str):  # That is `b`
        "Do another thing"
        return 2


class B:
    async def g(self, x: int):
        return x * 2


def namespace(*functions, **named):
    """The document's `mk_ns`."""
    box = Toolbox("ns")
    for function in functions:
        box.add(function, on_unsupported="permissive")
    for name, target in named.items():
        box.include(target, prefix=f"{name}.")
    return box


def run(coroutine):
    return asyncio.run(coroutine)


# -- namespaces


def test_a_namespace_holds_functions_by_name():
    box = namespace(sums)
    assert list(box) == ["sums"]
    assert box["sums"].target is sums
    assert box["sums"].target(1, 2) == 3


def test_a_namespace_can_be_given_as_a_list_or_a_mapping():
    assert Toolbox("ns", [path_test]).call("path_test", {"a": "/", "b": "x"}).value == Path("/x")
    assert list(Toolbox("ns", {"join": path_test})) == ["join"]


def test_untyped_parameters_are_refused_unless_allowed():
    # The document takes them without a word.
    with pytest.raises(SchemaError, match="every tool parameter must be typed"):
        Toolbox("ns").add(sums)


def test_a_method_is_found_by_its_dotted_name():
    ca = ClassA()
    box = namespace(ca=ca)
    assert list(box) == ["ca.f"]
    assert box["ca.f"].target == ca.f
    assert box["ca.f"].name == "ca.f"
    # Many clients refuse dots: in lists it is `ca_f`, and both names call it.
    assert box.call("ca.f", {"a": 5}).value == 1
    assert box.call("ca_f", {"a": 5}).value == 1


@pytest.mark.parametrize(
    "name",
    [
        "ca",
        "ca.__call__",
        "ca.f.__globals__",
        "ca.__class__",
        "ca.f.__func__",
        "__builtins__",
        "os",
    ],
)
def test_only_what_was_registered_can_be_called(name):
    # The document resolves any dotted name among the caller's globals.
    result = namespace(sums, ca=ClassA()).call(name, {"a": 5})
    assert result.is_error
    assert result.error.code == "not_found"


# -- calling


def test_a_function_is_called_by_name():
    result = namespace(sums).call("sums", {"a": 1, "b": 2})
    assert (result.value, result.text) == (3, "3")
    validate(result.to_mcp())


def test_what_a_function_raises_is_a_result_that_does_not_tell(caplog):
    # The document returns the whole traceback to the model. A TypeError is not meant for it: the
    # log has it, and so has the program.
    with caplog.at_level(logging.ERROR, "toolwright"):
        result = namespace(sums).call("sums", {"a": 1, "b": "3"})
    assert result.is_error
    assert "unsupported operand" not in result.text
    assert "sums" in result.text
    cause = result.error.__cause__
    assert isinstance(cause, TypeError)
    assert "unsupported operand type(s) for +: 'int' and 'str'" in str(cause)
    assert "unsupported operand type(s) for +" in caplog.text
    reference = result.text.rsplit(" ", 1)[1].rstrip(")")
    assert reference in caplog.text


def test_what_a_function_raises_is_raised_on_demand():
    with pytest.raises(TypeError, match="unsupported operand"):
        namespace(sums).call("sums", {"a": 1, "b": "3"}, raise_on_error=True)


def test_text_is_read_as_the_type_that_is_declared():
    result = namespace(path_test).call("path_test", {"a": "/home", "b": "user"})
    assert result.value == Path("/home/user")
    assert result.text.strip('"') == "/home/user"
    assert result.repairs == ()


def test_a_callable_object_is_a_tool_of_its_own():
    box = Toolbox("ns")
    box.add(ClassA(), name="ca")
    assert box.call("ca", {"b": "x"}).value == 2


# -- async calling


def test_an_async_function_is_awaited():
    assert run(namespace(asums).call_async("asums", {"a": 1, "b": 2})).value == 3


def test_a_sync_function_can_be_awaited():
    assert run(namespace(sums).call_async("sums", {"a": 1, "b": 2})).value == 3


def test_an_async_function_can_be_called_from_sync_code():
    assert namespace(asums).call("asums", {"a": 1, "b": 2}).value == 3


def test_an_async_function_can_be_called_from_sync_code_inside_a_loop():
    async def cell():
        return namespace(asums).call("asums", {"a": 1, "b": 2}).value

    assert run(cell()) == 3


@pytest.mark.parametrize("function", [sums, asums])
def test_what_an_awaited_function_raises_is_a_result(function):
    name = function.__name__
    result = run(namespace(function).call_async(name, {"a": 1, "b": "2"}))
    assert result.is_error
    assert "unsupported operand" not in result.text
    assert "unsupported operand type(s) for +: 'int' and 'str'" in str(result.error.__cause__)


@pytest.mark.parametrize("function", [sums, asums])
def test_what_an_awaited_function_raises_is_raised_on_demand(function):
    name = function.__name__
    call = namespace(function).call_async(name, {"a": 1, "b": "2"}, raise_on_error=True)
    with pytest.raises(TypeError, match="unsupported operand"):
        run(call)


def test_an_async_method_is_called_by_its_dotted_name():
    box = namespace(b=B())
    assert run(box.call_async("b.g", {"x": 5})).value == 10
    assert box.call("b.g", {"x": 5}).value == 10


# -- schemas that are given


def test_a_function_gets_what_its_given_schema_lets_through():
    given = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"query": {"type": "string"}, "path": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    }

    def dispatch_eg(**kwargs):
        return f"Called searchGitHub with {kwargs}"

    box = Toolbox("ns")
    box.add(dispatch_eg, name="searchGitHub", input_schema=given)
    result = box.call("searchGitHub", {"query": "hello", "path": "src/"})
    assert result.text == "Called searchGitHub with {'query': 'hello', 'path': 'src/'}"
    assert box.call("searchGitHub", {"path": "src/"}).is_error


def test_a_name_that_python_cannot_have_reaches_the_function():
    seen = []

    def run_(**kwargs):
        seen.append(kwargs)
        return kwargs

    given = {
        "type": "object",
        "properties": {
            "cmd": {"type": "string"},
            "approval-policy": {"type": "string", "default": "never"},
        },
        "required": ["cmd"],
    }
    box = Toolbox("ns")
    box.add(run_, name="run", input_schema=given)
    result = box.call("run", {"cmd": "ls", "approval-policy": "never"})
    assert result.value == {"cmd": "ls", "approval-policy": "never"}
    assert seen == [{"cmd": "ls", "approval-policy": "never"}]
