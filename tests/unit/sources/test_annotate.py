"""Authors leave hints on commands, whatever framework they use."""

import argparse

import click
import cyclopts
import pytest
import typer

from toolwright.sources.frameworks.parts import annotate
from toolwright.sources.frameworks.recognise import program_of

HINTS = {"read_only": True, "title": "List"}


def test_above_and_below_the_decorator_of_click():
    @annotate(title="List")
    @click.command()
    @annotate(read_only=True)
    def run(): ...

    assert program_of(run).root.annotations == HINTS


def test_on_a_function_of_typer():
    app = typer.Typer()

    @app.command()
    @annotate(**HINTS)
    def run(): ...

    assert program_of(app).root.annotations == HINTS


def test_on_a_function_of_cyclopts():
    app = cyclopts.App(name="app")

    @app.default
    @annotate(**HINTS)
    def run(): ...

    assert program_of(app).root.annotations == HINTS


def test_on_a_parser_or_the_function_that_it_names():
    parser = argparse.ArgumentParser(prog="app")
    parser.set_defaults(func=annotate(lambda: None, read_only=True))
    assert annotate(parser, title="List") is parser
    assert program_of(parser).root.annotations == HINTS


def test_hints_are_json():
    with pytest.raises(TypeError, match="hints must be JSON values"):
        annotate(title=object())


def test_what_keeps_no_attributes_is_refused():
    with pytest.raises(TypeError, match="App cannot hold hints; annotate its function"):
        annotate(cyclopts.App(), read_only=True)
