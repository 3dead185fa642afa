"""An option takes JSON of a schema in every framework."""

import argparse
from dataclasses import dataclass
from typing import Annotated

import click
import cyclopts
import pydantic
import pytest
import typer
from click.testing import CliRunner

from toolwright import Toolbox
from toolwright.sources import CommandLine
from toolwright.sources.frameworks.recognise import program_of
from toolwright.sources.json_options import json_option


class Filter(pydantic.BaseModel):
    """Which rows are wanted."""

    field: str
    limit: int = 3


@dataclass
class Point:
    x: int


GOOD, BAD, BROKEN = '{"field":"a"}', '{"limit":1}', "{"
MISSING = "not valid JSON for Filter: field: Field required"


def parsed(program):
    """Return the one parameter of a program: its emit, its schema's properties, its description."""
    found = program.root.parameters[0]
    return found.emit, sorted(found.schema["properties"]), found.description


def test_click():
    seen = []
    command = click.Command(
        "app",
        params=[click.Option(["--filter"], type=json_option(Filter), default=Filter(field="d"))],
        callback=lambda filter: seen.append(filter),
    )
    assert parsed(program_of(command)) == ("json", ["field", "limit"], "Which rows are wanted.")
    assert CliRunner().invoke(command, ["--filter", GOOD]).exit_code == 0
    assert CliRunner().invoke(command, []).exit_code == 0
    assert seen == [Filter(field="a"), Filter(field="d")]
    assert (
        f"Invalid value for '--filter': {MISSING}"
        in CliRunner().invoke(command, ["--filter", BAD]).output
    )
    assert "Invalid JSON" in CliRunner().invoke(command, ["--filter", BROKEN]).output


def test_argparse(capsys):
    parser = argparse.ArgumentParser(prog="app")
    parser.add_argument("--filter", type=json_option(Filter), help="own text")
    assert parsed(program_of(parser)) == ("json", ["field", "limit"], "own text")
    assert parser.parse_args(["--filter", GOOD]).filter == Filter(field="a")
    with pytest.raises(SystemExit):
        parser.parse_args(["--filter", BAD])
    assert f"argument --filter: {MISSING}" in capsys.readouterr().err


def test_typer(capsys):
    app = typer.Typer()
    seen = []

    @app.command()
    def run(filter: Annotated[dict, typer.Option(parser=json_option(Filter))]):
        seen.append(filter)

    assert parsed(program_of(app)) == ("json", ["field", "limit"], "Which rows are wanted.")
    app(["--filter", GOOD], standalone_mode=False)
    assert seen == [Filter(field="a")]
    with pytest.raises(Exception, match=MISSING):
        app(["--filter", BAD], standalone_mode=False)


def test_cyclopts():
    app = cyclopts.App(name="app")
    seen = []
    option = cyclopts.Parameter(converter=json_option(Filter), accepts_keys=False, n_tokens=1)

    @app.default
    def run(*, filter: Annotated[Filter, option]):
        seen.append(filter)

    assert parsed(program_of(app)) == ("json", ["field", "limit"], "Which rows are wanted.")
    app(["--filter", GOOD], result_action="return_value")
    assert seen == [Filter(field="a")]
    with pytest.raises(cyclopts.CycloptsError, match=MISSING):
        app(["--filter", BAD], exit_on_error=False, print_error=False)


def test_a_dataclass_is_a_model_too():
    assert json_option(Point)('{"x": 1}') == Point(x=1)


def test_a_schema_gives_plain_values_and_is_checked():
    option = json_option({"type": "object", "required": ["a"]}, name="Thing")
    assert option('{"a": 1}') == {"a": 1}
    with pytest.raises(
        ValueError, match=r"not valid JSON for Thing: \$ 'a' is a required property"
    ):
        option("{}")
    with pytest.raises(ValueError, match="not valid JSON for Thing: Expecting"):
        option("{")


def test_a_schema_is_published_without_references():
    schema = {
        "type": "object",
        "properties": {
            "a": {"$ref": "#/definitions/a~1b"},
            "b": {"$ref": "#/properties/a", "title": "B"},
            "self": {"$ref": "#"},
            "$ref": {"type": "string"},
        },
        "definitions": {"a/b": {"type": "integer"}},
    }
    command = click.Command("app", params=[click.Option(["--it"], type=json_option(schema))])
    for style in ("typed", "flags_args"):
        box = Toolbox("box")
        box.include(CommandLine(command, argv=["app"], style=style))
        properties = box["app"].input_schema["properties"]
        it = (properties if style == "typed" else properties["flags"]["properties"])["it"]
        inner = {"a": {"type": "integer"}, "b": {"type": "integer", "title": "B"}}
        ref = {"$ref": {"type": "string"}}
        deeper = {**inner, "self": {"type": "object"}, **ref}
        assert it["properties"] == {
            **inner,
            "self": {"type": "object", "properties": deeper},
            **ref,
        }


@pytest.mark.parametrize("mode", ["command", "group", "search"])
def test_a_schema_that_leads_elsewhere_costs_its_command_alone(mode):
    odd = click.Option(["--odd"], type=json_option({"$ref": "#/$defs/nowhere"}))
    commands = [click.Command("odd", params=[odd]), click.Command("one"), click.Command("two")]
    box = Toolbox("box")
    box.include(CommandLine(click.Group("app", commands=commands), argv=["app"], mode=mode))
    [problem] = box.problems
    assert str(problem).startswith("app_odd.odd has a schema that refers to #/$defs/nowhere")
    assert "odd" not in str(box.to_mcp())
