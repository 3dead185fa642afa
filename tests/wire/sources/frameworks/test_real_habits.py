"""What real programs do with their frameworks is read as their help shows it."""

import argparse
import optparse
import sys
from pathlib import Path

import click
import pytest

from tests.unit.sources.frameworks.test_real_habits import only, parser_of, properties, words
from toolwright.sources.script_program import capture


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
