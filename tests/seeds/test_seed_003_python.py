"""The Python tool of seed 003: every example of it.

Differences: an error string has the frames of the code, without those of the machinery that runs
it, and the schema has no `anyOf` with null for what may be left out, as everywhere.
"""

import pytest

from toolwright import Tool
from toolwright.sources import python, python_tool

FACTORIAL = """def factorial(n):
    if n == 0 or n == 1: return 1
    else: return n * factorial(n-1)
factorial(5)"""


def test_the_value_of_the_last_expression_comes_back():
    assert python("import math;math.factorial(12)") == 479001600


def test_without_a_value_what_was_printed_comes_back():
    assert python("print(1+1)") == "2"


def test_functions_of_several_lines():
    assert python(FACTORIAL) == 120


@pytest.mark.promise("python.inside-timeout")
def test_code_that_takes_too_long_gives_an_error_string():
    said = python("import time; time.sleep(10)", timeout=1)
    assert said.startswith("Traceback (most recent call last):")
    assert said.endswith("TimeoutError")
    assert "inside.py" not in said  # it ends where the code was, not in a file of ours


@pytest.mark.promise("python.inside-globals")
def test_the_globals_of_the_caller_are_its_names():
    assert python("a=1") is None
    assert a == 1  # noqa: F821 - what the code has set
    glb = {}
    python("a=3", glb=glb)
    assert (a, glb["a"]) == (1, 3)  # noqa: F821


def test_locals_of_their_own():
    glb, loc = {"a": 1}, {}
    assert python("b = a + 1; b", glb, loc) == 2
    assert (loc, "b" in glb) == ({"b": 2}, False)


def test_its_schema():
    assert Tool(python).input_schema == {
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "Code to execute"},
            "glb": {
                "type": "object",
                "additionalProperties": True,
                "description": "Globals namespace",
            },
            "loc": {
                "type": "object",
                "additionalProperties": True,
                "description": "Locals namespace",
            },
            "timeout": {
                "type": "integer",
                "default": 3600,
                "description": "Maximum run time in seconds",
            },
        },
        "required": ["code"],
        "additionalProperties": False,
    }


def test_as_a_tool_it_never_reaches_into_this_package():
    tool = Tool(python)
    assert tool.call({"code": "secret_name = 5"}).is_error is False
    assert tool.call({"code": "secret_name"}).value == 5
    assert "secret_name" not in vars(__import__("toolwright.run.runner", fromlist=["x"]))


@pytest.mark.parametrize("inside", [True, False])
def test_the_same_examples_as_a_tool(inside):
    tool = python_tool(inside=inside)

    def value(code):
        return tool.call({"code": code}).structured

    assert value("import math;math.factorial(12)")["value"] == 479001600
    assert value("print(1+1)") == {"value": None, "stdout": "2\n", "stderr": ""}
    assert value(FACTORIAL)["value"] == 120
    value("a=1")
    assert value("a")["value"] == 1
