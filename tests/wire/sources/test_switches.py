"""Flags without an opposite: nothing that cannot be said is taken for said."""

import argparse
import optparse
from typing import Annotated

import click
import pytest
import typer

from tests.unit.sources.made_programs import RECEIVED, leaf, option, program, received
from toolwright import Toolbox
from toolwright.sources import CommandLine, Rule


def of_click():
    @click.command("run")
    @click.option("--verify", is_flag=True, default=True, help="Check it.")
    @click.option("--force", is_flag=True)
    def run(verify, force): ...

    return run


def of_typer():
    app = typer.Typer()

    @app.command()
    def run(
        verify: Annotated[bool, typer.Option("--verify", help="Check it.")] = True,
        force: Annotated[bool, typer.Option("--force")] = False,
    ): ...

    return app


def of_argparse():
    parser = argparse.ArgumentParser("run")
    parser.add_argument("--verify", action="store_true", default=True, help="Check it.")
    parser.add_argument("--force", action="store_true")
    return parser


def of_optparse():
    parser = optparse.OptionParser("run")
    parser.add_option("--verify", action="store_true", default=True, help="Check it.")
    parser.add_option("--force", action="store_true", default=False)
    return parser


def constant_of_click():
    @click.command("run")
    @click.option("--verify", is_flag=True, flag_value="full", default="full", help="Check it.")
    @click.option("--force", is_flag=True, flag_value="all")
    def run(verify, force): ...

    return run


def constant_of_argparse():
    parser = argparse.ArgumentParser("run")
    parser.add_argument("--verify", action="store_const", const=5, default=5, help="Check it.")
    parser.add_argument("--force", action="store_const", const=5)
    return parser


def constant_of_optparse():
    parser = optparse.OptionParser("run")
    parser.add_option("--verify", action="store_const", const=5, default=5, help="Check it.")
    parser.add_option("--force", action="store_const", const=5)
    return parser


FLAG = {"type": "boolean"}


def scanned():
    """A help text says only in words that a switch is on."""
    verify = option("verify", FLAG, emit="flag", default_text="true", description="Check it.")
    return program(
        parameters=(verify, option("force", FLAG, emit="flag", default_text="off")), name="run"
    )


CONSTANTS = [constant_of_click, constant_of_argparse, constant_of_optparse]
PROGRAMS = [of_click, of_typer, of_argparse, of_optparse, *CONSTANTS, scanned]


@pytest.mark.promise("commands.no-negative")
@pytest.mark.parametrize("made", PROGRAMS)
@pytest.mark.parametrize("style", ["typed", "flags_args"])
def test_a_flag_that_nothing_switches_off_can_only_be_true(made, style):
    box = Toolbox("box")
    box.include(CommandLine(made(), argv=RECEIVED, name="run", style=style))
    properties = box["run"].input_schema["properties"]
    properties = properties if style == "typed" else properties["flags"]["properties"]
    assert properties["verify"]["enum"] == [True]
    assert "It cannot be switched off." in properties["verify"]["description"]
    assert "enum" not in properties["force"]

    def call(**flags):
        return box.call("run", flags if style == "typed" else {"flags": flags})

    refused = call(verify=False)
    assert refused.is_error
    assert "verify`" in refused.text
    assert received(call(force=False, verify=True))["words"] == ["--verify"]


def box_of(*parameters, **more):
    box = Toolbox("box")
    box.include(CommandLine(program(leaf("go", parameters=parameters)), **more))
    return box


def test_a_flag_that_a_variable_sets_cannot_be_switched_off(monkeypatch):
    force = option("force", FLAG, emit="flag", environment=("TEST_FORCE",), default=False)
    rule = Rule("*", pass_env=["TEST_*"])
    box = box_of(force, rules=[rule])
    assert received(box.call("kube_go", {"force": False}))["words"] == ["go"]
    monkeypatch.setenv("TEST_FORCE", "1")
    refused = box.call("kube_go", {"force": False})
    assert "`force` cannot be false: the variable TEST_FORCE is set" in refused.text
    assert not box_of(force).call("kube_go", {"force": False}).is_error  # it does not get there
    monkeypatch.setenv("TEST_FORCE", "false")
    assert not box.call("kube_go", {"force": False}).is_error


WITHOUT_WORDS = [
    (option("n", {"type": "integer", "minimum": 0}, emit="count", default=2), 0),
    (option("n", {"type": "array", "items": {"type": "string"}}, emit="repeat", default=["a"]), []),
    (option("n", {"type": ["string", "boolean"]}, emit="optional", default="auto"), False),
    (option("n", {"type": "object"}, emit="map", default={"a": 1}), {}),
]


@pytest.mark.parametrize(
    ("one", "value"), WITHOUT_WORDS, ids=["count", "repeat", "optional", "map"]
)
def test_a_value_without_words_is_refused_where_the_program_has_another_default(one, value):
    assert box_of(one).call("kube_go", {"n": value}).is_error
    plain = option("n", one.schema, emit=one.emit)
    assert received(box_of(plain).call("kube_go", {"n": value}))["words"] == ["go"]


def test_a_rule_cannot_fix_what_no_flag_says():
    box = Toolbox("box")
    verify = option("verify", FLAG, emit="flag", default=True)
    lines = CommandLine(
        program(leaf("go", parameters=(verify,)), leaf("stay")),
        rules=[Rule("*", fixed={"verify": False})],
    )
    with pytest.raises(Exception, match="no flag that switches it off"):
        box.include(lines)
