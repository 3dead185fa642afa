"""The examples of the document on schemas of command-line programs (Ophis, for Cobra).

Cobra is Go; the same commands are written with Click here. Where what that system prints differs
from its document, the document counts: `flags` and `args` have the texts and keys that stand there.
"""

import json
import subprocess
import sys
import textwrap
from dataclasses import replace

import click
import pytest
from pydantic import BaseModel, Field

from toolwright import Toolbox
from toolwright.sources import CommandLine, Rule, json_option
from toolwright.sources.program import Command, CommandParameter, Program


@click.group()
def kubectl():
    "Controls the cluster."


@kubectl.group()
def get():
    "Show things."


@get.command(short_help="List pods.", epilog="kubectl get pods --namespace web")
@click.argument("name", required=False)
@click.option("--namespace", default="default", required=True, help="Kubernetes namespace")
@click.option("--replicas", type=int, default=3)
@click.option("--labels", multiple=True)
def pods(name, namespace, replicas, labels):
    "List the pods of a namespace, one a line."
    click.echo(json.dumps([name, namespace, replicas, list(labels)]))


def offered(app, **more):
    box = Toolbox("box")
    box.include(CommandLine(app, argv=("kubectl",), **more))
    return box


def test_the_name_is_the_path_with_underscores():
    assert list(offered(kubectl)) == ["kubectl_get_pods"]


def test_the_description_has_the_long_and_short_help_and_the_example():
    assert offered(kubectl)["kubectl_get_pods"].description == (
        "List pods.\n\nList the pods of a namespace, one a line.\n\n"
        "Examples:\nkubectl get pods --namespace web"
    )


FLAGS = {
    "type": "object",
    "properties": {
        "namespace": {
            "type": "string",
            "description": "Kubernetes namespace",
            "default": "default",
        },
        "replicas": {"type": "integer", "default": 3},
        "labels": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["namespace"],
}


def test_flags_are_an_object_as_in_the_document():
    # Click takes the default for an option that is required; Cobra does not.
    (pods,) = (each for each in CommandLine(kubectl).commands if each.name == "pods")
    cobra = [
        replace(each, required=True, default="default") if each.name == "namespace" else each
        for each in pods.parameters
    ]
    root = Command(parameters=tuple(cobra))
    tool = offered(Program(name="pods", root=root), style="flags_args")["pods"]
    assert tool.input_schema["properties"]["flags"] == FLAGS
    box = Toolbox("box")
    box.include(CommandLine(kubectl, argv=("kubectl",)), style="portable")
    assert "flags" not in box["kubectl_get_pods"].input_schema["properties"]


def test_positional_arguments_are_a_list_of_texts():
    name = CommandParameter(name="name", schema={"type": "string"})
    root = Command(usage="[NAME] [flags]", parameters=(name,))
    box = Toolbox("box")
    box.include(
        CommandLine(Program(name="my-cli", root=root, argv=("my-cli",)), style="flags_args")
    )
    assert box["my-cli"].input_schema["properties"]["args"] == {
        "type": "array",
        "description": "Positional arguments\nUsage: [NAME] [flags]",
        "items": {"type": "string"},
    }


def test_the_output_has_stdout_stderr_and_the_exit_code():
    tool = offered(kubectl, style="flags_args")["kubectl_get_pods"]
    assert tool.output_schema == {
        "type": "object",
        "properties": {
            "stdout": {"type": "string"},
            "stderr": {"type": "string"},
            "exitCode": {"type": "integer"},
        },
    }


def parameter(**more):
    return CommandParameter(name="it", flags=("--it",), **more)


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (bool, {"type": "boolean"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (str, {"type": "string"}),
    ],
)
def test_types_are_mapped(kind, schema):
    @click.command()
    @click.option("--it", type=kind)
    def run(it):
        "Run."

    node = offered(run)["run"].input_schema["properties"]["it"]
    assert {key: node[key] for key in schema} == schema


def test_slices_are_arrays_of_their_items():
    @click.command()
    @click.option("--texts", multiple=True)
    @click.option("--numbers", multiple=True, type=int)
    def run(texts, numbers):
        "Run."

    assert offered(run)["run"].input_schema["properties"] == {
        "texts": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "integer"}},
    }


def test_empty_defaults_are_left_out():
    @click.command()
    @click.option("--note", default="")
    @click.option("--many", multiple=True, default=[])
    @click.option("--size", default=0)
    def run(note, many, size):
        "Run."

    properties = offered(run)["run"].input_schema["properties"]
    assert "default" not in properties["note"]
    assert "default" not in properties["many"]
    assert properties["size"]["default"] == 0


class FooBar(BaseModel):
    baz: str = Field(description="Description of Baz field")


class SomeJsonObject(BaseModel):
    """This flag is used to supply a JSON string representation of an instance of a SomeJsonObject"""

    foo: str = Field(description="Description of Foo field")
    bar: int = Field(description="Description of Bar field")
    foo_bar: FooBar = Field(description="Description of FooBar field")


PROGRAM = """
import json
import click
from pydantic import BaseModel, Field
from toolwright import add_mcp
from toolwright.sources import json_option


class FooBar(BaseModel):
    baz: str = Field(description="Description of Baz field")


class SomeJsonObject(BaseModel):
    foo: str = Field(description="Description of Foo field")
    bar: int = Field(description="Description of Bar field")
    foo_bar: FooBar = Field(description="Description of FooBar field")


@click.group()
@click.version_option("1.2.3")
def cli():
    "A program."


@cli.command()
@click.option("--a-json-obj", type=json_option(SomeJsonObject))
def run(a_json_obj):
    "Run it."
    click.echo(json.dumps({"class": type(a_json_obj).__name__, "baz": a_json_obj.foo_bar.baz}))


add_mcp(cli)

if __name__ == "__main__":
    cli()
"""


def test_an_option_shows_the_schema_of_its_json():
    @click.command()
    @click.option("--a-json-obj", type=json_option(SomeJsonObject))
    def run(a_json_obj):
        "Run."

    node = offered(run)["run"].input_schema["properties"]["a_json_obj"]
    # Ours also names the flag: models know programs by their help.
    assert node["description"] == f"{SomeJsonObject.__doc__} (`--a-json-obj`)"
    assert node["properties"]["foo"]["description"] == "Description of Foo field"
    inner = node["properties"]["foo_bar"]
    assert inner["description"] == "Description of FooBar field"
    assert inner["properties"]["baz"]["description"] == "Description of Baz field"


@pytest.fixture(scope="module")
def my_cli(tmp_path_factory):
    file = tmp_path_factory.mktemp("program") / "my_cli.py"
    file.write_text(textwrap.dedent(PROGRAM))
    return file


def test_the_program_gets_the_json_and_makes_its_object_of_it(my_cli):
    box = Toolbox("box")
    sys.path.insert(0, str(my_cli.parent))
    try:
        import my_cli as module

        box.include(module.cli, rules=[Rule("run", parse="json")])
        sent = {"a_json_obj": {"foo": "a", "bar": 1, "foo_bar": {"baz": "deep"}}}
        result = box.call("my_cli_run", sent)
    finally:
        sys.path.remove(str(my_cli.parent))
    assert result.structured["data"] == {"class": "SomeJsonObject", "baz": "deep"}


def test_the_tools_are_written_to_a_file(my_cli, tmp_path):
    ended = subprocess.run(
        [sys.executable, my_cli, "mcp", "tools"], cwd=tmp_path, capture_output=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    tools = json.loads((tmp_path / "mcp-tools.json").read_text())
    assert [tool["name"] for tool in tools] == ["my_cli_run"]
