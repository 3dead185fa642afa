"""The tree of errors: what each carries, and that it survives a process boundary."""

import pickle

import pytest

from toolwright import (
    ArgumentError,
    CallError,
    DefinitionError,
    SchemaError,
    Tool,
    ToolNotFound,
    ToolwrightError,
)
from toolwright.errors import Fault

SCHEMA = SchemaError("has no type", tool="f", parameter="a", hint="add one", file="f.py", line=3)
ERRORS = [
    ToolwrightError("wrong", path=["a", 0], hint="right it"),
    DefinitionError(problems=[SCHEMA, SchemaError("is bad", tool="g")]),
    SCHEMA,
    CallError("failed", hint="again"),
    ArgumentError("f", [Fault(["a", 1], "int", "a.1: no integer"), Fault([], "x", "other")]),
    ToolNotFound("f", hint="did you mean `g`?"),
]
each_error = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)


def pay(amounts: list[int], note: str = "", *, fast: bool = False) -> None: ...


@pytest.mark.promise("errors.tree")
def test_the_tree_has_two_branches():
    assert DefinitionError.__base__ is CallError.__base__ is ToolwrightError
    assert SchemaError.__bases__ == (DefinitionError, ValueError)
    assert issubclass(ArgumentError, CallError)
    assert issubclass(ArgumentError, ValueError)
    assert issubclass(ToolNotFound, CallError)
    assert issubclass(ToolNotFound, KeyError)


@pytest.mark.promise("errors.codes")
def test_codes_are_stable():
    assert {type(error).__name__: error.code for error in ERRORS} == {
        "ToolwrightError": "error",
        "DefinitionError": "definition",
        "SchemaError": "schema",
        "CallError": "call",
        "ArgumentError": "arguments",
        "ToolNotFound": "not_found",
    }


@each_error
@pytest.mark.promise("errors.codes")
def test_an_error_has_a_message_a_path_and_a_hint(error):
    assert error.message
    assert error.message in str(error)
    assert error.hint in str(error)
    assert isinstance(error.path, tuple)


@each_error
@pytest.mark.promise("errors.pickle")
def test_an_error_can_be_pickled(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert (again.path, again.hint, again.code) == (error.path, error.hint, error.code)
    for attribute in ("tool", "parameter", "file", "line", "name"):
        assert getattr(again, attribute, None) == getattr(error, attribute, None)
    for attribute in ("problems", "faults"):
        assert repr(getattr(again, attribute, None)) == repr(getattr(error, attribute, None))


@pytest.mark.promise("errors.where-and-what")
def test_a_refusal_says_which_tool_which_parameter_where_and_what_to_do():
    def untyped(a, b: int): ...

    with pytest.raises(SchemaError) as caught:
        Tool(untyped, name="other")
    error = caught.value
    assert (error.tool, error.parameter, error.path) == ("other", "a", ("a",))
    assert error.file == __file__
    assert error.line == untyped.__code__.co_firstlineno
    assert error.hint
    assert str(error) == f"{error.message} - {error.hint} ({error.file}:{error.line})"


@pytest.mark.promise("errors.faults")
def test_there_is_one_fault_for_each_thing_that_is_wrong():
    with pytest.raises(ArgumentError) as caught:
        Tool(pay).bind({"amounts": [1, "2", 3.5], "note": 4, "colour": "red"})
    faults = caught.value.faults
    assert [fault.path for fault in faults] == [
        ("amounts", 1),
        ("amounts", 2),
        ("note",),
        ("colour",),
    ]
    assert all(fault.code and "\n" not in fault.text for fault in faults)
    assert all(fault.text in str(caught.value) for fault in faults)
    assert caught.value.tool == "pay"
    assert "pydantic" not in str(caught.value)


@pytest.mark.promise("errors.faults")
@pytest.mark.parametrize(
    "sent",
    ["{", b"\xff", "", {"amounts": object()}, "5", "null"],
    ids=["open", "bytes", "empty", "object", "number", "null"],
)
def test_what_is_not_a_json_object_is_one_fault(sent):
    with pytest.raises(ArgumentError) as caught:
        Tool(pay).bind(sent)
    assert len(caught.value.faults) == 1


@pytest.mark.promise("tool.strict")
@pytest.mark.parametrize(
    ("hint", "good", "bad"),
    [
        (int, 3, "3"),
        (int, -3, 3.5),
        (int, 0, True),
        (float, 3, "3"),
        (bool, True, 1),
        (bool, False, "yes"),
        (str, "3", 3),
        (list[int], [1], "1"),
        (dict[str, int], {"a": 1}, {"a": "1"}),
    ],
)
def test_validation_is_strict(hint, good, bad):
    def target(x): ...

    target.__annotations__ = {"x": hint}
    _, named = Tool(target).bind({"x": good})
    assert named == {"x": good}
    assert type(named["x"]) is (hint if isinstance(hint, type) else type(good))
    with pytest.raises(ArgumentError):
        Tool(target).bind({"x": bad})


@pytest.mark.promise("errors.refused-when-registered")
@pytest.mark.parametrize(
    ("target", "options"),
    [
        (5, {}),
        (max, {}),
        (lambda: 1, {}),
        (pay, {"name": "a b"}),
        (pay, {"name": "x" * 129}),
        (pay, {"colour": "red"}),
        (pay, {"emit": "loud"}),
        (print, {}),
    ],
    ids=["number", "built-in", "lambda", "blank", "long", "unknown", "value", "variadic"],
)
def test_what_the_bare_signature_shows_is_refused_at_once(target, options):
    with pytest.raises(SchemaError):
        Tool(target, **options)


def test_a_long_name_is_just_long_enough():
    assert Tool(pay, name="x" * 128).name == "x" * 128
