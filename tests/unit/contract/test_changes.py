"""Changes of tools: each is breaking, risky or additive."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from toolwright import FULL, Tool, Toolbox
from toolwright.contract import Changes, diff, lock


def told(old, new):
    """Return the changes from one function to another, as (severity, where)."""
    return [(change.severity, change.where) for change in changes(old, new)]


def changes(old, new, **options):
    return diff(lock([Tool(old, name="t", **options)]), lock([Tool(new, name="t", **options)]))


class Size(Enum):
    S = "s"
    M = "m"


class Larger(Enum):
    S = "s"
    M = "m"
    L = "l"


class Item(BaseModel):
    name: str
    size: int = 1


class ItemWithMore(BaseModel):
    name: str
    size: int = 1
    colour: str = "red"


class StricterItem(BaseModel):
    name: Annotated[str, Field(min_length=1)]
    size: int = 1


@dataclass
class Found:
    name: str
    price: float


@dataclass
class FoundMore:
    name: str
    price: float
    stock: int


@dataclass
class FoundLess:
    name: str


def plain(a: int): ...


CASES = {
    "another parameter": (plain, "def f(a: int, b: int): ...", "breaking"),
    "an optional parameter": (plain, "def f(a: int, b: int = 1): ...", "additive"),
    "a parameter less": (plain, "def f(): ...", "breaking"),
    "a parameter of another name": (plain, "def f(b: int): ...", "breaking"),
    "a wider type": (plain, "def f(a: float): ...", "additive"),
    "another type": (plain, "def f(a: str): ...", "breaking"),
    "a bound": (plain, "def f(a: Annotated[int, Field(le=9)]): ...", "breaking"),
    "a value that may be absent": (plain, "def f(a: int = 3): ...", "additive"),
    "a union": (plain, "def f(a: int | str): ...", "additive"),
    "a list": (plain, "def f(a: list[int]): ...", "breaking"),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.promise("contract.classified")
def test_a_change_of_parameters_is_classified(name):
    old, source, severity = CASES[name]
    scope = {"Annotated": Annotated, "Field": Field}
    exec(source, scope)  # noqa: S102 - a function that differs in its signature only
    found = changes(old, scope["f"])
    # What a default says is about what happens without a value, not about what is accepted.
    assert {each.severity for each in found if "default" not in each.text} == {severity}
    back = changes(scope["f"], old).severity
    assert (severity, back) != ("additive", "additive")


def takes(hint):
    def f(a): ...

    f.__annotations__ = {"a": hint}
    return f


def gives(hint):
    def f(): ...

    f.__annotations__ = {"return": hint}
    return f


TYPES = [
    (Size, Larger, "additive"),
    (Larger, Size, "breaking"),
    (Literal["a", "b"], Literal["b", "a"], "additive"),
    (Literal["a", "b"], str, "additive"),
    (str, Literal["a"], "breaking"),
    (Item, ItemWithMore, "breaking"),
    (Item, StricterItem, "breaking"),
    (StricterItem, Item, "additive"),
    (list[Item], list[StricterItem], "breaking"),
    (dict[str, int], dict[str, float], "additive"),
    (tuple[int, str], tuple[int, str, str], "breaking"),
    (list[int], Annotated[list[int], Field(max_length=3)], "breaking"),
    (Annotated[str, Field(pattern="^a")], Annotated[str, Field(pattern="^b")], "breaking"),
    (Annotated[str, Field(pattern="^a(b)?$")], Annotated[str, Field(pattern="^ab?$")], "risky"),
    (Annotated[int, Field(ge=0, le=9)], Annotated[int, Field(ge=-1, le=10)], "additive"),
    (Annotated[int, Field(multiple_of=4)], Annotated[int, Field(multiple_of=2)], "additive"),
]


@pytest.mark.parametrize("style", [None, FULL], ids=["portable", "full"])
@pytest.mark.parametrize("old, new, severity", TYPES)
def test_a_change_of_a_type_is_classified_in_every_style(old, new, severity, style):
    options = {} if style is None else {"style": style}
    found = changes(takes(old), takes(new), **options)
    about_values = [each for each in found if "description" not in each.text]
    expected = severity if old is not Item or new is not ItemWithMore else None
    if expected is None:  # a model that ignores what it does not know has accepted any `colour`
        assert found.severity in ("breaking", "risky")
    elif about_values:
        assert Changes(tuple(about_values)).severity == severity
    else:
        assert severity == "additive"


OUTPUTS = [
    (Found, FoundMore, "additive"),
    (Found, FoundLess, "breaking"),
    (Size, Larger, "breaking"),
    (Larger, Size, "additive"),
    (int, float, "breaking"),
    (float, int, "additive"),
    (Found, Found | None, "breaking"),
    (list[int], list[str], "breaking"),
    (Found, str, "breaking"),
    (str, Found, "additive"),
]


@pytest.mark.parametrize("old, new, severity", OUTPUTS)
@pytest.mark.promise("contract.output")
def test_what_is_promised_must_still_hold(old, new, severity):
    assert changes(gives(old), gives(new)).severity == severity


def test_a_change_has_an_example_of_what_is_no_longer_accepted():
    (found,) = changes(takes(int), takes(Annotated[int, Field(le=9)]))
    assert (found.severity, found.where, found.example) == ("breaking", "input.a", 10)
    assert str(found) == "breaking: tool t input.a: maximum 9 is new"
    assert found.to_dict()["example"] == 10


def test_changes_deep_inside_are_named_where_they_are():
    assert told(takes(list[Item]), takes(list[StricterItem])) == [("breaking", "input.a[].name")]


class Branch(BaseModel):
    value: int
    below: list["Branch"] = []


class Fork(BaseModel):
    value: Annotated[int, Field(ge=0)]
    below: list["Fork"] = []


def test_recursive_models_are_compared():
    Fork.__name__ = Fork.__qualname__ = "Branch"
    Fork.model_rebuild(force=True)
    assert changes(takes(Branch), takes(Fork)).severity == "breaking"
    assert changes(takes(Fork), takes(Branch)).severity == "additive"


# -- what is not a schema


def one(**options):
    def t(a: int = 1): ...

    return lock([Tool(t, **options)])


@pytest.mark.parametrize(
    "old, new, severity",
    [
        ({"description": "Add."}, {"description": "Add it."}, "risky"),
        ({"description": "Add."}, {}, "risky"),
        ({}, {"description": "Add."}, "additive"),
        ({"title": "A"}, {"title": "B"}, "additive"),
        ({"read_only": True}, {}, "breaking"),
        ({"read_only": True}, {"destructive": True}, "breaking"),
        ({}, {"read_only": True}, "additive"),
        ({"destructive": False}, {"destructive": True}, "breaking"),
        ({"destructive": False}, {}, "breaking"),
        ({}, {"destructive": True}, None),
        ({"idempotent": True}, {}, "risky"),
        ({"open_world": False}, {}, "risky"),
        ({"roles": ["a"]}, {"roles": ["a", "b"]}, "risky"),
        ({"roles": ["a", "b"]}, {"roles": ["a"]}, "breaking"),
        ({}, {"roles": ["a"]}, "breaking"),
        ({"roles": ["a"]}, {}, "risky"),
        ({}, {"confirm": True}, "risky"),
        ({}, {"tags": ["x"]}, "additive"),
        ({"name": "a.b"}, {"name": "a.c"}, "breaking"),
    ],
)
@pytest.mark.promise("contract.hints")
def test_hints_texts_and_roles_are_compared(old, new, severity):
    assert diff(one(**old), one(**new)).severity == severity


@pytest.mark.promise("contract.descriptions")
def test_a_changed_description_of_a_parameter_is_risky():
    def old(a: Annotated[int, "How many."]): ...

    def new(a: Annotated[int, "How much."]): ...

    (found,) = changes(old, new)
    assert (found.severity, found.where) == ("risky", "input.a")
    assert found.text == 'description was "How many.", is "How much."'


def test_another_default_is_risky():
    def old(a: int = 1): ...

    def new(a: int = 2): ...

    assert told(old, new) == [("risky", "input.a")]


def test_tools_come_and_go_and_are_renamed():
    def search(query: str, limit: int = 10):
        "Search the catalogue for products."

    def find(query: str, limit: int = 10):
        "Search the catalogue for all products."

    def other(): ...

    found = diff(lock([Tool(search)]), lock([Tool(find), Tool(other)]))
    assert [(each.severity, each.name, each.text) for each in found][:2] == [
        ("breaking", "search", "is now called find"),
        (
            "risky",
            "find",
            'description was "...catalogue for products.", is "...catalogue for all products."',
        ),
    ]
    assert [(each.name, each.text) for each in found.additive] == [("other", "is new")]


def box_with(*, uri="shop://orders/{id}", mime="text/plain", instructions="Be kind.", tone=True):
    box = Toolbox("shop", instructions=instructions)

    @box.resource(uri, mime_type=mime)
    def order(id: str) -> str:
        "An order."
        return id

    if tone:

        @box.prompt
        def ask(topic: str, tone: str = "kind") -> str:
            "Ask."
            return topic
    else:

        @box.prompt
        def ask(topic: str, tone: str) -> str:
            "Ask."
            return topic

    return box


def test_resources_prompts_and_instructions_are_compared():
    old = box_with()
    assert not diff(old, box_with())
    assert diff(old, box_with(uri="shop://order/{id}")).severity == "breaking"
    assert diff(old, box_with(mime="text/html")).severity == "risky"
    assert diff(old, box_with(instructions="Be rude.")).severity == "risky"
    assert told_of(diff(old, box_with(tone=False))) == [
        ("breaking", "prompt", "ask", "arguments.tone")
    ]


def told_of(found):
    return [(each.severity, each.part, each.name, each.where) for each in found]


def test_nothing_in_a_report_is_more_than_text():
    evil = "<img src=x> |\x1b[31m `code` [x](y:1) @everyone\n# Head"
    report = diff(one(description="Add."), one(description=evil)).to_markdown()
    assert "<img" not in report.replace("\\<", "")
    assert "[x](" not in report
    assert "@everyone" not in report
    assert len([line for line in report.splitlines() if line.startswith("#")]) == 2
    assert "\x1b" not in report


def test_a_report_is_sorted_by_severity():
    found = diff(one(read_only=True, title="A"), one(title="B", description="x"))
    assert [each.severity for each in found] == ["breaking", "additive", "additive"]
    assert found.to_markdown().startswith("## Tool contract\n\n**1 breaking, 0 risky, 2 additive**")
    assert found.to_json()["counts"] == {"breaking": 1, "risky": 0, "additive": 2}
    assert diff(one(), one()).to_markdown() == "## Tool contract\n\n**no changes**\n"
