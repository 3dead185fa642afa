"""Arguments are called what the help of a program calls them; its own names are taken as well."""

import argparse

import click
import pytest

from tests.unit.sources.made_programs import leaf, option, program, received
from tests.unit.sources.test_argument_names import box_of, install, only
from toolwright.sources import Rule


def words(box, **sent):
    return received(only(box).call(sent))["words"]


@pytest.mark.promise("commands.spellings")
@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ({"no_deps": True}, ["--no-deps"]),
        ({"ignore_dependencies": True}, ["--no-deps"]),
        ({"no-deps": "true"}, ["--no-deps"]),
        ({"--no-deps": True}, ["--no-deps"]),
        ({"r": "x", "no_deps": None}, ["--requirement=x"]),
        ({"requirements": ["x", "y"]}, ["--requirement=x", "--requirement=y"]),
        ({"output_format": "md", "-m": 3}, ["--to=md", "-m3"]),
        ({"special-opts:command": "x"}, ["-cx"]),
        ({"no_check": True}, ["--no-check"]),
        ({"check": False}, ["--no-check"]),
        ({"check": "false"}, ["--no-check"]),
        ({"check": True}, []),
        ({"no_check": False}, []),
        ({"FOLDER": None, "dest": "x"}, None),
    ],
)
def test_the_names_of_the_program_and_its_flags_are_taken_too(sent, expected):
    if expected is None:
        assert "unknown argument `FOLDER`" in only(install()).call(sent).text
        return
    assert words(install(), **sent) == expected
    as_text = only(install()).call(__import__("json").dumps(sent))
    assert received(as_text)["words"] == expected


def test_what_another_name_meant_is_in_the_repairs():
    (repair,) = only(install()).call({"ignore_dependencies": True}).repairs
    assert (repair.code, repair.text) == ("name", "`ignore_dependencies` read as `no_deps`")


def test_results_that_are_kept_are_those_of_the_published_names():
    box = install(rules=[Rule(cache=60)])
    first = only(box).call({"ignore_dependencies": True})
    assert received(first)["words"] == ["--no-deps"]
    assert [each.code for each in first.repairs] == ["name"]
    assert received(only(box).call({"no_deps": True}))["words"] == ["--no-deps"]


def test_in_two_parts_options_have_the_same_names():
    box = install(style="flags_args")
    assert "no_deps" in only(box).input_schema["properties"]["flags"]["properties"]
    assert words(box, flags={"ignore_dependencies": True}, args=["x"])[0] == "--no-deps"
    twice = only(box).call({"flags": {"no_deps": True, "no-deps": True}})
    assert "`flags.no-deps` and `flags.no_deps` are the same argument" in twice.text


@pytest.mark.parametrize("name", ["no_deps", "--no-deps", "no-deps", "ignore_dependencies"])
def test_rules_take_every_name(name):
    box = install(rules=[Rule(flags=[name, "folder"])])
    assert list(only(box).input_schema["properties"]) == ["no_deps", "folder"]
    assert words(install(rules=[Rule(fixed={name: True})])) == ["--no-deps"]
    assert "no_deps" not in only(install(rules=[Rule(fixed={name: True})])).input_schema
    without = install(rules=[Rule(flags=[f"!{name}"])])
    assert "no_deps" not in only(without).input_schema["properties"]


@pytest.mark.parametrize("fixed", [{"check": False}, {"no_check": True}, {"--no-check": True}])
def test_a_rule_may_set_an_option_by_its_opposite(fixed):
    assert words(install(rules=[Rule(fixed=fixed)])) == ["--no-check"]


def test_a_flag_that_is_not_offered_does_not_become_another_argument():
    parser = argparse.ArgumentParser(prog="tool")
    parser.add_argument("--hush", dest="danger")
    parser.add_argument("--danger", dest="other")
    box = box_of(parser, rules=[Rule(flags=["!--danger"])])
    assert list(only(box).input_schema["properties"]) == ["hush"]
    assert "unknown argument `danger`" in only(box).call({"danger": "x"}).text
    assert words(box_of(parser), danger="x") == ["--danger=x"]


def test_an_option_and_a_positional_may_have_one_name():
    parser = argparse.ArgumentParser(prog="tool")
    parser.add_argument("path")
    parser.add_argument("--path", dest="location")
    parser.add_argument("file", metavar="NAME")
    parser.add_argument("--name", dest="title")
    box = box_of(parser)
    assert list(only(box).input_schema["properties"]) == ["tool_path", "path", "file", "name"]
    sent = {"tool_path": "a", "path": "b", "file": "c", "name": "d"}
    assert {"--path=b", "--name=d"} < set(words(box, **sent))
    assert words(box, **sent)[-2:] == ["a", "c"]


def test_pairs_and_choices_are_taken_by_each_of_their_flags():
    @click.command()
    @click.option("--color/--no-color", "style", default=True)
    @click.option("--upper", "case", flag_value="up")
    @click.option("--lower", "case", flag_value="low")
    @click.option("--tag", "tags", multiple=True, help="A tag.")
    @click.argument("source", metavar="SRC ...", nargs=-1)
    def tool(**_): ...

    box = box_of(tool)
    assert only(box).input_schema["properties"] == {
        "color": {"type": "boolean", "default": True, "description": "`--color`, `--no-color`"},
        "case": {"type": "string", "enum": ["up", "low"], "description": "`--upper`, `--lower`"},
        "tag": {"type": "array", "items": {"type": "string"}, "description": "A tag. (`--tag`)"},
        "src": {"type": "array", "items": {"type": "string"}},
    }
    assert words(box, no_color=True) == ["--no-color"]
    assert words(box, style=False, upper=True) == ["--no-color", "--upper"]
    assert words(box, case="low", tags="x") == ["--lower", "--tag=x"]
    assert words(box, lower=False) == []
    assert "`lower` and `case` are the same" in only(box).call({"case": "up", "lower": True}).text


def test_in_groups_the_names_are_taken_as_well():
    @click.group()
    def tool(): ...

    for name in ("one", "two"):

        @tool.command(name)
        @click.option("--deep", "recursive", is_flag=True)
        def _(recursive): ...

    sent = {"command": "one", "arguments": {"recursive": True}}
    (name,) = box_of(tool, mode="group")
    box = box_of(tool, mode="group")
    assert received(box.call(name, sent))["words"] == ["one", "--deep"]


def test_one_option_at_two_levels_has_two_names():
    size = option("size", {"type": "integer"})
    tool = only(box_of(program(leaf("run", parameters=(size,)), parameters=(size,))))
    assert list(tool.input_schema["properties"]) == ["size", "kube_size"]
    assert received(tool.call({"size": 1, "kube_size": 2}))["words"] == [
        "--size=2",
        "run",
        "--size=1",
    ]
