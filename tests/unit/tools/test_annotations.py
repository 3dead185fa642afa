"""Hints in one dict `annotations`, as the protocol or as the options name them."""

import pytest
from mcp_types import ToolAnnotations

from toolwright import SchemaError, Tool, Toolbox, tool


def target(a: int) -> int:
    """Do it."""
    return a


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (
            {"readOnlyHint": True, "openWorldHint": False},
            {"readOnlyHint": True, "openWorldHint": False},
        ),
        (
            {"destructive": True, "idempotent": False},
            {"destructiveHint": True, "idempotentHint": False},
        ),
        ({"readOnlyHint": None}, {}),
        ({}, {}),
        (None, {}),
    ],
    ids=["protocol", "own", "none", "empty", "absent"],
)
def test_the_hints_are_published(given, wanted):
    assert Tool(target, annotations=given).annotations == wanted


@pytest.mark.promise("options.sdk-annotations")
def test_the_annotations_of_the_sdk_are_taken():
    hints = ToolAnnotations(title="Do", read_only_hint=True)
    made = Tool(target, annotations=hints)
    assert (made.annotations, made.title) == ({"readOnlyHint": True}, "Do")


@pytest.mark.promise("options.annotations")
def test_single_options_win():
    made = Tool(
        target, annotations={"readOnlyHint": True, "title": "One"}, read_only=False, title="Two"
    )
    assert (made.annotations, made.title) == ({"readOnlyHint": False}, "Two")
    assert Tool(target, annotations={"read_only": True}, read_only=None).annotations == {
        "readOnlyHint": True
    }


def test_the_title_is_a_title_for_every_client():
    made = Tool(target, annotations={"title": "Do it", "readOnlyHint": True})
    assert made.to_mcp()["title"] == "Do it"
    assert made.to_mcp()["annotations"] == {"readOnlyHint": True}
    assert made.to_mcp("2025-03-26")["annotations"] == {"title": "Do it", "readOnlyHint": True}


def test_what_is_given_later_counts_more():
    @tool(read_only=True, destructive=False)
    def marked(a: int) -> int:
        return a

    later = Tool(marked, annotations={"readOnlyHint": False})
    assert later.annotations == {"readOnlyHint": False, "destructiveHint": False}
    assert later.replace(annotations={"destructiveHint": True}).annotations == {
        "readOnlyHint": False,
        "destructiveHint": True,
    }
    assert later.replace(read_only=True).annotations["readOnlyHint"] is True

    @tool(annotations={"readOnlyHint": True})
    def hinted(a: int) -> int:
        return a

    assert Tool(hinted, read_only=False).annotations == {"readOnlyHint": False}


@pytest.mark.promise("options.structured-output")
@pytest.mark.parametrize("given", [True, False, None])
def test_structured_output_is_refused_with_what_to_write(given):
    with pytest.raises(
        SchemaError, match='`structured_output`; say what is sent with emit: "both"'
    ):
        Tool(target, structured_output=given)
    with pytest.raises(TypeError, match='"text" is structured_output=False'):
        tool(structured_output=given)(target)


def test_every_way_of_adding_takes_them():
    box = Toolbox("box")
    box.tool(name="one", annotations={"readOnlyHint": True})(target)
    box.add(target, name="two", annotations={"readOnlyHint": True})
    box.include({"three": target}, annotations={"readOnlyHint": True})
    box.add(Tool(target), name="four", annotations={"readOnlyHint": True})
    assert [each["annotations"] for each in box.to_mcp()["tools"]] == [{"readOnlyHint": True}] * 4


def test_they_are_checked_together_with_other_options():
    with pytest.raises(SchemaError, match="cache would skip calls"):
        Tool(target, annotations={"destructiveHint": True}, cache=5)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"readonlyHint": True}, "unknown annotation `readonlyHint`; did you mean `readOnlyHint`?"),
        ({"openWorld": True}, "unknown annotation `openWorld`; did you mean `open_world`?"),
        ({"tags": []}, "unknown annotation `tags`; the annotations are title, readOnlyHint, "),
        ({1: True}, "unknown annotation `1`; the annotations are title"),
        ({"readOnlyHint": "yes"}, "the annotation `readOnlyHint` must be True or False; got 'yes'"),
        ({"title": 3}, "the annotation `title` must be text; got 3"),
        (["readOnlyHint"], "annotations takes a dict of hints; got list"),
    ],
    ids=["nearest", "shortened", "far", "number", "text", "title", "list"],
)
def test_what_is_not_a_hint_is_refused_by_name(given, told):
    with pytest.raises(SchemaError) as caught:
        Tool(target, annotations=given)
    assert told in str(caught.value)
    with pytest.raises(TypeError) as early:
        tool(annotations=given)(target)
    assert told in str(early.value)
