"""`FromText`: a class that is made by calling it with a text."""

from dataclasses import dataclass
from typing import Annotated

import pytest
from pydantic import BaseModel

from toolwright import FromText, Tool


class Version:
    def __init__(self, text: str, strict: bool = True) -> None:
        if not text[:1].isdigit():
            raise ValueError(f"{text!r} is no version")
        self.parts = tuple(text.split("."))

    def __str__(self) -> str:
        return ".".join(self.parts)


V = Annotated[Version, FromText()]


class Release(BaseModel):
    version: V


@dataclass
class Pair:
    one: V


def major(version: V) -> str:
    return version.parts[0]


def many(versions: list[V], by_name: dict[str, V], other: V | None = None) -> list[str]:
    return [each.parts[0] for each in (*versions, *by_name.values(), *filter(None, [other]))]


def nested(release: Release, pair: Pair) -> list[str]:
    return [release.version.parts[0], pair.one.parts[0]]


def given(version: V) -> list[V]:
    return [version]


@pytest.mark.promise("parameters.from-text")
def test_the_class_is_made_of_a_text_and_published_as_one():
    tool = Tool(major)
    assert tool.input_schema["properties"] == {"version": {"type": "string", "format": "Version"}}
    assert tool.call({"version": "1.2"}).value == "1"
    assert tool.call('{"version": "1.2"}').value == "1"


@pytest.mark.promise("parameters.from-text")
def test_it_is_taken_wherever_a_type_stands():
    sent = {"versions": ["1.0", "2.0"], "by_name": {"a": "3"}, "other": "4"}
    assert Tool(many).call(sent).value == ["1", "2", "3", "4"]
    sent = {"release": {"version": "1"}, "pair": {"one": "2"}}
    assert Tool(nested).call(sent).value == ["1", "2"]


@pytest.mark.promise("parameters.from-text")
def test_it_is_sent_back_as_text():
    result = Tool(given).call({"version": "1.2"})
    assert result.structured in ({"result": ["1.2"]}, ["1.2"])
    assert "1.2" in result.text


@pytest.mark.parametrize("value", [[], [1], 5, {"a": 1}, Version("1.2")])
def test_values_of_other_arms_are_not_written_as_text(value):
    def give() -> int | V | list[int] | dict[str, int]:
        return value

    written = str(value) if isinstance(value, Version) else value
    assert Tool(give).call().structured == written


@pytest.mark.parametrize("sent", ["x", 5, None, {"text": "1"}])
def test_what_the_class_refuses_is_the_callers_error(sent):
    result = Tool(major).call({"version": sent})
    assert result.error.code == "arguments"
    assert "`version`" in result.text
    assert sent != "x" or "'x' is no version" in result.text


def test_a_class_or_none_is_taken_too_and_a_default_stays():
    def latest(
        version: Annotated[Version | None, FromText()] = None, first: V = Version("7")
    ) -> str:
        return f"{version} {first}"

    text = {"type": "string", "format": "Version"}
    assert Tool(latest).input_schema["properties"] == {"version": text, "first": text}
    assert Tool(latest).call({"version": "1.2"}).value == "1.2 7"
    assert Tool(latest).call({"version": None}).value == "None 7"


def test_whatever_the_class_raises_is_a_refusal():
    class Broken:
        def __init__(self, text: str) -> None:
            raise KeyError

    def takes(it: Annotated[Broken, FromText()]) -> None: ...

    assert Tool(takes).call({"it": "x"}).text == "takes: `it`: is not a valid Broken"
