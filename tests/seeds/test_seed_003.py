"""Seed document 003, toolslm: every schema example in it.

Differences that hold for all of them: arguments are closed (`additionalProperties: false`); a
parameter nobody described has no description, not an empty one; `= None` means optional, with no
`default: null`; classes have no `title` and are written where they are used, not under `$defs`; a
fixed tuple has one schema for its items and says its positions in words, without `prefixItems`; a
set has no `uniqueItems`.
"""

import ast
import inspect
from pathlib import Path
from typing import Annotated, Any, Callable, Dict, List, Optional, Union

import pytest
from pydantic import Field

from toolwright import Hidden, SchemaError, Tool, Toolbox

JSON_TYPES = ["string", "number", "boolean", "object", "array", "null"]
ANY = {
    "anyOf": [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "object"},
        {"type": "array", "items": {"type": JSON_TYPES}},
        {"type": "null"},
    ]
}


def arguments(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    """The root of an input schema."""
    root = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**root, "required": list(required)} if required else root


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
    signature = Tool(silly_sum).signature
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
            # The document calls both arms of the union an object; a callable is none.
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
    assert tool.problems == ("`f`: a part of its type cannot be sent as JSON",)
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


# -- classes


class Turn:
    "Turn between two speakers"

    def __init__(
        self,
        speaker_a: str,  # First speaker's message
        speaker_b: str,  # Second speaker's message
    ):
        self.speaker_a, self.speaker_b = speaker_a, speaker_b


class Conversation:
    "A conversation between two speakers"

    def __init__(
        self,
        turns: list[Turn],  # Turns of the conversation
    ):
        self.turns = turns


class DictConversation:
    "A conversation between two speakers"

    def __init__(
        self,
        turns: dict[str, object],  # dictionary of topics and the Turns of the conversation
    ):
        self.turns = turns


class SetConversation:
    "A conversation between two speakers"

    def __init__(
        self,
        turns: set[Turn],  # the unique Turns of the conversation
    ):
        self.turns = turns


TURN = {
    # The document loses what the nested class says of itself.
    "description": "Turn between two speakers",
    **arguments(
        {
            "speaker_a": {"type": "string", "description": "First speaker's message"},
            "speaker_b": {"type": "string", "description": "Second speaker's message"},
        },
        "speaker_a",
        "speaker_b",
    ),
}


@pytest.mark.promise("target.plain-classes", "parameters.constructed-classes")
@pytest.mark.parametrize(
    ("target", "turns"),
    [
        (
            Conversation,
            {"type": "array", "items": TURN, "description": "Turns of the conversation"},
        ),
        (
            DictConversation,
            {
                "type": "object",
                # In the document only objects; see `object` above.
                "additionalProperties": True,
                "description": "dictionary of topics and the Turns of the conversation",
            },
        ),
        (
            SetConversation,
            {
                "type": "array",
                "items": TURN,
                "description": "the unique Turns of the conversation",
            },
        ),
    ],
)
def test_a_class_is_described_by_its_constructor(target, turns):
    tool = Tool(target)
    assert tool.name == target.__name__
    assert tool.description == "A conversation between two speakers"
    assert tool.input_schema == arguments({"turns": turns}, "turns")


@pytest.mark.parametrize(
    ("target", "turns"),
    [
        (Conversation, {"description": "Turns of the conversation"}),
        (
            SetConversation,
            {"uniqueItems": True, "description": "the unique Turns of the conversation"},
        ),
    ],
)
def test_the_full_style_refers_to_a_nested_class(target, turns):
    items = {"type": "array", "items": {"$ref": "#/$defs/Turn"}}
    assert Tool(target, style="full").input_schema == {
        **arguments({"turns": {**items, **turns}}, "turns"),
        "$defs": {"Turn": TURN},
    }


# -- unions


IntPair = tuple[int, int]
INT_PAIR = {
    "type": "array",
    "items": {"type": "integer"},
    "minItems": 2,
    "maxItems": 2,
    "description": "Positions: integer, integer",
}
FULL_INT_PAIR = {
    "type": "array",
    "prefixItems": [{"type": "integer"}, {"type": "integer"}],
    "minItems": 2,
    "maxItems": 2,
}


def _union_test(opt_tup: Union[IntPair, str, int] = None):
    "Mandatory docstring"
    return ""


