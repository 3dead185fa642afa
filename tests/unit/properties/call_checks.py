"""What is true of every call, and the machine that makes random ones."""

import asyncio
import json
import sys
import threading
import traceback
import uuid

import jsonschema
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, rule

from tests.counting import examples
from tests.unit.properties.call_tools import ERAS, PUPPETS, TOOLS, act, add, told
from tests.unit.properties.call_values import (
    ANY_TEXT,
    ERRORS,
    JUNK,
    LAZY,
    NOT_JSON,
    VALUES,
    Shy,
    arguments,
)
from tests.unit.properties.specs import specs
from toolwright import ArgumentError, Result, Toolbox
from toolwright.results import validate
from toolwright.stores import MemoryStore
from toolwright.tools.definition import compiled_of, runner_of


def check_result(tool, result):
    """A result keeps the contract in both eras, and its structured content the tool's schema."""
    assert isinstance(result, Result)
    assert result.content
    assert repr(result)
    for protocol in ERAS:
        payload = json.loads(result.to_mcp_json(protocol), parse_constant=pytest.fail)
        assert payload == result.to_mcp(protocol)
        validate(payload)
        assert payload["isError"] is result.is_error
        schema = tool.to_mcp(protocol).get("outputSchema")
        if schema is not None and not result.is_error:
            assert "structuredContent" in payload
            jsonschema.Draft202012Validator(schema).validate(payload["structuredContent"])
        if "structuredContent" in payload and protocol < ERAS[1]:
            assert isinstance(payload["structuredContent"], dict)
    if result.is_error:
        with pytest.raises(type(result.error)):
            _ = result.value
        assert result.text.strip()


def same(one, other):
    return type(one) is type(other) and (one == other or repr(one) == repr(other))


def bound_by(tool, sent):
    """What a function gets for arguments that fit; None if they do not."""
    try:
        return tool.bind(sent)
    except ArgumentError:
        return None


def check_text_and_values_agree(tool, sent, bound):
    """It is all the same whether arguments come as values or as JSON text."""
    try:
        text = json.dumps(sent, allow_nan=False)
        is_json = isinstance(sent, dict) and json.loads(text) == sent
        text.encode().decode("unicode_escape").encode()
    except (ValueError, TypeError, RecursionError):
        return
    if is_json:
        assert same(bound_by(tool, text), bound)


def check_call(box, name, sent, call):
    """A call ends in a true result; arguments that fit reach the function as they are."""
    tool = box[name]
    seen = []
    runner = runner_of(tool)
    target = runner.target

    def spy(*positional, **named):
        seen.append((list(positional), dict(named)))
        return target(*positional, **named)

    bound = bound_by(tool, sent)
    check_text_and_values_agree(tool, sent, bound)
    runner.target = spy
    try:
        result = call(box, name, sent)
    finally:
        runner.target = target
    check_result(tool, result)
    if bound is not None:
        assert result.repairs == ()
        assert [same(value, bound) for value in seen] == [True]
    return result


LONGEST = 60
"""Seconds after which a call counts as one that never ends."""


