"""`speak`: which exceptions a model may read, tool by tool."""

import asyncio
from typing import Annotated

import pytest
from pydantic import BaseModel, ValidationError

from toolwright import Call, Inject, SchemaError, Tool, Toolbox, ToolError


class Refused(Exception):
    pass


class Closed(Refused):
    pass


class Model(BaseModel):
    x: int


def raising(error):
    def target() -> str:
        raise error

    return target


def said(error, **options):
    """Return what a model reads, over every path in this process."""
    made = Tool(raising(error), **options)

    async def waits() -> str:
        raise error

    texts = {
        made.call().text,
        made.call(call=Call("target")).text,
        asyncio.run(made.call_async()).text,
        made.replace(run_on="inline").call().text,
        made.replace(timeout=60).call().text,
        Tool(waits, name="target", **options).call().text,
    }
    return {text if " (reference " not in text else "generic" for text in texts}


@pytest.mark.promise("options.speak")
@pytest.mark.parametrize(
    ("speak", "error", "wanted"),
    [
        ([Refused], Refused("no entry"), "Refused: no entry"),
        ([Refused], Closed("at noon"), "Closed: at noon"),
        (Refused, Refused("no entry"), "Refused: no entry"),
        ({Refused, KeyError}, KeyError("k"), "KeyError: 'k'"),
        ([Refused], ValueError("hidden"), "generic"),
        ([Closed], Refused("hidden"), "generic"),
        ([], ValueError("hidden"), "generic"),
        ([], ToolError("always"), "always"),
        ("all", RuntimeError("said"), "RuntimeError: said"),
        ("all", SystemExit("hidden"), "generic"),
        ([BaseException], SystemExit("said"), "SystemExit: said"),
    ],
)
def test_the_named_exceptions_speak_and_no_others(speak, error, wanted):
    assert said(error, speak=speak) == {wanted}


def test_without_the_option_the_usual_ones_speak():
    assert said(ValueError("said")) == {"ValueError: said"}
    assert said(Refused("hidden")) == {"generic"}


@pytest.mark.promise("options.speak-validation")
def test_a_validation_error_speaks_only_if_it_is_named():
    def target() -> str:
        Model(x="no")
        return ""

    assert "failed unexpectedly" in Tool(target).call().text
    assert "failed unexpectedly" in Tool(target, speak=[ValueError]).call().text
    for speak in ("all", [ValidationError]):
        assert Tool(target, speak=speak).call().text.startswith("ValidationError: 1 validation")


def test_what_a_provider_raises_speaks_as_the_tool_says():
    def provider() -> str:
        raise Refused("no entry")

    def target(x: Annotated[str, Inject(provider)]) -> str:
        return x

    assert "failed unexpectedly" in Tool(target).call().text
    assert Tool(target, speak=[Refused]).call().text == "Refused: no entry"


def test_what_an_async_generator_raises_speaks():
    async def target():
        yield "one"
        raise Refused("no entry")

    target.__annotations__ = {}
    assert Tool(target, speak="all").call().text == "Refused: no entry"


def test_two_tools_of_one_function_differ():
    box = Toolbox("box")
    box.add(raising(Refused("no entry")), name="open", speak="all")
    box.add(raising(Refused("no entry")), name="shut")
    assert box.call("open").text == "Refused: no entry"
    assert "no entry" not in box.call("shut").text


@pytest.mark.parametrize("speak", ["some", ["ValueError"], [int], None, [ValueError("x")], 3])
def test_what_is_no_exception_class_is_refused(speak):
    with pytest.raises(SchemaError, match='speak takes exception classes or "all"; got '):
        Tool(raising(Refused()), speak=speak)
