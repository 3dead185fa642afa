"""Refusals name the tool, the place and what is wrong, in one notation."""

import pytest

from toolwright import SchemaError, Tool, Toolbox


def test_what_cannot_be_called_is_named_by_its_key():
    with pytest.raises(SchemaError) as caught:
        Tool({"a": 1}, name="settings")
    assert caught.value.message == "settings is a dict, which cannot be called"
    with pytest.raises(SchemaError, match="settings is a dict"):
        Toolbox("box").include({"settings": {"a": 1}})


def test_places_in_results_are_written_as_places_in_arguments():
    def give() -> list[dict[str, int]]:
        return [{"a": 1}, {"a": "x"}]

    assert "`result[1].a` is not of its declared type" in Tool(give).call({}).text

    def explicit() -> list:
        return [1, "x"]

    schema = {"type": "array", "items": {"type": "integer"}}
    assert "`result[1]` does not meet" in Tool(explicit, output_schema=schema).call({}).text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (5, "got a value of type `int`"),
        (None, "got a value of type `NoneType`"),
        ("name", "got a value of type `str`"),
        (len, "got one tool: write it inside a list"),
        (Tool(lambda: 1, name="one"), "got one tool: write it inside a list"),
    ],
    ids=["number", "none", "text", "function", "tool"],
)
def test_a_toolbox_says_what_it_is_made_of(given, said):
    with pytest.raises(TypeError) as refused:
        Toolbox("g", given)
    assert str(refused.value) == (
        f'Toolbox("g", tools) takes a list of tools, or a mapping of names to tools; {said}'
    )