def within(function, seconds=LONGEST):
    """Run a function in a thread of its own, so that a call that never ends is a failure."""
    outcome = []

    def work():
        try:
            outcome.append((function(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        frames = sys._current_frames()
        stacks = ["".join(traceback.format_stack(each)) for each in frames.values()]
        raise AssertionError("\n\n".join(["the call never ends", *stacks]))
    value, error = outcome[0]
    if error is not None:
        raise AssertionError(f"{type(error).__name__} escaped") from error
    return value


def call_now(box, name, sent):
    return within(lambda: box.call(name, sent))


def call_later(box, name, sent):
    return within(lambda: asyncio.run(box.call_async(name, sent)))


def call_inside_a_loop(box, name, sent):
    async def inside():
        return box.call(name, sent)

    return within(lambda: asyncio.run(inside()))


CALLS = st.sampled_from([call_now, call_later, call_inside_a_loop])
FITTING = {target.__name__: fitting for target, _, fitting in TOOLS}


STORE = MemoryStore()


def make_box():
    box = Toolbox("all", store=STORE)
    for target, options, _ in TOOLS:
        box.add(target, **options)
    for each in PUPPETS:
        box.add(each)
        box.add(each.replace(name=f"kept_{each.name}", cache=60))
    return box


@st.composite
def addressed(draw):
    name = draw(st.sampled_from(sorted(FITTING)))
    return name, Shy(draw(arguments(FITTING[name])))


@st.composite
def typed(draw):
    spec = draw(specs(1))
    return spec, draw(spec.values)


@st.composite
def acts(draw):
    if draw(st.booleans()):
        return "raise", Shy(draw(ERRORS))
    return "return", Shy(draw(VALUES | LAZY))


def check_kept(box, name, act, call):
    """Only what succeeded is kept; and then an equal call has the very same result."""
    STORE.clear()
    told["act"] = act
    first = call(box, name, {})
    check_result(box[name], first)
    told["act"] = "raise", LookupError("it ran again")
    second = call(box, name, {})
    check_result(box[name], second)
    if first.is_error:
        assert "it ran again" in second.text, "an error was kept"
        return
    said = first.meta["toolwright/cache"]
    if said.get("kept", True):
        assert second.meta["toolwright/cache"]["hit"] is True
        assert type(second.value) is type(first.value)
        for era in ERAS:
            kept, fresh = second.to_mcp(era), first.to_mcp(era)
            del kept["_meta"]["toolwright/cache"], fresh["_meta"]["toolwright/cache"]
            assert kept == fresh
    else:
        assert "it ran again" in second.text


class Calls(RuleBasedStateMachine):
    """A toolbox that grows, and calls of all kinds in between."""

    made = Bundle("made")

    def __init__(self):
        super().__init__()
        self.box = make_box()

    @rule(sent=addressed(), call=CALLS)
    def call_with_anything(self, sent, call):
        name, shy = sent
        check_call(self.box, name, shy.value, call)

    @rule(
        name=st.sampled_from([each.name for each in PUPPETS]),
        value=(VALUES | LAZY).map(Shy),
        call=CALLS,
    )
    def return_anything(self, name, value, call):
        told["act"] = "return", value.value
        check_result(self.box[name], call(self.box, name, {}))

    @rule(name=st.sampled_from([each.name for each in PUPPETS]), error=ERRORS.map(Shy), call=CALLS)
    def raise_anything(self, name, error, call):
        told["act"] = "raise", error.value
        result = call(self.box, name, {})
        check_result(self.box[name], result)
        assert result.is_error

    @rule(
        name=st.sampled_from([each.name for each in PUPPETS]),
        act=acts(),
        call=CALLS,
    )
    def keep_anything(self, name, act, call):
        check_kept(self.box, f"kept_{name}", (act[0], act[1].value), call)

    @rule(name=ANY_TEXT | st.sampled_from(["ad", "add.__globals__", "__init__"]), call=CALLS)
    def call_an_unknown_tool(self, name, call):
        if name not in self.box:
            result = call(self.box, name, {})
            check_result(self.box["add"], result)
            assert result.is_error

    @rule(target=made, drawn=typed(), emit=st.sampled_from(["auto", "text", "structured", "both"]))
    def add_a_tool(self, drawn, emit):
        spec, _ = drawn

        def echo(x):
            return x

        echo.__annotations__ = {"x": spec.hint, "return": spec.hint}
        name = f"echo_{uuid.uuid4().hex}"
        self.box.add(echo, name=name, emit=emit)
        return name, spec

    @rule(made=made, data=st.data(), call=CALLS)
    def call_an_added_tool_with_its_own_values(self, made, data, call):
        name, spec = made
        value = data.draw(spec.values)
        serializer = compiled_of(self.box[name]).serializer
        sent = {"x": json.loads(serializer.to_json(value, by_alias=True)) if serializer else value}
        result = check_call(self.box, name, sent, call)
        assert not result.is_error, result.text

    @rule(made=made, sent=(JUNK | NOT_JSON).map(Shy), call=CALLS)
    def call_an_added_tool_with_anything(self, made, sent, call):
        name, _ = made
        check_call(self.box, name, {"x": sent.value}, call)


CHECKS = settings(
    max_examples=examples(150),
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
NOTICING = settings(
    CHECKS, max_examples=150, derandomize=True, database=None, phases=[Phase.generate]
)
