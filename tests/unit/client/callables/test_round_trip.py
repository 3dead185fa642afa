"""Function, schema, callable, schema: what comes back is the same, and calls give the same."""

import json
from typing import NotRequired, TypedDict

import mcp_types as t
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.counting import examples
from tests.unit.properties.specs import specs
from tests.unit.properties.test_agree import leave_out_nulls, written
from toolwright import Tool, Toolbox
from toolwright.client import connect, make_tool
from toolwright.client.callables.remote_callable import remote_callable
from toolwright.client.callables.remote_values import plain_json

CHECKS = settings(
    max_examples=examples(300),
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
ERAS = ["2025-06-18", "2026-07-28"]


def echoing(hint, **options):
    def target(x):
        return x

    target.__annotations__ = {"x": hint, "return": hint}
    return Tool(target, **options)


def calling(tool, era):
    """A callable for a tool, as a client of an era makes it."""
    definition = tool.to_mcp(era)

    def dispatch(name, arguments):
        assert name == tool.name
        json.dumps(arguments, allow_nan=False)
        payload = tool.call(arguments).to_mcp(era)
        assert not payload.get("isError"), payload
        if "outputSchema" in definition:
            return payload["structuredContent"]
        return payload["content"]

    return remote_callable(definition, dispatch), definition


@st.composite
def typed_values(draw):
    spec = draw(specs())
    return spec.hint, draw(spec.values)


def same(left, right):
    """Compare JSON: a key that is null is as good as none, where the field may be absent."""
    if isinstance(left, dict) and isinstance(right, dict):
        keys = {key for each in (left, right) for key in each if each[key] is not None}
        return all(same(left.get(key), right.get(key)) for key in keys)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def check(hint, value, style, era):
    tool = echoing(hint, style=style)
    remote, definition = calling(tool, era)
    again = Tool(remote)
    assert again.name == tool.name
    assert again.to_mcp(era) == {**definition, **titles(again, era)}
    sent = {"x": written(hint, value)}
    leave_out_nulls(tool.input_schema, sent)
    direct = tool.call(sent)
    assert not direct.is_error, direct
    through = again.call(sent)
    assert not through.is_error, through
    if "outputSchema" not in definition:
        return
    body = direct.to_mcp(era)["structuredContent"]
    assert same(through.to_mcp(era)["structuredContent"], body)
    typed = remote(**sent)
    assert same(plain_json(typed, "x"), remote.unboxed(body))
    if sent:
        TypeAdapter(remote.__annotations__["x"]).validate_python(sent["x"])


def titles(tool, era):
    made = tool.to_mcp(era)
    return {key: made[key] for key in ("title", "annotations") if key in made}


@pytest.mark.promise("callables.round-trip")
@CHECKS
@given(typed_values(), st.sampled_from(["portable", "full"]), st.sampled_from(ERAS))
def test_a_function_comes_back_from_its_schema(drawn, style, era):
    hint, value = drawn
    check(hint, value, style, era)


DEFINITION = {
    "name": "rm",
    "title": "Remove",
    "description": "Remove a file.",
    "icons": [{"src": "https://example.com/rm.png", "sizes": ["any"]}],
    "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}},
    "annotations": {"destructiveHint": True, "idempotentHint": True},
    "_meta": {"example.com/owner": {"team": "files"}},
}


def removing(name, **arguments):
    return "removed"


@pytest.mark.promise("callables.round-trip")
@pytest.mark.parametrize("form", [dict, t.Tool.model_validate], ids=["dict", "sdk"])
def test_a_callable_keeps_title_hints_icons_and_meta(form):
    tool = Tool(make_tool(removing, form(DEFINITION)))
    assert tool.to_mcp() == DEFINITION
    box = Toolbox("files", [tool])
    assert box.to_mcp()["tools"] == [DEFINITION]
    remote = connect(box)
    assert Tool(remote.rm).to_mcp() == DEFINITION
    assert Toolbox("hub", [remote.rm]).to_mcp()["tools"] == [DEFINITION]
    assert Tool(remote.rm, destructive=False, title="Trash").to_mcp() == {
        **DEFINITION,
        "title": "Trash",
        "annotations": {"destructiveHint": False, "idempotentHint": True},
    }


@pytest.mark.parametrize("bad", [3, "x", [1], {"readOnlyHint": "yes", "x": True}])
def test_hints_icons_and_meta_that_break_the_protocol_are_left_out(bad):
    definition = {**DEFINITION, "annotations": bad, "icons": bad, "_meta": bad}
    made = Tool(make_tool(removing, definition)).to_mcp()
    for key in ("annotations", "icons"):
        assert key not in made
    assert made.get("_meta", bad) == bad


def test_a_key_that_was_not_sent_does_not_come_back():
    keys = TypedDict("keys", {"a": NotRequired[int]})
    for era in ERAS:
        check(keys | None, {}, "portable", era)
