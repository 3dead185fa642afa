"""Seed document 003, toolslm: every schema example in it.

Differences that hold for all of them: arguments are closed (`additionalProperties: false`); a
parameter nobody described has no description, not an empty one; `= None` means optional, with no
`default: null`; classes have no `title` and are written where they are used, not under `$defs`; a
fixed tuple has one schema for its items and says its positions in words, without `prefixItems`; a
set has no `uniqueItems`.
"""

import inspect
from pathlib import Path
from typing import Any, Callable, Union

import pytest

from tests.seeds.seed_003_schemas import ANY, JSON_TYPES, arguments
from toolwright import SchemaError, Tool, Toolbox
from toolwright.tools.definition import signature_of


def schema_of(hint: Any, style: str = "portable") -> dict[str, Any]:
    """The schema of one hint, with its definitions if the style has any."""

    def take(value: hint): ...

    schema = Tool(take, style=style).input_schema
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {**schema["properties"]["value"], **definitions}


# -- comments behind parameters


def silly_sum(
    a: int,  # First thing to sum
    b: int = 1,  # Second thing to sum
    c: list[int] = None,  # A pointless argument
) -> int:  # The sum of the inputs
    "Adds a + b."
    return a + b


def test_comments_are_read_with_hints_and_defaults():
    signature = signature_of(Tool(silly_sum))
    assert [(p.name, p.hint, p.default, p.description) for p in signature.parameters] == [
        ("a", int, inspect.Parameter.empty, "First thing to sum"),
        ("b", int, 1, "Second thing to sum"),
        ("c", list[int], None, "A pointless argument"),
    ]
    assert signature.returns is int
    assert signature.returns_description == "The sum of the inputs"


@pytest.mark.promise("documentation.comments")
def test_comments_describe_parameters():
    tool = Tool(silly_sum)
    assert tool.name == "silly_sum"
    assert tool.input_schema == arguments(
        {
            "a": {"type": "integer", "description": "First thing to sum"},
            "b": {"type": "integer", "default": 1, "description": "Second thing to sum"},
            "c": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "A pointless argument",
            },
        },
        "a",
    )


def test_the_comment_on_the_return_value_ends_the_description():
    # The document puts the type there too; we have an output schema for that.
    tool = Tool(silly_sum)
    assert tool.description == "Adds a + b.\n\nReturns: The sum of the inputs"
    assert tool.output_schema == {"type": "integer"}


def test_a_wrong_default_none_makes_the_full_style_say_null():
    # `list[int] = None` breaks its own hint; the document publishes a default it would refuse.
    assert Tool(silly_sum, style="full").input_schema["properties"]["c"] == {
        "anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}],
        "default": None,
        "description": "A pointless argument",
    }


# -- single hints


class TestClass:
    __test__ = False

    def __init__(self, x: int, y: int):
        self.x, self.y = x, y


TEST_CLASS = arguments({"x": {"type": "integer"}, "y": {"type": "integer"}}, "x", "y")


@pytest.mark.promise("schema.typed-nodes")
@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (int, {"type": "integer"}),
        (str, {"type": "string"}),
        (bool, {"type": "boolean"}),
        (float, {"type": "number"}),
        # The document's format is `Path`, the name of a class rather than of a format.
        (Path, {"type": "string", "format": "path"}),
        # The document leaves the items open (`{}`), which some clients refuse.
        (list, {"type": "array", "items": {"type": JSON_TYPES}}),
        (
            tuple[str],
            {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "maxItems": 1,
                "description": "Positions: string",
            },
        ),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (set[str], {"type": "array", "items": {"type": "string"}}),
        (dict, {"type": "object", "additionalProperties": True}),
        (dict[str, str], {"type": "object", "additionalProperties": {"type": "string"}}),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (TestClass, TEST_CLASS),
        (list[TestClass], {"type": "array", "items": TEST_CLASS}),
        (
            dict[str, list[TestClass]],
            {
                "type": "object",
                "additionalProperties": {"type": "array", "items": TEST_CLASS},
            },
        ),
    ],
    ids=str,
)
def test_a_hint_becomes_a_schema(hint, schema):
    assert schema_of(hint) == schema


REF = {"$ref": "#/$defs/TestClass"}
DEFS = {"$defs": {"TestClass": TEST_CLASS}}


