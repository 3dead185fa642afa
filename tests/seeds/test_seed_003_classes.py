"""Seed document 003, toolslm: its examples of classes, unions, paths and given schemas.

The differences that `test_seed_003.py` names hold here, too.
"""

import ast
import functools
import json
from pathlib import Path
from typing import Annotated, Dict, List, Optional, Union

import pytest
from pydantic import Field

from tests.seeds.seed_003_schemas import ANY, JSON_TYPES, arguments
from toolwright import Hidden, SchemaError, Tool

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


# -- what a class gives


def store_attr(instance, **attributes):
    vars(instance).update(attributes, __stored_args__=attributes)


class Spoken:
    def __init__(self, speaker: str, words: str) -> None:
        self.speaker, self.words = speaker, words
        self._heard = False


class Dialogue:
    def __init__(self, turns: list[Spoken], named: dict[str, Spoken] | None = None) -> None:
        store_attr(self, turns=turns, named=named, count=len(turns))


class Slotted:
    __slots__ = ("_own", "first")

    def __init__(self, first: Spoken) -> None:
        self.first, self._own = first, object()

    def __str__(self) -> str:
        return "a text"


SAID = {"speaker": "a", "words": "b"}


@pytest.mark.promise("targets.class-attributes")
@pytest.mark.parametrize(
    ("target", "sent", "given"),
    [
        (Spoken, SAID, SAID),
        (functools.partial(Spoken, words="c"), {"speaker": "a"}, {"speaker": "a", "words": "c"}),
        (Dialogue, {"turns": [SAID]}, {"turns": [SAID], "named": None, "count": 1}),
        (
            Dialogue,
            {"turns": [], "named": {"x": SAID}},
            {"turns": [], "named": {"x": SAID}, "count": 0},
        ),
        (Slotted, {"first": SAID}, {"first": SAID}),
    ],
)
def test_a_class_gives_its_attributes_and_in_python_the_object(target, sent, given):
    result = Tool(target).call(sent)
    assert json.loads(result.content[0]["text"]) == given
    assert type(result.value).__name__ == Tool(target).name


def test_only_a_class_gives_its_attributes():
    def make() -> Dialogue:
        return Dialogue([])

    assert "is of the type Dialogue" in Tool(make).call({}).text
