"""What real programs do with their frameworks is read as their help shows it."""

import argparse
import optparse
import sys
from pathlib import Path

import click
import cyclopts
import pytest
import typer
from made_programs import RECEIVED, received

from toolwright import Toolbox
from toolwright.sources import CommandLine
from toolwright.sources.capture.script import capture


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


def with_argparse():
    parser = parser_of()
    parser.add_argument("--incremental", dest="inc", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--no-incremental", dest="inc", action="store_false", help="No cache.")
    parser.add_argument("--strict", action="store_true", default=False)
    parser.add_argument("--no-strict", dest="strict", action="store_false", help=argparse.SUPPRESS)
    parser.set_defaults(inc=True)
    return parser


def with_optparse():
    parser = optparse.OptionParser(prog="tool")
    hidden = optparse.SUPPRESS_HELP
    parser.add_option("--incremental", dest="inc", action="store_true", help=hidden, default=True)
    parser.add_option("--no-incremental", dest="inc", action="store_false", help="No cache.")
    parser.add_option("--strict", action="store_true", default=False)
    parser.add_option("--no-strict", dest="strict", action="store_false", help=hidden)
    return parser


def with_click():
    @click.command()
    @click.option("--incremental", "inc", flag_value=True, default=True, hidden=True)
    @click.option("--no-incremental", "inc", flag_value=False, help="No cache.")
    @click.option("--strict/--no-strict")
    def tool(**_): ...

    return tool


@pytest.mark.parametrize("make", [with_argparse, with_optparse, with_click])
def test_a_negative_that_is_shown_is_offered_though_its_positive_is_hidden(make):
    found = properties(make())
    assert found["no_incremental"]["description"] == "No cache. (`--no-incremental`)"
    assert words(make(), no_incremental=True) == ["--no-incremental"]
    assert words(make(), inc=False) == ["--no-incremental"]
    assert found["strict"] == {
        "type": "boolean",
        "default": False,
        "description": "`--strict`, `--no-strict`",
    }


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


def test_a_flag_that_stands_for_a_constant_is_a_flag():
    parser = parser_of()
    parser.add_argument("--fast", dest="speed", action="store_const", const=5, help="Quickly.")
    parser.add_argument("--debug", dest="level", action="store_const", const=10)
    parser.add_argument("--quiet", dest="level", action="store_const", const=40)
    parser.set_defaults(level=10)
    assert properties(parser) == {
        "fast": {"type": "boolean", "default": False, "description": "Quickly. (`--fast`)"},
        "level": {
            "type": "integer",
            "enum": [10, 40],
            "default": 10,
            "description": "`--debug`, `--quiet`",
        },
    }
    assert words(parser, fast=True, level=40) == ["--fast", "--quiet"]
    assert words(parser, speed=True, quiet=True) == ["--fast", "--quiet"]

    options = optparse.OptionParser(prog="tool")
    options.add_option("--fast", dest="speed", action="store_const", const=5)
    options.add_option("--debug", dest="level", action="store_const", const=10)
    options.add_option("--quiet", dest="level", action="store_const", const=40)
    found = properties(options)
    assert (found["fast"]["type"], found["level"]["enum"]) == ("boolean", [10, 40])

    @click.command()
    @click.option("--fast", "speed", flag_value=5)
    @click.option("--slow", "pace", flag_value="slow")
    @click.option("--walk", "pace", flag_value="walk")
    def tool(**_): ...

    assert properties(tool)["fast"] == {"type": "boolean", "default": False}
    assert properties(tool)["pace"]["enum"] == ["slow", "walk"]


class BySpelling(argparse.Action):
    """A switch that goes by how it is spelled, as pex has it."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, nargs=0, **kwargs)

    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, not str(option_string).startswith(("--no-", "--in")))


def test_a_switch_that_goes_by_its_spelling_is_only_a_pair():
    parser = parser_of()
    names = ("--pypi", "--no-pypi", "--no-index", "--inpypi")
    parser.add_argument(*names, dest="index", action=BySpelling, default=True, help="Use it.")
    parser.add_argument("--mark", "-m", dest="mark", action=BySpelling)
    assert properties(parser) == {
        "pypi": {
            "type": "boolean",
            "default": True,
            "description": "Use it. (`--pypi`, `--no-pypi`)",
        },
        "mark": {"type": "boolean"},
    }
    assert words(parser, pypi=False) == ["--no-pypi"]
    assert words(parser, pypi=True, mark=True) == ["--pypi", "--mark"]
    for name in ("no_index", "inpypi"):  # as another name of `pypi` it would be its opposite
        assert only(parser).call({name: True}).is_error


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


def with_tuples():
    @click.command()
    @click.option("--param", nargs=2, multiple=True)
    @click.option("--at", nargs=2)
    def tool(**_): ...

    return tool


def test_click_takes_the_next_words_of_a_tuple_whatever_they_are():
    sent = {"param": [["x", "-5"], ["--param", "--"]], "at": ["-", "--help"]}
    expected = ["--param", "x", "-5", "--param", "--param", "--", "--at", "-", "--help"]
    assert sorted(words(with_tuples(), **sent)) == sorted(expected)
    seen = {}
    command = with_tuples()
    command.callback = lambda **given: seen.update(given)
    command.main(words(with_tuples(), **sent), standalone_mode=False)
    assert seen == {"param": (("x", "-5"), ("--param", "--")), "at": ("-", "--help")}


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


BABEL = """
import optparse, sys
class Line:
    commands = {"compile": "compile catalogs", "extract": "extract messages"}
    def run(self):
        self.parser = optparse.OptionParser(usage="%prog command [args]")
        self.parser.disable_interspersed_args()
        self.parser.print_help = self.help
        self.parser.add_option("-v", "--verbose", action="store_const", dest="loglevel", const=10)
        options, args = self.parser.parse_args(sys.argv[1:])
        parser = optparse.OptionParser(usage="%prog " + args[0], description=self.commands[args[0]])
        parser.add_option("--directory", "-d")
        parser.parse_args(args[1:])
    def help(self):
        print(self.parser.format_help())
        print("commands:")
        for name, text in self.commands.items():
            print(f"  {name:<8} {text}")
Line().run()
"""


def test_commands_that_only_a_help_of_the_programs_own_lists_are_tools(tmp_path):
    file = Path(tmp_path, "pybabel.py")
    file.write_text(BABEL)
    found = capture([sys.executable, str(file)])
    assert [each.path for each in found.root.commands] == [("compile",), ("extract",)]
    assert [each.name for each in found.root.commands[0].parameters] == ["directory", "args"]
    assert [each.name for each in found.root.parameters] == ["loglevel"]
