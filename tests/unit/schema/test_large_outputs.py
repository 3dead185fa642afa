"""An output schema that would fill the lists is left out of them, and holds all the same."""

import asyncio
import json
from typing import Annotated

import pytest
from pydantic import BaseModel, Field, create_model

from toolwright import Tool, Toolbox
from toolwright.client import connect
from toolwright.contract import diff, lock

ERAS = ["2025-06-18", "2025-11-25", "2026-07-28"]
Wide = create_model(
    "Wide", **{f"field_{n}": (int, Field(n, description="Says much. " * 20)) for n in range(200)}
)


class Small(BaseModel):
    name: str


def wide() -> Wide:
    """Return a lot."""
    return Wide(field_7=70)


def wides() -> list[Wide]:
    """Return a lot of them."""
    return [Wide()]


def small() -> Small:
    """Return little."""
    return Small(name="a")


@pytest.mark.promise("schema.large-output")
@pytest.mark.parametrize("era", ERAS)
def test_a_large_output_schema_is_in_no_list(era):
    box = Toolbox("b", [wide, wides, small])
    listed = {each["name"]: each for each in box.to_mcp(era)["tools"]}
    assert ["outputSchema" in each for each in listed.values()] == [False, False, True]
    assert len(json.dumps(listed)) < 3000
    assert [each.tool for each in box.problems] == ["wide", "wides"]
    assert all(each.text.startswith("lists no output schema: it has 5") for each in box.problems)
    assert Tool(small).problems == ()


@pytest.mark.parametrize("options", [{"emit": "both"}, {"emit": "structured"}])
def test_whoever_asks_for_a_large_output_schema_gets_it(options):
    tool = Tool(wide, **options)
    assert tool.to_mcp()["outputSchema"] == tool.output_schema
    assert tool.problems == ()
    own = Tool(wide, output_schema=tool.output_schema)
    assert own.to_mcp()["outputSchema"] == tool.output_schema
    assert own.problems == ()


@pytest.mark.promise("schema.large-output-holds")
def test_values_are_checked_and_sent_as_structured_content_all_the_same():
    def wrong() -> Wide:
        return {"field_1": "x"}  # type: ignore[return-value]

    box = Toolbox("b", [wide, wides, wrong])
    assert len(box["wide"].output_schema["properties"]) == 200
    for era in ERAS:
        assert box.call("wide").to_mcp(era)["structuredContent"]["field_7"] == 70
    assert box.call("wrong").is_error
    client = connect(box)
    assert client.wide()["field_7"] == 70
    assert len(client.wides()) == 1

    async def through_the_sdk():
        async with box.client() as sdk:
            return (await sdk.call_tool("wide", {})).structured_content

    assert asyncio.run(through_the_sdk())["field_7"] == 70
    hub = Toolbox("hub")
    hub.include(client)
    assert hub.call("wide").structured["field_7"] == 70


@pytest.mark.promise("schema.large-output-holds")
def test_a_lock_keeps_a_large_output_schema_and_sees_its_changes():
    def changed() -> Wide:
        """Return a lot."""

    other = create_model("Wide", __base__=Wide, field_7=(str, "x"))
    changed.__annotations__["return"] = other
    before, after = lock([Tool(wide)]), lock([Tool(changed, name="wide")])
    assert {each.where for each in diff(before, after)} == {"output.field_7"}
    assert not diff(before, lock([Tool(wide)]))
    [gone] = diff(lock([Tool(wide, emit="both")]), before)
    assert (gone.severity, gone.text) == ("risky", "the output schema is no longer listed")


def test_the_doctor_finds_a_large_output_schema():
    report = Toolbox("b", [wide, small]).check(select=["large_output_schema", "lost_detail"])
    assert [(each.id, each.tool) for each in report] == [("large_output_schema", "wide")]


def test_a_schema_just_within_the_bound_is_listed():
    def texts() -> list[Annotated[str, Field(description="x" * 19_900)]]:
        return []

    assert "outputSchema" in Tool(texts).to_mcp()