def _new_union_test(opt_tup: IntPair | str | int = None):
    "Mandatory docstring"


@pytest.mark.parametrize("target", [_union_test, _new_union_test])
def test_a_union_is_an_any_of_in_either_syntax(target):
    arms = [{"type": "string"}, {"type": "integer"}]
    tool = Tool(target)
    assert tool.description == "Mandatory docstring"
    assert tool.input_schema == arguments({"opt_tup": {"anyOf": [INT_PAIR, *arms]}})
    # None is the default, so null is a value too; the document has the default but not the arm.
    full = {"anyOf": [FULL_INT_PAIR, *arms, {"type": "null"}], "default": None}
    assert tool.replace(style="full").input_schema == arguments({"opt_tup": full})


def _optional_test(opt_tup: Optional[IntPair] = None):
    "Mandatory docstring"


def _param_union_test(items: list[str] | None = None):
    "Test parameterized container in union"


@pytest.mark.parametrize(
    ("target", "name", "portable", "full"),
    [
        (_optional_test, "opt_tup", INT_PAIR, FULL_INT_PAIR),
        (_param_union_test, "items", *[{"type": "array", "items": {"type": "string"}}] * 2),
    ],
)
def test_an_optional_has_a_null_arm_in_the_full_style_only(target, name, portable, full):
    tool = Tool(target)
    assert tool.input_schema == arguments({name: portable})
    nullable = {"anyOf": [full, {"type": "null"}], "default": None}
    assert tool.replace(style="full").input_schema == arguments({name: nullable})


Cmd = str | list[str]


def test_an_alias_of_a_union_is_that_union():
    def _cust_type(a: Cmd):
        "Mandatory docstring"

    union = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    assert Tool(_cust_type).input_schema == arguments({"a": union}, "a")


# -- containers


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (List[int], {"type": "array", "items": {"type": "integer"}}),
        (List, {"type": "array", "items": {"type": JSON_TYPES}}),
        (Dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Dict, {"type": "object", "additionalProperties": True}),
    ],
    ids=str,
)
def test_a_container_may_name_its_items_or_not(hint, schema):
    def take(l: hint):
        "Mandatory docstring"

    assert Tool(take).input_schema == arguments({"l": schema}, "l")


# -- paths


def _path_test(path: Path = Path(".")):
    "Mandatory docstring"


@pytest.mark.promise("parameters.defaults")
@pytest.mark.parametrize("style", ["portable", "full"])
def test_a_default_is_always_json(style):
    # The document needs `evalable=True` for that, and names the format after the class.
    schema = Tool(_path_test, style=style).input_schema
    assert schema == arguments({"path": {"type": "string", "format": "path", "default": "."}})
    assert ast.literal_eval(str(schema)) == schema


def test_a_required_path_is_a_string():
    def path_test(
        a: Path,  # a type hint
        b: Path,  # b type hint
    ):
        "Mandatory docstring"
        return a / b

    path = {"type": "string", "format": "path"}
    assert Tool(path_test).input_schema == arguments(
        {"a": {**path, "description": "a type hint"}, "b": {**path, "description": "b type hint"}},
        "a",
        "b",
    )


# -- hidden parameters


def test_a_parameter_with_an_underscore_is_shown():
    def test_hidden(a: int, _internal: str = "x"):
        "Test func"

    assert Tool(test_hidden).input_schema == arguments(
        {"a": {"type": "integer"}, "_internal": {"type": "string", "default": "x"}}, "a"
    )


@pytest.mark.promise("parameters.hidden")
def test_a_hidden_parameter_is_not_shown():
    # In the document a switch hides all names with an underscore; here each says so itself.
    def test_hidden(a: int, _internal: Annotated[str, Hidden()] = "x"):
        "Test func"

    assert Tool(test_hidden).input_schema == arguments({"a": {"type": "integer"}}, "a")


# -- the code tool