@pytest.mark.promise("schema.full")
@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (list, {"type": "array", "items": {}}),
        # The document adds `items` for the clients that need them: here that is the portable style.
        (
            tuple[str],
            {
                "type": "array",
                "prefixItems": [{"type": "string"}],
                "minItems": 1,
                "maxItems": 1,
            },
        ),
        (set[str], {"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
        (TestClass, {**REF, **DEFS}),
        (list[TestClass], {"type": "array", "items": REF, **DEFS}),
        (
            dict[str, list[TestClass]],
            {"type": "object", "additionalProperties": {"type": "array", "items": REF}, **DEFS},
        ),
    ],
    ids=str,
)
def test_the_full_style_writes_all_that_is_known_of_a_hint(hint, schema):
    assert schema_of(hint, "full") == schema


@pytest.mark.promise("parameters.constructed-classes")
def test_required_and_optional_parameters_of_a_class():
    class TestClass:
        "Test class"

        def __init__(
            self,
            x: int,  # First thing
            y: list[float],  # Second thing
            z: str = "default",  # Third thing
        ):
            self.x, self.y, self.z = x, y, z

    tool = Tool(TestClass)
    assert (tool.name, tool.description) == ("TestClass", "Test class")
    assert tool.input_schema == arguments(
        {
            "x": {"type": "integer", "description": "First thing"},
            "y": {"type": "array", "items": {"type": "number"}, "description": "Second thing"},
            "z": {"type": "string", "default": "default", "description": "Third thing"},
        },
        "x",
        "y",
    )


@pytest.mark.promise("parameters.null-is-a-value")
def test_a_required_optional_keeps_its_null():
    def _example_new_unioin(opt_tup: str | None): ...

    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert Tool(_example_new_unioin).input_schema == arguments({"opt_tup": nullable}, "opt_tup")


@pytest.mark.promise("schema.default-none-is-absent")
def test_an_old_style_optional_may_be_left_out():
    def _example_old_union(opt_tup: Union[str, type(None)] = None): ...

    assert Tool(_example_old_union).input_schema == arguments({"opt_tup": {"type": "string"}})


# -- functions


def get_schema(
    f: Union[Callable, dict],  # Function to get schema for
    pname: str = "input_schema",  # Key name for parameters
    evalable: bool = False,  # stringify defaults that can't be literal_eval'd?
    skip_hidden: bool = False,  # skip parameters starting with '_'?
    name: None = None,  # Override function name (useful for dotted paths like 'obj.method')
) -> dict:  # {'name':..., 'description':..., pname:...}
    "Generate JSON schema for a class, function, or method"


def test_the_schema_of_a_function_with_a_callable_in_its_hint():
    tool = Tool(get_schema)
    assert tool.input_schema == arguments(
        {
            # The document calls both arms of the union an object; a callable is not one.
            "f": {
                "type": "object",
                "additionalProperties": True,
                "description": "Function to get schema for",
            },
            "pname": {
                "type": "string",
                "default": "input_schema",
                "description": "Key name for parameters",
            },
            "evalable": {
                "type": "boolean",
                "default": False,
                "description": "stringify defaults that can't be literal_eval'd?",
            },
            "skip_hidden": {
                "type": "boolean",
                "default": False,
                "description": "skip parameters starting with '_'?",
            },
            "name": {
                "type": "null",
                "description": (
                    "Override function name (useful for dotted paths like 'obj.method')"
                ),
            },
        },
        "f",
    )
    assert tool.problems == (
        "`f`: leaves a part of its type out: `Callable` cannot be sent as JSON",
    )
    assert tool.description == (
        "Generate JSON schema for a class, function, or method\n\n"
        "Returns: {'name':..., 'description':..., pname:...}"
    )
    assert tool.output_schema == {"type": "object", "additionalProperties": True}


def f(
    o: object,  # the o
    q: tuple[int, str],
    p: str | list[str] = "a",
):
    "object function"


@pytest.mark.promise("schema.typed-nodes", "schema.one-items")
def test_any_value_a_fixed_tuple_and_a_union():
    tool = Tool(f)
    assert (tool.name, tool.description) == ("f", "object function")
    assert tool.input_schema == arguments(
        {
            # To the document `object` means a JSON object; in Python everything is an object.
            "o": {**ANY, "description": "the o"},
            "q": {
                "type": "array",
                "items": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
                "minItems": 2,
                "maxItems": 2,
                "description": "Positions: integer, string",
            },
            "p": {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
                "default": "a",
            },
        },
        "o",
        "q",
    )


