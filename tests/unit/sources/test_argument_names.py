"""Arguments are called what the help of a program calls them; its own names are taken as well."""

import argparse

import click
import pytest

from tests.unit.sources.made_programs import RECEIVED
from toolwright import Toolbox
from toolwright.sources import CommandLine, Rule


def install(**more):
    parser = argparse.ArgumentParser(prog="pip")
    parser.add_argument("--no-deps", dest="ignore_dependencies", action="store_true", help="Alone.")
    parser.add_argument("-r", "--requirement", dest="requirements", action="append")
    parser.add_argument("--to", dest="output_format", help="Such as `--to md`.")
    parser.add_argument("-c", dest="special-opts:command")
    parser.add_argument("-m", dest="module", type=int)
    parser.add_argument("--no-check", dest="check", action="store_false")
    parser.add_argument("dest", metavar="FOLDER", nargs="?")
    return box_of(parser, **more)


def box_of(target, **more):
    box = Toolbox("box")
    box.include(CommandLine(target, argv=RECEIVED, **more))
    return box


def only(box):
    (name,) = box
    return box[name]


@pytest.mark.promise("commands.names")
def test_arguments_are_called_what_the_help_calls_them():
    assert only(install()).input_schema["properties"] == {
        "no_deps": {"type": "boolean", "default": False, "description": "Alone. (`--no-deps`)"},
        "requirement": {"type": "array", "items": {"type": "string"}},
        "to": {"type": "string", "description": "Such as `--to md`."},
        "c": {"type": "string"},
        "module": {"type": "integer", "description": "`-m`"},
        "no_check": {"type": "boolean", "default": False},
        "folder": {"type": "string"},
    }


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        ({"no_deps": True, "ignore_dependencies": True}, "`ignore_dependencies` and `no_deps`"),
        ({"ignore_dependencies": True, "--no-deps": False}, "`--no-deps` and `no_deps`"),
        ({"check": True, "no_check": True}, "`check` and `no_check`"),
    ],
)
def test_two_names_for_one_argument_are_refused(sent, fault):
    said = only(install()).call(sent)
    assert said.is_error
    assert f"{fault} are the same argument: send one of them" in said.text


def test_an_unsuitable_value_under_another_name_is_explained():
    assert "`module` must be an integer" in only(install()).call({"-m": "x"}).text
    assert "unknown argument `check`" in only(install()).call({"check": "maybe"}).text


def test_texts_of_arguments_may_be_given_by_every_name():
    for name in ("no_deps", "ignore_dependencies", "--no-deps"):
        box = install(rules=[Rule(descriptions={name: "Only this."})])
        assert only(box).input_schema["properties"]["no_deps"]["description"] == "Only this."


def test_without_repair_only_published_names_are_taken():
    box = install(rules=[Rule(repair=False)])
    assert (
        "unknown argument `ignore_dependencies`"
        in only(box).call({"ignore_dependencies": True}).text
    )


def test_a_default_that_the_help_says_already_is_not_said_twice():
    @click.command()
    @click.option("--file", show_default="~/x", help="Where (default: ~/x).")
    @click.option("--other", show_default="~/x", help="Where.")
    def tool(**_): ...

    properties = only(box_of(tool)).input_schema["properties"]
    assert properties["file"]["description"] == "Where (default: ~/x). (`--file`)"
    assert properties["other"]["description"] == "Where. (default: ~/x) (`--other`)"


def test_a_missing_positional_is_called_what_the_schema_calls_it():
    parser = argparse.ArgumentParser(prog="tool")
    parser.add_argument("special:first", metavar="FIRST", nargs="?")
    parser.add_argument("second", nargs="?")
    said = only(box_of(parser)).call({"second": "x"})
    assert "`second` needs `first`, which comes before it" in said.text
