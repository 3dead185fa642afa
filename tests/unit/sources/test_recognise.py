"""A target is recognised by its classes, named and started again in a process of its own."""

import argparse
from pathlib import Path

import click
import cyclopts
import pytest
import typer

import toolwright
from toolwright.sources.frameworks.recognise import framework_of, program_of

PROGRAMS = Path(__file__).parent / "programs"


def command_of(app):
    return typer.main.get_command(app)


@pytest.mark.parametrize(
    ("target", "framework"),
    [
        (click.Command("x"), "click"),
        (click.Group("x"), "click"),
        (typer.Typer(), "typer"),
        (argparse.ArgumentParser(), "argparse"),
        (type("Mine", (argparse.ArgumentParser,), {})(), "argparse"),
        (cyclopts.App(), "cyclopts"),
        (click.Group, ""),
        (print, ""),
        (None, ""),
        (type("Command", (), {})(), ""),
    ],
)
def test_a_framework_is_recognised_by_the_classes_of_an_object(target, framework):
    assert framework_of(target) == framework


def test_a_command_made_from_a_typer_app_is_one_of_typer():
    app = typer.Typer()
    app.command()(lambda: None)
    assert framework_of(command_of(app)) == "typer"


def test_what_is_of_no_framework_is_refused():
    with pytest.raises(TypeError, match="function is not a command of a known framework"):
        program_of(lambda: None)


def test_what_no_module_holds_cannot_be_started():
    assert program_of(argparse.ArgumentParser(prog="x")).argv == ()
    given = program_of(argparse.ArgumentParser(prog="x"), argv=["/usr/bin/x", "-q"])
    assert given.argv == ("/usr/bin/x", "-q")


def test_a_module_that_does_nothing_as_a_script_cannot_be_started(tmp_path, monkeypatch):
    (tmp_path / "only_a_parser.py").write_text(
        "import argparse\nparser = argparse.ArgumentParser(prog='x')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import only_a_parser

    assert program_of(only_a_parser.parser).argv == ()


def test_version_and_name_come_from_the_root():
    command = click.version_option(package_name="toolwright")(click.Command("kubectl"))
    found = program_of(command)
    assert (found.name, found.version) == ("kubectl", toolwright.__version__)
    assert program_of(command, name="other").name == "other"
