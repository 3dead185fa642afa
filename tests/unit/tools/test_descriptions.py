"""`descriptions`: texts of parameters that stand outside of the code."""

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from toolwright import Flatten, Hidden, SchemaError, Tool, Toolbox


class Model(BaseModel):
    x: int = 1


def described(
    a: Annotated[int, Field(ge=1, description="In a field.")],
    b: Model,
    c: Annotated[str, "In the hint."] = "x",
    *,
    d: list[Model] | None = None,
    e: Literal["p", "q"] = "p",  # In a comment
    hidden: Annotated[int, Hidden()] = 3,
) -> None:
    """Do it.

    Args:
        b: In the docstring.
    """


class Holder:
    def method(self, a: int) -> int:
        return a


@dataclass
class Point:
    x: int
    y: int = 0


def texts(tool):
    return {name: node.get("description") for name, node in tool.input_schema["properties"].items()}


@pytest.mark.promise("documentation.descriptions")
def test_they_count_more_than_every_other_text_and_change_nothing_else():
    plain = Tool(described)
    given = {name: f"Text of {name}." for name in "abcde"}
    tool = Tool(described, descriptions=given)
    assert texts(tool) == given
    assert list(tool.input_schema) == list(plain.input_schema)
    for name in given:
        one, other = (dict(each.input_schema["properties"][name]) for each in (plain, tool))
        one.pop("description", None)
        other.pop("description")
        assert one == other
    sent = {"a": 1, "b": {"x": 2}, "e": "q"}
    assert tool.bind(sent) == plain.bind(sent)
    with pytest.raises(ValueError, match="at least 1"):
        tool.bind({**sent, "a": 0})


@pytest.mark.parametrize("style", ["portable", "full"])
def test_in_every_style_for_methods_classes_and_included_tools(style):
    method = Tool(Holder().method, style=style, descriptions={"a": "Text."})
    assert texts(method) == {"a": "Text."}
    assert method.call({"a": 3}).value == 3
    assert texts(Tool(Point, style=style, descriptions={"y": "Text."})) == {"x": None, "y": "Text."}
    box = Toolbox("b", [Tool(Holder().method)])
    box.include(Toolbox("c", [method.replace(name="other")]), prefix="c.")
    assert texts(box["c.other"]) == {"a": "Text."}
    assert texts(box["method"]) == {"a": None}


def test_only_some_of_them_leave_the_others():
    tool = Tool(described, descriptions={"a": "New."})
    assert texts(tool) == {
        "a": "New.",
        "b": "In the docstring.",
        "c": "In the hint.",
        "d": None,
        "e": "In a comment",
    }


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"aa": "x"},
            "described has `descriptions` of `aa`, which it does not take - did you mean `a`?",
        ),
        ({"a": 3}, "described.a has `descriptions` that are not text"),
    ],
    ids=["unknown", "number"],
)
def test_what_does_not_fit_refuses_the_tool(given, said):
    with pytest.raises(SchemaError) as caught:
        Tool(described, descriptions=given).compile()
    assert said in str(caught.value)


def test_flattened_fields_and_aliases_go_by_their_published_names():
    def flat(
        model: Annotated[Model, Flatten()], for_: Annotated[int, Field(alias="for")] = 1
    ) -> None:
        """Do it."""

    tool = Tool(flat, descriptions={"x": "Text of x.", "for": "Text of for."})
    assert texts(tool) == {"x": "Text of x.", "for": "Text of for."}
    own = {"type": "object", "properties": {"q": {"type": "string"}}}
    tool = Tool(lambda **given: 1, name="own", input_schema=own, descriptions={"q": "Text of q."})
    assert texts(tool) == {"q": "Text of q."}
    assert own["properties"]["q"] == {"type": "string"}


def test_they_are_options_of_one_tool():
    with pytest.raises(TypeError, match="`descriptions` is an option of one tool"):
        Toolbox("b", defaults={"descriptions": {"a": "x"}})
