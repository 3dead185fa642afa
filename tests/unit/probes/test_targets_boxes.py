"""Many targets in one box: names, documentation, lists."""

from typing import Annotated

import pytest
from pydantic import Field

from tests.unit.probes.case import INT, covers, obj
from tests.unit.probes.compiled import properties
from tests.unit.probes.targets import blue, red
from toolwright import DefinitionError, SchemaError, Tool, Toolbox, ToolNotFound, tool

SHARED = Annotated[int, Field(ge=0)]


@pytest.mark.promise("documentation.no-leaks")
@covers("platools-04")
def test_a_docstring_never_reaches_another_tool_through_a_shared_alias():
    def f(x: SHARED):
        """F.

        Args:
            x: The text of f.
        """

    def g(x: SHARED):
        """G.

        Args:
            x: The text of g.
        """

    def h(x: SHARED):
        """H."""

    box = Toolbox("shared")
    for target in (f, g, h):
        box.add(target)
    texts = {t["name"]: t["inputSchema"]["properties"]["x"] for t in box.to_mcp()["tools"]}

    assert texts == {
        "f": {"type": "integer", "minimum": 0, "description": "The text of f."},
        "g": {"type": "integer", "minimum": 0, "description": "The text of g."},
        "h": {"type": "integer", "minimum": 0},
    }


@covers("platools-35")
def test_models_of_the_same_name_are_told_apart_and_named_simply():
    def both(a: red.Item, b: blue.Item, c: red.Node, d: blue.Node): ...

    schema = Tool(both).input_schema

    assert schema["properties"]["a"] == obj({"red": INT}, ["red"], description="A red item.")
    assert schema["properties"]["b"] == obj({"blue": INT}, ["blue"], description="A blue item.")
    assert schema["properties"]["c"] == {"$ref": "#/$defs/Node"}
    assert schema["properties"]["d"] == {"$ref": "#/$defs/Node_2"}
    assert set(schema["$defs"]["Node"]["properties"]) == {"red", "next"}
    assert set(schema["$defs"]["Node_2"]["properties"]) == {"blue", "next"}
    assert schema["$defs"]["Node_2"]["properties"]["next"] == {"$ref": "#/$defs/Node_2"}


@covers("platools-38")
def test_a_name_that_is_taken_is_refused():
    box = Toolbox("names")
    box.add(red.use)

    with pytest.raises(SchemaError, match=r"use is already in the toolbox"):
        box.add(blue.use)
    assert box["use"].target is red.use


@covers("platools-38")
def test_names_that_are_published_alike_are_refused():
    box = Toolbox("names")
    box.add(red.use, name="a.b")

    with pytest.raises(SchemaError, match="collides"):
        box.add(blue.use, name="a_b")


@pytest.mark.promise("target.names")
@covers("platools-38")
@pytest.mark.parametrize("name", ["a b c!!", "é", "x" * 129, "a/b", ""])
def test_an_impossible_name_is_refused(name):
    if not name:
        assert Tool(red.use, name=name).name == "use"
        return
    with pytest.raises(SchemaError, match="invalid name"):
        Tool(red.use, name=name)


@covers("platools-38")
def test_a_bad_option_is_refused_by_name():
    with pytest.raises(SchemaError, match="unknown option `auth`"):
        Tool(red.use, auth="root")
    with pytest.raises(SchemaError, match="extra must be one of"):
        Tool(red.use, extra="maybe")
    with pytest.raises(TypeError, match="unknown option `auth`"):
        tool(auth="root")(red.use)


@covers("D38")
@pytest.mark.parametrize("name", ["serve", "tools", "add", "tool", "to_mcp", "name", "items"])
def test_a_tool_named_like_a_method_of_the_box_is_just_a_tool(name):
    box = Toolbox("names")
    box.add(red.use, name=name)

    assert [listed["name"] for listed in box.to_mcp()["tools"]] == [name]
    assert box[name].name == name
    box.add(blue.use, name="other")
    assert len(box) == 2


@covers("T41")
@pytest.mark.parametrize(
    "name", ["use.__globals__.popitem", "use.__globals__", "__class__", "use.name", "us"]
)
def test_only_the_names_of_tools_lead_to_tools(name):
    box = Toolbox("names")
    box.add(red.use)

    with pytest.raises(ToolNotFound):
        box[name]


@covers("omni-18")
def test_a_list_keeps_every_word_of_every_tool():
    text = "Say it all. " * 50

    def f(title: str, description: str = "d", default: int = 3) -> int: ...

    f.__doc__ = f"{text}\n\nArgs:\n    title: The title.\n    default: The default.\n"
    box = Toolbox("words")
    box.add(f, title="F", read_only=True)

    assert box.to_mcp()["tools"] == [
        {
            "name": "f",
            "title": "F",
            "description": text.strip(),
            "inputSchema": {
                "type": "object",
                "properties": {
                    "title": {"type": "string", "description": "The title."},
                    "description": {"type": "string", "default": "d"},
                    "default": {"type": "integer", "default": 3, "description": "The default."},
                },
                "required": ["title"],
                "additionalProperties": False,
            },
            "outputSchema": INT,
            "annotations": {"readOnlyHint": True},
        }
    ]


@covers("omni-18")
def test_a_list_is_as_long_as_the_box():
    box = Toolbox("many")
    for number in range(250):
        box.add(red.use, name=f"tool_{number:03}")

    assert [t["name"] for t in box.to_mcp()["tools"]] == [f"tool_{n:03}" for n in range(250)]


@covers("omni-13", "D22", "D23", "platools-19")
def test_one_bad_tool_takes_nothing_else_down():
    class Engine: ...

    def bad(x: int, engine: Engine): ...

    def good(x: int) -> int: ...

    def odd(x: int) -> Engine: ...

    box = Toolbox("mixed")
    for target in (good, bad, odd):
        box.add(target)

    assert [listed["name"] for listed in box.to_mcp()["tools"]] == ["good", "odd"]
    fatal = [problem for problem in box.problems if problem.fatal]
    assert [problem.tool for problem in fatal] == ["bad"]
    assert "bad.engine" in str(fatal[0])
    with pytest.raises(DefinitionError, match=r"bad\.engine"):
        box.compile()


@covers("omni-08", "P37")
def test_text_in_a_list_of_the_docstring_is_never_lost():
    def dashes(query: str, limit: int = 5):
        """Search.

        Args:
            - query: str - What to look for - exactly
            - limit: int - Most hits
        """

    def bullets(x: int, y: int):
        """Do it.

        - x: Which one.
        - `y`: The other one.
        """

    for target, texts in (
        (dashes, ["What to look for - exactly", "Most hits"]),
        (bullets, ["Which one.", "The other one."]),
    ):
        listed = str(Tool(target).to_mcp())
        assert all(text in listed for text in texts)
