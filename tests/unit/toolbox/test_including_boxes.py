"""Including a toolbox: its resources and prompts come along, under the same rules."""

import asyncio

import pytest

from toolwright import DefinitionError, SchemaError, Toolbox, tool
from toolwright.toolbox.box import loading, served


class Settings:
    greeting = "hello"


def other_box():
    box = Toolbox("other")
    box.provide(Settings)

    @box.tool
    def add(a: int, b: int = 1) -> int:
        return a + b

    @box.resource("shop://orders/{order}")
    def order(order: str, settings: Settings) -> str:
        return f"{settings.greeting} {order}"

    @box.prompt
    def review(what: str) -> str:
        return f"Review {what}"

    return box


def listed(box, roles=None):
    offered = served(box)
    names = [
        each.tool.name for each in (*offered.resources_for(roles), *offered.prompts_for(roles))
    ]
    return names, list(box.resources)


@pytest.mark.promise("targets.uri-kept")
def test_resources_and_prompts_come_along():
    large = Toolbox("large")
    assert [tool.name for tool in large.include(other_box(), prefix="far_")] == ["far_add"]
    assert listed(large) == (["far_order", "far_review"], ["shop://orders/{order}"])


def test_they_run_with_the_providers_of_their_own_toolbox():
    large = Toolbox("large")
    large.include(other_box())
    resource, values = served(large).find_resource("shop://orders/7", None)
    assert asyncio.run(served(large).get(resource, values)).value == "hello 7"


def test_the_included_toolbox_stays_as_it_is():
    other = other_box()
    Toolbox("large").include(other, prefix="far_", roles=["admin"])
    assert listed(other, roles=()) == (["order", "review"], ["shop://orders/{order}"])


@pytest.mark.promise("targets.come-along")
def test_roles_hide_all_that_comes_along():
    large = Toolbox("large")
    large.include(other_box(), roles=["admin"])
    assert listed(large, roles=()) == ([], ["shop://orders/{order}"])
    assert listed(large, roles=("admin",))[0] == ["order", "review"]


def test_select_chooses_among_them_by_name():
    large = Toolbox("large")
    assert large.include(other_box(), select=["*", "!add", "!order"]) == []
    assert listed(large) == (["review"], [])


@pytest.mark.promise("targets.taken")
def test_what_is_taken_is_refused_and_the_rest_is_added():
    large = Toolbox("large")

    @large.resource("shop://orders/{order}")
    def mine(order: str) -> str:
        return order

    @large.prompt
    def review() -> str:
        return "mine"

    with pytest.raises(DefinitionError) as caught:
        large.include(other_box())
    told = str(caught.value)
    assert "order has the URI `shop://orders/{order}`, which is taken" in told
    assert "review is already a prompt of the toolbox" in told
    assert list(large) == ["add"]
    assert listed(large)[0] == ["mine", "review"]
    with pytest.raises(SchemaError, match="order has the URI"):
        large.include(other_box(), select=["*", "!add"], prefix="far_")


def test_a_toolbox_may_be_included_in_itself():
    box = Toolbox("box")

    @box.tool
    def add(a: int) -> int:
        return a

    @box.prompt
    def review() -> str:
        return "x"

    box.include(box, prefix="again_")
    assert (list(box), list(box.prompts)) == (["add", "again_add"], ["review", "again_review"])


# -- two names


def function(a: int) -> int:
    return a


@pytest.mark.promise("targets.two-names")
@pytest.mark.parametrize(
    "decorator", [tool, Toolbox("box").tool, Toolbox("box").prompt], ids=["tool", "box", "prompt"]
)
def test_two_different_names_are_refused(decorator):
    with pytest.raises(SchemaError, match='^one is also named `two` by name="two" - give one name'):
        decorator("one", name="two")(function)


def test_the_same_name_twice_is_one_name():
    box = Toolbox("box")
    box.tool("one", name="one")(function)
    box.tool("two", name=None)(function)
    assert list(box) == ["one", "two"]


def test_one_decorator_serves_several_functions():
    box = Toolbox("box")
    decorator = box.tool(read_only=True)

    @decorator
    def first(a: int) -> int:
        return a

    @decorator
    def second(a: int) -> int:
        return a

    assert list(box) == ["first", "second"]


def test_two_names_are_noted_while_a_program_is_loaded():
    box = Toolbox("box")
    with loading() as refused:
        box.tool("one", name="two")(function)
    assert [error.tool for error in refused] == ["one"]
