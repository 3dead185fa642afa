"""Where descriptions come from, which of them counts, and that no word is lost."""

import re
import sys
from dataclasses import dataclass
from typing import Annotated, NamedTuple, TypedDict

import pytest
import typing_extensions
from annotated_doc import Doc
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from toolwright import Hidden, Tool
from toolwright.read.documentation import parse
from toolwright.read.docstring_parts import Section


def texts(target, **options):
    properties = Tool(target, **options).input_schema["properties"]
    return {name: schema.get("description") for name, schema in properties.items()}


# -- docstrings


GOOGLE = """Add.

Args:
    a: First
        number.
    b (int, optional): Second number.

Raises:
    ValueError: Never.
"""
NUMPY = """Add.

Parameters
----------
a : int
    First
    number.
b : int, optional
    Second number.

Raises
------
ValueError
    Never.
"""
SPHINX = """Add.

:param a: First
    number.
:param int b: Second number.
:type a: int
:raises ValueError: Never.
"""
EPYDOC = """Add.

@param a: First
    number.
@type a: int
@param b: Second number.
@raise ValueError: Never.
"""


@pytest.mark.promise("documentation.styles", "documentation.nothing-else-moves")
@pytest.mark.parametrize(
    ("doc", "rest"),
    [
        (GOOGLE, "Add.\n\nRaises:\n    ValueError: Never."),
        (NUMPY, "Add.\n\nRaises\n------\nValueError\n    Never."),
        (SPHINX, "Add.\n\n:raises ValueError: Never."),
        (EPYDOC, "Add.\n\n@raise ValueError: Never."),
    ],
    ids=["google", "numpy", "sphinx", "epydoc"],
)
def test_only_the_parameters_move_out_of_each_style(doc, rest):
    def add(a: int, b: int = 1) -> int: ...

    add.__doc__ = doc
    assert texts(add) == {"a": "First number.", "b": "Second number."}
    assert Tool(add).description == rest


@pytest.mark.promise("documentation.styles")
def test_styles_may_be_mixed():
    def add(a: int, b: int) -> int:
        """Add.

        Args:
            a: First.

        :param b: Second.
        """

    assert texts(add) == {"a": "First.", "b": "Second."}
    assert Tool(add).description == "Add."


LINES = st.sampled_from(
    [
        *("", "Words.", "Args:", "Parameters", "----------", "Returns:", "Notes", "-----"),
        *("    a: one", "    b (int): two", "        more", "a : int", "    text", ":param a: one"),
        *(":type a: int", "@param b: two", "- item", ">>> code", ":", "@", "x -- y", "Args", "\t"),
        *("    *args: rest", ":returns: it", "    key: value", "ä: ö", "::", "Attributes:"),
    ]
)
TEXTS = st.lists(LINES, max_size=14).map("\n".join) | st.text(max_size=80)


@pytest.mark.promise("documentation.never-fails", "documentation.nothing-else-moves")
@given(TEXTS)
def test_whatever_the_text_reading_never_fails_and_every_line_is_kept(text):
    found = parse(text)
    moved = [
        line
        for part in found.parts
        if isinstance(part, Section)
        for entry in part.entries
        for line in (*part.heading, *entry.lines)
    ]
    kept = set(re.findall(r"\w+", " ".join([found.without(found.names), *moved])))
    assert set(re.findall(r"\w+", text.expandtabs())) <= kept
    assert found.without([]).split() == text.split()


@pytest.mark.promise("documentation.stray-entries")
def test_an_entry_that_is_no_parameter_stays_and_is_named():
    def resize(width: int, height: int) -> None:
        """Resize.

        Args:
            width: New width.
            heigth: New height.
        """

    assert texts(resize) == {"width": "New width.", "height": None}
    assert Tool(resize).description == "Resize.\n\nArgs:\n    heigth: New height."
    assert Tool(resize).problems == ("documents `heigth`, which is not a parameter",)


