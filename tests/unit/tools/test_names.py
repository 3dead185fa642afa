"""Names with dots and colons: published plainly, found under both forms."""

import asyncio

import pytest

from toolwright import SchemaError, Tool, Toolbox


def add(a: int, b: int = 1) -> int:
    return a + b


@pytest.mark.parametrize("name", ["git:log", "a.b:c", ":", "shop::add"])
def test_colons_and_dots_are_published_as_underscores(name):
    box = Toolbox("box")
    box.add(add, name=name)
    plain = name.replace(":", "_").replace(".", "_")
    assert [each["name"] for each in box.to_mcp()["tools"]] == [plain]
    assert list(box) == [name]
    for form in (name, plain):
        assert box.call(form, {"a": 1}).value == 2
        assert form in box


def test_the_full_style_publishes_them_as_they_are():
    assert Tool(add, name="git:log.all", style="full").to_mcp()["name"] == "git:log.all"


@pytest.mark.parametrize("other", ["a.b", "a_b", "a:b"])
def test_names_that_would_be_published_alike_collide(other):
    box = Toolbox("box")
    box.add(add, name="a:b")
    with pytest.raises(SchemaError, match="collides with `a:b`|is already in the toolbox"):
        box.add(add, name=other)


def test_a_prefix_may_end_with_a_colon():
    box = Toolbox("box")
    box.include({"add": add}, prefix="sums:", select="a*")
    assert box["sums_add"].name == "sums:add"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_of_both_eras_call_both_forms(mode):
    box = Toolbox("box")
    box.add(add, name="git:log")

    async def called():
        async with box.client(mode) as client:
            return [
                (await client.call_tool(form, {"a": 1})).content[0].text
                for form in ("git:log", "git_log")
            ]

    assert asyncio.run(called()) == ["2", "2"]


@pytest.mark.parametrize("name", ["a b", "a/b", "a;b", "ä:b", "x" * 129])
def test_other_characters_are_refused(name):
    with pytest.raises(SchemaError, match="invalid name - use 1 to 128 letters, digits"):
        Tool(add, name=name)
