"""What real programs do with their frameworks is read as their help shows it."""

import argparse

import cyclopts
import pytest
import typer

from tests.unit.sources.made_programs import RECEIVED, received
from toolwright import Toolbox
from toolwright.sources import CommandLine


def only(target):
    box = Toolbox("box")
    box.include(CommandLine(target, argv=RECEIVED))
    (name,) = box
    return box[name]


def properties(target):
    return only(target).input_schema["properties"]


def words(target, **sent):
    return received(only(target).call(sent))["words"]


def parser_of(usage=None, prog="tool"):
    return argparse.ArgumentParser(prog=prog, usage=usage)


@pytest.mark.promise("commands.habits")
@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        ("%(prog)s [OPTIONS] [APP_MODULE]", ["app_module"]),
        ("%(prog)s [-h] [--bind ADDRESS] [-c=FILE] [APP]", ["app"]),
        ("%(prog)s [options] args ...", ["args"]),
        ("%(prog)s [OPTIONS]", []),
        (None, []),
    ],
)
def test_a_positional_without_help_is_offered_if_the_usage_shows_it(usage, expected):
    parser = parser_of(usage)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    parser.add_argument("args", nargs="*", help=argparse.SUPPRESS)
    assert list(properties(parser)) == expected


def test_several_positionals_without_help_are_offered_by_their_own_names():
    parser = parser_of("tool SOURCE [TARGET] [NAME]")
    parser.add_argument("source")
    parser.add_argument("target", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("debug", nargs="?", help=argparse.SUPPRESS)
    assert list(properties(parser)) == ["source", "target"]


def of_typer(**settings):
    app = typer.Typer(**settings)

    @app.command(help="A [bold]shop[/bold].", epilog="In [red]red[/red].")
    def tool(size: int = typer.Option(3, help="How [i]many[/i].")): ...

    return app


@pytest.mark.promise("commands.markup")
def test_markup_of_typer_is_rendered_where_its_help_renders_it():
    found = only(of_typer(rich_markup_mode="rich"))
    assert found.description == "A shop.\n\nExamples:\nIn red."
    assert found.input_schema["properties"]["size"]["description"] == "How many. (`--size`)"
    for mode in ("markdown", None):
        found = only(of_typer(rich_markup_mode=mode))
        assert found.description == "A [bold]shop[/bold].\n\nExamples:\nIn [red]red[/red]."
        description = found.input_schema["properties"]["size"]["description"]
        assert description == "How [i]many[/i]. (`--size`)"


def test_markup_of_cyclopts_is_rendered_where_its_help_renders_it():
    for mode, shown in (("rich", "bold"), ("plaintext", "[b]bold[/b]")):
        app = cyclopts.App(name="tool", help_format=mode, help_epilogue="In [red]red[/red].")

        @app.command(help="Is [b]bold[/b].")
        def run(*, size: int = 3):
            """Run.

            Parameters
            ----------
            size
                Of [b]bold[/b].
            """

        found = only(app)
        assert found.description == f"Is {shown}."
        assert found.input_schema["properties"]["size"]["description"] == f"Of {shown}. (`--size`)"


def test_markup_that_is_broken_stays_as_it_is():
    app = typer.Typer(rich_markup_mode="rich")

    @app.command(help="Closes [/bold] too much.")
    def tool(): ...

    assert only(app).description == "Closes [/bold] too much."


class Layout:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


def test_a_default_that_is_an_object_is_the_choice_that_it_prints():
    flat, deep = Layout("flat"), Layout("deep")
    parser = parser_of()
    parser.add_argument("--layout", choices=[flat, deep], default=deep)
    parser.add_argument("--other", choices=[flat], default=deep)
    assert properties(parser) == {
        "layout": {"type": "string", "enum": ["flat", "deep"], "default": "deep"},
        "other": {"type": "string", "enum": ["flat"], "description": "(default: deep) (`--other`)"},
    }


def test_the_help_says_which_option_takes_a_password():
    parser = parser_of()
    parser.add_argument("--upw", help="User password (for locked files)")
    parser.add_argument("--opw", help="the passphrase of the owner")
    parser.add_argument("--pf", help="Password file")
    parser.add_argument("--words", help="Passwords to try")
    parser.add_argument("--ask", help="Password prompt")
    assert list(properties(parser)) == ["pf", "words", "ask"]


def test_a_private_key_that_is_a_file_is_no_secret():
    parser = parser_of()
    parser.add_argument("--ssh-private-key", help="Private key file to use.")
    parser.add_argument("--private-key", help="The key itself.")
    parser.add_argument("--api-key", help="See the file of keys.")
    assert list(properties(parser)) == ["ssh_private_key"]