# -- comments


@pytest.mark.promise("documentation.comments")
def test_comments_behind_and_above_describe():
    # fmt: off
    def scale(
        a: int, b: int,  # of both
        width: int,  # New width
        # New
        # height
        height: int,
        note: str = "",  # noqa: E501
        other: str = "",  # type: ignore[assignment]
    ) -> int:  # The new area
        """Scale."""
    # fmt: on

    assert texts(scale) == {
        "a": None,
        "b": None,
        "width": "New width",
        "height": "New height",
        "note": None,
        "other": None,
    }
    assert Tool(scale).description == "Scale.\n\nReturns: The new area"


@pytest.mark.promise("documentation.no-source")
def test_without_source_comments_are_just_missing():
    names = {}
    exec("def f(\n    a: int,  # A comment\n):\n    'Do it.'", names)
    assert texts(names["f"]) == {"a": None}
    assert Tool(names["f"]).description == "Do it."


# -- what counts more


@pytest.mark.promise("documentation.annotated", "documentation.precedence")
def test_the_nearest_text_counts():
    def nearest(
        a: Annotated[int, "annotated", Field(description="field")],  # comment
        b: Annotated[int, "annotated"],  # comment
        c: Annotated[int, Doc("doc")],  # comment
        d: Annotated[int, typing_extensions.Doc("doc")],  # comment
        e: int,  # comment
        f: int,  # comment
        g: int = Field(description="field"),  # comment
        h: int = 1,
    ) -> None:
        """Show.

        Args:
            a: docstring
            b: docstring
            c: docstring
            d: docstring
            e: docstring
            g: docstring
        """

    assert texts(nearest) == {
        "a": "field",
        "b": "annotated",
        "c": "doc",
        "d": "doc",
        "e": "docstring",
        "f": "comment",
        "g": "field",
        "h": None,
    }


@pytest.mark.promise("documentation.hidden-vanishes")
def test_the_text_of_a_hidden_parameter_vanishes():
    def fetch(url: str, tries: Annotated[int, Hidden()] = 3) -> None:
        """Fetch.

        Args:
            url: Where.
            tries: How often.
        """

    assert "How often" not in str(Tool(fetch).to_mcp())
    assert Tool(fetch).problems == ()


# -- classes


class Model(BaseModel):
    """A model.

    Attributes:
        section: In the section.
    """

    annotated: Annotated[int, "In the hint."]
    field: int = Field(description="In the field.")
    string: int
    """Below it."""
    behind: int  # Behind it
    #: Above it
    above: int
    section: int
    nothing: int


@dataclass
class Record:
    """A record.

    Attributes:
        section: In the section.
    """

    annotated: Annotated[int, "In the hint."]
    string: int
    """Below it."""
    behind: int  # Behind it
    #: Above it
    above: int
    section: int
    nothing: int


class Keys(TypedDict):
    """Some keys.

    Attributes:
        section: In the section.
    """

    annotated: Annotated[int, "In the hint."]
    string: int
    """Below it."""
    behind: int  # Behind it
    #: Above it
    above: int
    section: int
    nothing: int


class Named(NamedTuple):
    """A named tuple.

    Attributes:
        section: In the section.
    """

    annotated: Annotated[int, "In the hint."]
    string: int
    """Below it."""
    behind: int  # Behind it
    #: Above it
    above: int
    section: int
    nothing: int


class ModelBelow(Model):
    """A model below."""

    own: int  # Its own


@dataclass
class RecordBelow(Record):
    """A record below."""

    own: int  # Its own


class KeysBelow(Keys):
    """Keys below."""

    own: int  # Its own


SAID = {
    "annotated": "In the hint.",
    "string": "Below it.",
    "behind": "Behind it",
    "above": "Above it",
    "section": "In the section.",
    "nothing": None,
}


