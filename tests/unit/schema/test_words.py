"""What a format is, is said in words beside what the author says, and once."""

import datetime as d
from typing import Annotated, Optional

import pytest
from pydantic import BaseModel, Field

from toolwright import Tool

WORDS = [
    (d.datetime, "ISO 8601 date and time"),
    (d.time, "ISO 8601 time of day"),
    (d.timedelta, "ISO 8601 duration"),
    (tuple[int, str], "positions: integer, string"),
    (dict[int, str], "keys are integers"),
]


def said_by(node, words):
    assert node["description"] == f"When ({words})"


@pytest.mark.parametrize(("hint", "words"), WORDS)
def test_a_field_with_a_description_keeps_the_words(hint, words):
    class Model(BaseModel):
        needed: Annotated[hint, Field(description="When")]
        maybe: Optional[hint] = Field(None, description="When")

    def f(
        needed: Annotated[hint, Field(description="When")],
        model: Model,
        maybe: Annotated[Optional[hint], Field(description="When")] = None,
    ) -> None: ...

    properties = Tool(f).input_schema["properties"]
    for each in (properties, properties["model"]["properties"]):
        said_by(each["needed"], words)
        said_by(each["maybe"], words)


@pytest.mark.parametrize(("hint", "words"), WORDS)
def test_a_docstring_keeps_the_words(hint, words):
    def f(needed: hint, maybe: Optional[hint] = None) -> None:
        """Do it.

        Args:
            needed: When
            maybe: When
        """

    properties = Tool(f).input_schema["properties"]
    said_by(properties["needed"], words)
    said_by(properties["maybe"], words)


@pytest.mark.parametrize(("hint", "words"), WORDS)
def test_items_keep_the_words(hint, words):
    def f(many: Annotated[list[hint] | None, Field(description="When")] = None) -> None: ...

    node = Tool(f).input_schema["properties"]["many"]
    assert node["description"] == "When"
    assert node["items"]["description"].casefold() == words.casefold()


def test_words_that_the_author_said_are_not_repeated():
    text = "When, as ISO 8601 date and time"

    def f(
        needed: Annotated[d.datetime, Field(description=text)],
        maybe: Annotated[d.datetime | None, Field(description=text)] = None,
    ) -> None: ...

    properties = Tool(f).input_schema["properties"]
    assert [node["description"] for node in properties.values()] == [text, text]