def test_the_schema_of_the_code_tool():
    def python(
        code: str,  # Code to execute
        glb: Optional[dict] = None,  # Globals namespace
        loc: Optional[dict] = None,  # Locals namespace
        timeout: int = 3600,  # Maximum run time in seconds
    ):
        "Executes python `code` with `timeout` and returning final expression (similar to IPython)."

    tool = Tool(python)
    assert tool.name == "python"
    assert tool.description == (
        "Executes python `code` with `timeout` and returning final expression (similar to IPython)."
    )
    mapping = {"type": "object", "additionalProperties": True}
    assert tool.input_schema == arguments(
        {
            "code": {"type": "string", "description": "Code to execute"},
            "glb": {**mapping, "description": "Globals namespace"},
            "loc": {**mapping, "description": "Locals namespace"},
            "timeout": {
                "type": "integer",
                "default": 3600,
                "description": "Maximum run time in seconds",
            },
        },
        "code",
    )


# -- untyped functions


def sums(a, b):
    return a + b


async def asums(a, b):
    return a + b


@pytest.mark.promise("parameters.on-unsupported")
@pytest.mark.parametrize("target", [sums, asums])
def test_an_untyped_function_is_a_tool_only_if_allowed(target):
    # The document calls such functions without a schema; they take part only on demand.
    with pytest.raises(SchemaError, match="has no type hint"):
        Tool(target)
    tool = Tool(target, on_unsupported="permissive")
    assert tool.input_schema == arguments({"a": ANY, "b": ANY}, "a", "b")


# -- signatures the document makes of schemas, read back: each gives the schema it was made of


def test_a_signature_made_of_a_schema_gives_that_schema():
    def searchGitHub(
        query: Annotated[str, "The litera…"],
        *,
        language: Annotated[list[str], "Filter by …"] = None,
        matchCase: Annotated[bool, "Whether th…"] = False,
        path: Annotated[str, "Filter by …"] = None,
        useRegexp: Annotated[bool, "Whether to…"] = False,
    ):
        "Find real-…"

    tool = Tool(searchGitHub)
    assert (tool.name, tool.description) == ("searchGitHub", "Find real-…")
    # The document's own schema also has `$schema`, which the portable style does not write.
    assert tool.input_schema == {
        "additionalProperties": False,
        "properties": {
            "language": {
                "description": "Filter by …",
                "items": {"type": "string"},
                "type": "array",
            },
            "matchCase": {"default": False, "description": "Whether th…", "type": "boolean"},
            "path": {"description": "Filter by …", "type": "string"},
            "query": {"description": "The litera…", "type": "string"},
            "useRegexp": {"default": False, "description": "Whether to…", "type": "boolean"},
        },
        "required": ["query"],
        "type": "object",
    }


def test_a_schema_can_be_given_as_it_is():
    given = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"query": {"type": "string", "description": "The litera…"}},
        "required": ["query"],
        "additionalProperties": False,
    }

    def dispatch(**kwargs): ...

    assert Tool(dispatch, name="searchGitHub", input_schema=given).input_schema == given


@pytest.mark.promise("parameters.aliases")
def test_a_name_that_python_cannot_have_is_an_alias():
    def run(cmd: str, *, approval_policy: Annotated[str, Field(alias="approval-policy")] = "never"):
        "Run command"

    assert Tool(run).input_schema == arguments(
        {"cmd": {"type": "string"}, "approval-policy": {"type": "string", "default": "never"}},
        "cmd",
    )


@pytest.mark.promise("parameters.aliases")
def test_a_required_alias_keeps_its_place():
    def run(approval_policy: Annotated[str, Field(alias="approval-policy")], cmd: str):
        "Run command"

    schema = Tool(run).input_schema
    text = {"type": "string"}
    assert schema == arguments({"approval-policy": text, "cmd": text}, "approval-policy", "cmd")
    assert list(schema["properties"]) == ["approval-policy", "cmd"]


@pytest.mark.promise("errors.refused-when-compiled")
def test_two_parameters_under_one_name_are_refused():
    def run(
        first: Annotated[str, Field(alias="approval-policy")],
        second: Annotated[str, Field(alias="approval-policy")],
    ):
        "Run command"

    with pytest.raises(SchemaError, match="approval-policy"):
        Tool(run).compile()


@pytest.mark.promise("errors.refused-when-compiled")
def test_an_alias_that_is_the_name_of_another_parameter_is_refused():
    def run(approval: Annotated[str, Field(alias="policy")], policy: str):
        "Run command"

    with pytest.raises(SchemaError, match="policy"):
        Tool(run).compile()