@pytest.mark.promise("documentation.attributes")
@pytest.mark.parametrize(
    ("cls", "description"),
    [
        (Model, "A model."),
        (Record, "A record."),
        (Keys, "Some keys."),
        (Named, None),
        (ModelBelow, "A model below."),
        (RecordBelow, "A record below."),
        pytest.param(
            KeysBelow,
            "Keys below.",
            marks=pytest.mark.xfail(
                sys.version_info < (3, 12), reason="the twin of a TypedDict forgets its bases"
            ),
        ),
    ],
)
def test_every_way_to_describe_a_field_is_read(cls, description):
    def take(value: cls) -> None: ...

    node = Tool(take).input_schema["properties"]["value"]
    if cls is Named:
        node = node["anyOf"][0]
    found = {name: schema.get("description") for name, schema in node["properties"].items()}
    below = {"own": "Its own"} if cls.__name__.endswith("Below") else {}
    fields = {"field": "In the field."} if issubclass(cls, Model) else {}
    assert found == SAID | below | fields
    assert node.get("description") == description


# -- texts that must not leak


class Box(BaseModel):
    """A box."""

    item: int


Name = Annotated[str, "A name."]


@pytest.mark.promise("documentation.no-leaks")
def test_tools_that_share_types_keep_their_own_texts():
    def first(name: Name, box: Box) -> None:
        """First.

        Args:
            box: Box of the first.
        """

    def second(name: Name, box: Box, other: str) -> None:
        """Second.

        Args:
            box: Box of the second.
            other: Another.
        """

    def third(name: Name, box: Box, other: str) -> None:
        """Third."""

    assert texts(first) == {"name": "A name.", "box": "Box of the first.\n\nA box."}
    assert texts(second)["box"] == "Box of the second.\n\nA box."
    assert texts(third) == {"name": "A name.", "box": "A box.", "other": None}


# -- methods


class Base:
    def find(self, key: str, limit: int = 1) -> str:
        """Find a value.

        Args:
            key: Name of the value.
            limit: Most hits.
        """


class Silent(Base):
    def find(self, key: str, limit: int = 1) -> str: ...


class Partly(Base):
    def find(self, key: str, limit: int = 1) -> str:
        """Find it fast.

        Args:
            limit: Most fast hits.
        """


@pytest.mark.promise("documentation.overridden")
@pytest.mark.parametrize(
    ("cls", "description", "said"),
    [
        (Silent, "Find a value.", {"key": "Name of the value.", "limit": "Most hits."}),
        (Partly, "Find it fast.", {"key": "Name of the value.", "limit": "Most fast hits."}),
    ],
)
def test_what_a_method_does_not_say_is_taken_from_what_it_overrides(cls, description, said):
    assert texts(cls().find) == said
    assert Tool(cls().find).description == description


@pytest.mark.parametrize(
    "code",
    [
        "    def find(\n        key: str,\n    ) -> str:\n        {q}Inner.\n\n        Args:\n            key: Inner.\n        {q}",
        "    @tool\n    async def find(\n            key):\n        r{q}Inner.\n\n        Parameters\n        ----------\n        key : str\n            Inner.\n        {q}",
        "    TEXT = {q}\n    Args:\n        key: Inner.\n    {q}",
    ],
)
@pytest.mark.parametrize("quotes", ['"""', "'''"])
def test_a_docstring_inside_an_example_stays_text(code, quotes):
    def find(key: str) -> str: ...

    example = code.format(q=quotes)
    find.__doc__ = f"Find it. Use it so:\n\n{example}\n\nArgs:\n    key: Outer.\n"
    assert texts(find) == {"key": "Outer."}
    assert Tool(find).description == f"Find it. Use it so:\n\n{example}"


def test_quotes_that_stay_open_hide_nothing():
    def find(key: str) -> str:
        '''Find what is between """ and the end.

        Args:
            key: Name of the value.
        '''

    assert texts(find) == {"key": "Name of the value."}
