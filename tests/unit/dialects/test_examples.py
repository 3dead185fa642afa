"""Examples of calls, and tools that a provider loads when it has found them."""

import json
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, model_validator

from toolwright import Tool, Toolbox
from toolwright.dialects import DIALECTS, render


class Place(BaseModel):
    model_config = {"json_schema_extra": {"examples": [{"city": "Rome"}, {"city": "Oslo"}]}}
    city: str
    zip_code: str = ""


class Node(BaseModel):
    model_config = {"json_schema_extra": {"examples": [{"value": 1}]}}
    value: int
    inner: list["Node"] = []


def shown(target, dialect="anthropic", **options):
    """The examples that are sent of a tool, and why others are not."""
    rendered = Toolbox("b", [target]).render(dialect, **options)
    losses = [each.message for each in rendered.losses if each.keyword == "input_examples"]
    return rendered.definitions[-1].get("input_examples"), losses


def search(
    query: Annotated[str, Field(examples=["bike", "car"])],
    place: Place,
    mode: Literal["fast", "slow"],
    limit: Annotated[int, Field(examples=[5])] = 10,
) -> None:
    """Search."""


def test_examples_of_parameters_and_models_make_whole_calls():
    calls = [
        {"query": "bike", "place": {"city": "Rome"}, "mode": "fast", "limit": 5},
        {"query": "car", "place": {"city": "Oslo"}, "mode": "fast"},
    ]
    assert shown(search) == (calls, [])
    assert shown(search, strict=True)[0] == calls
    assert shown(search, input_examples=False) == (None, [])
    assert render([Tool(search)], "anthropic").definitions[0]["input_examples"] == calls


def test_a_definition_that_contains_itself_may_have_examples():
    def walk(node: Node) -> None: ...

    assert shown(walk)[0] == [{"node": {"value": 1}}]


def test_calls_in_a_docstring_are_examples_and_are_not_run():
    ran = []

    def add(a: int, b: int = 1) -> int:
        """Add.

        >>> add(1, b=2)
        3
        >>> add("x")
        Traceback (most recent call last):
        ...
        ValueError

        Example:
            add(4)
            add(unknown)
        """
        ran.append(a)
        return a + b

    assert shown(add) == ([{"a": 1, "b": 2}, {"a": 4}], [])
    assert ran == []


def test_a_tool_without_an_example_of_each_required_parameter_has_none():
    def send(to: Annotated[str, Field(examples=["Ada"])], text: str) -> None: ...

    assert shown(send) == (None, [])


@pytest.mark.promise("dialects.examples")
def test_examples_that_a_tool_does_not_accept_are_losses():
    class Range(BaseModel):
        low: int
        high: int

        @model_validator(mode="after")
        def ordered(self):
            if self.low > self.high:
                raise ValueError("low is more than high")
            return self

    def pick(
        count: Annotated[int, Field(examples=["3", 3, 900], le=100)],
        span: Annotated[Range, Field(examples=[{"low": 1, "high": 2}, {"low": 9, "high": 2}])],
    ) -> None: ...

    sent, losses = shown(pick)
    assert sent is None
    assert len(losses) == 3
    assert "`count` must be an integer" in losses[0]
    assert "low is more than high" in losses[1]
    assert "`count` must be at most 100" in losses[2]

    def many(n: Annotated[int, Field(examples=list(range(9)))]) -> None: ...

    sent, losses = shown(many)
    assert sent == [{"n": n} for n in range(5)]
    assert losses == ["has more than 5 examples: the others are left out"]

    def long(text: Annotated[str, Field(examples=["x" * 5000])]) -> None: ...

    assert shown(long)[0] is None
    assert "5" in shown(long)[1][0]


@pytest.mark.promise("dialects.examples")
def test_a_secret_is_no_example():
    def by_name(q: str, api_key: Annotated[str, Field(examples=["abc123"])]) -> None: ...

    def optional(
        q: Annotated[str, Field(examples=["x"])],
        api_key: Annotated[str, Field(examples=["abc123"])] = "",
    ) -> None: ...

    token = "ghp_" + "a1B2" * 9

    def by_form(q: Annotated[str, Field(examples=[token])]) -> None: ...

    assert shown(by_name)[0] is None
    assert shown(optional) == ([{"q": "x"}], [])
    sent, losses = shown(by_form)
    assert (sent, losses) == (None, ["has a secret in an example: left out"])


def test_an_example_that_a_strict_schema_writes_otherwise_is_a_loss():
    def count(levels: Annotated[dict[str, int], Field(examples=[{"bike": 2}])]) -> None: ...

    assert shown(count)[0] == [{"levels": {"bike": 2}}]
    sent, losses = shown(count, strict=True)
    assert sent is None
    assert losses == ["has an example that this schema writes in another way: left out"]


def test_examples_go_only_where_a_dialect_has_a_place_for_them():
    for dialect in DIALECTS:
        written = json.dumps(Toolbox("b", [search]).render(dialect).definitions)
        assert ("input_examples" in written) == (dialect == "anthropic")


# -- loaded when found


@pytest.fixture
def box():
    return Toolbox("b", {name: search for name in ("far_a", "far_b", "near")})


@pytest.mark.promise("dialects.deferred")
def test_deferred_tools_come_with_the_search_of_their_provider(box):
    made = box.render("anthropic", defer_loading=True)
    finder, *tools = made.definitions
    assert finder == {"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"}
    assert all(each["defer_loading"] is True for each in tools)
    assert list(made.names) == ["far_a", "far_b", "near"]
    assert made.losses == ()
    finder, *tools = box.render("openai-responses", defer_loading=True, strict=True).definitions
    assert finder == {"type": "tool_search"}
    assert all(each["defer_loading"] for each in tools)


def test_patterns_say_which_tools_are_deferred(box):
    for patterns in ("far_*", ["*", "!near"]):
        _, *tools = box.render("anthropic", defer_loading=patterns).definitions
        assert [each.get("defer_loading") for each in tools] == [True, True, None]
    made = box.render("anthropic", defer_loading="nowhere_*")
    assert len(made.definitions) == 3
    assert [str(each) for each in made.losses] == ["defer_loading matches no tool: all are loaded"]


@pytest.mark.parametrize("dialect", [*sorted(set(DIALECTS) - {"anthropic", "openai-responses"})])
def test_where_there_is_no_search_all_tools_are_loaded(box, dialect):
    made = box.render(dialect, defer_loading=True)
    assert made.definitions == box.render(dialect).definitions
    assert [each.keyword for each in made.losses if not each.tool] == ["defer_loading"]


def test_a_tool_named_like_the_search_keeps_all_tools_loaded():
    box = Toolbox("b", {"tool_search_tool_bm25": search})
    made = box.render("anthropic", defer_loading=True)
    assert len(made.definitions) == 1
    assert made.losses[0].keyword == "defer_loading"