def test_a_fixed_tuple_in_the_full_style():
    assert Tool(f, style="full").input_schema["properties"]["q"] == {
        "type": "array",
        "prefixItems": [{"type": "integer"}, {"type": "string"}],
        "minItems": 2,
        "maxItems": 2,
    }


@pytest.mark.promise("parameters.scope")
def test_a_quoted_hint_is_resolved():
    def silly_test(
        a: "int",  # quoted type hint
    ) -> int:
        "Mandatory docstring"
        return a

    tool = Tool(silly_test)
    assert tool.input_schema == arguments(
        {"a": {"type": "integer", "description": "quoted type hint"}}, "a"
    )
    # The document adds the type of the result to the description.
    assert tool.description == "Mandatory docstring"
    assert tool.output_schema == {"type": "integer"}


def test_a_return_type_is_not_said_in_words():
    def _ret_list_test(a: int) -> list[str]:
        "Mandatory docstring"

    # The document says `array[string]` in the description; we have an output schema for that.
    tool = Tool(_ret_list_test)
    assert tool.description == "Mandatory docstring"
    assert tool.output_schema == {"type": "array", "items": {"type": "string"}}


# -- methods and objects


class ClassA:
    "I am a class"

    def f(self, a: int):  # That is `a`
        "Do a thing"
        return 1

    def __call__(self, b: str):  # That is `b`
        "Do another thing"
        return 2


ca = ClassA()
CA_F = arguments({"a": {"type": "integer", "description": "That is `a`"}}, "a")


@pytest.mark.promise("target.methods")
def test_a_bound_method_is_a_tool():
    tool = Tool(ca.f)
    assert (tool.name, tool.description) == ("f", "Do a thing")
    assert tool.input_schema == CA_F


@pytest.mark.promise("target.callables")
def test_a_callable_object_is_a_tool_named_after_its_class():
    # The document names it `__call__`, which says nothing.
    tool = Tool(ca)
    assert (tool.name, tool.description) == ("ClassA", "Do another thing")
    assert tool.input_schema == arguments(
        {"b": {"type": "string", "description": "That is `b`"}}, "b"
    )


def test_a_dotted_name_is_kept():
    tool = Tool(ca.f, name="ca.f")
    assert (tool.name, tool.description) == ("ca.f", "Do a thing")
    assert tool.input_schema == CA_F
    # Many clients take no dots, so the portable style lists the name with an underscore.
    assert tool.to_mcp()["name"] == "ca_f"
    assert tool.replace(style="full").to_mcp()["name"] == "ca.f"


def test_a_namespace_gives_its_tools_under_its_own_names():
    box = Toolbox("namespace")
    box.include({"ca.f": ca.f, "silly_sum": silly_sum})
    assert list(box) == ["ca.f", "silly_sum"]
    assert box["ca.f"].input_schema == box["ca_f"].input_schema == CA_F


class Dummy:
    def sums(
        self,
        a: int,  # First thing to sum
        b: int = 1,  # Second thing to sum
    ):  # The sum of the inputs
        "Adds a + b."
        print(f"Finding the sum of {a} and {b}")
        return a + b


@pytest.mark.promise("target.unbound")
@pytest.mark.parametrize("target", [Dummy.sums, Dummy().sums], ids=["unbound", "bound"])
def test_a_method_has_a_schema_without_its_instance(target):
    tool = Tool(target)
    assert tool.name == "sums"
    assert tool.input_schema == arguments(
        {
            "a": {"type": "integer", "description": "First thing to sum"},
            "b": {"type": "integer", "default": 1, "description": "Second thing to sum"},
        },
        "a",
    )
    # The document drops the comment on the result where that has no type.
    assert tool.description == "Adds a + b.\n\nReturns: The sum of the inputs"
    assert tool.output_schema is None


@pytest.mark.promise("target.unbound")
def test_an_unbound_method_is_refused_by_a_toolbox():
    box = Toolbox("dummy")
    with pytest.raises(SchemaError, match="instance") as caught:
        box.add(Dummy.sums)
    assert caught.value.tool == "sums"
    assert list(box) == []
    assert box.add(Dummy().sums).name == "sums"


def test_an_async_method_is_a_tool():
    class B:
        async def g(self, x: int):
            return x * 2

    tool = Tool(B().g)
    assert tool.name == "g"
    assert tool.input_schema == arguments({"x": {"type": "integer"}}, "x")
