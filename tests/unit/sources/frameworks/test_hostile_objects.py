"""Objects that are wrong or hostile end in one clear refusal, never in a crash."""

import argparse
import optparse

import click
import cyclopts
import pytest
import typer

from toolwright.errors import SchemaError
from toolwright.sources.frameworks.recognise import program_of
from toolwright.sources.program import UNSET


class Broken(click.Group):
    def __init__(self, listed, found=None):
        super().__init__("broken")
        self.listed, self.found = listed, found

    def list_commands(self, ctx):
        return self.listed()

    def get_command(self, ctx, name):
        return self.found


def within(group):
    root = click.Group("app")
    root.add_command(group, "broken")
    root.add_command(click.Command("good"))
    return program_of(root)


def raising(error):
    def call(*args, **kwargs):
        raise error

    return call


@pytest.mark.parametrize(
    ("listed", "found", "reason"),
    [
        (raising(RuntimeError("no\nnetwork")), None, "app broken cannot be read: RuntimeError: no network"),
        (raising(SystemExit(3)), None, "app broken cannot be read: SystemExit: 3"),
        (lambda: None, None, "app broken cannot be read: TypeError: 'NoneType' object is not iterable"),
        (lambda: [3], None, "app broken has a command with the name 3"),
        (lambda: [""], None, "app broken has a command with the name ''"),
        (lambda: ["a b"], None, "app broken has a command with the name 'a b'"),
        (lambda: ["a\x1b[2J"], None, "app broken has a command with the name 'a\\x1b[2J'"),
        (lambda: ["--x"], None, "app broken has a command with the name '--x'"),
        (lambda: ["gone"], None, "app broken gone is listed, but there is no such command"),
        (lambda: ["rubbish"], 17, "app broken rubbish is listed, but there is no such command"),
    ],
)  # fmt: skip
def test_a_command_that_cannot_be_read_is_left_out_with_a_reason(listed, found, reason):
    program = within(Broken(listed, found))
    assert program.left_out == (reason,)
    assert program.root.commands[-1].name == "good"


def test_a_root_that_cannot_be_read_is_refused():
    with pytest.raises(SchemaError, match="broken cannot be read: OSError: x"):
        program_of(Broken(raising(OSError("x"))))


def test_a_group_that_contains_itself_is_left_out_there():
    group = click.Group("app")
    group.add_command(group, "again")
    program = program_of(group)
    assert program.left_out == ("app again contains itself",)


def test_commands_without_an_end_are_refused():
    def endless():
        while True:
            yield "x"

    with pytest.raises(SchemaError, match="has more than 20000 commands"):
        program_of(Broken(endless))


def test_a_chain_of_ever_new_groups_is_refused_where_it_gets_too_deep():
    class Deeper(click.Group):
        def list_commands(self, ctx):
            return ["on"]

        def get_command(self, ctx, name):
            return Deeper("on")

    program = program_of(Deeper("app"))
    assert len(program.left_out) == 1
    assert program.left_out[0].endswith("is nested deeper than 30 commands")


def test_a_default_that_raises_is_only_said():
    class Angry:
        def __call__(self):
            raise RuntimeError

        def __str__(self):
            raise RuntimeError

    option = click.Option(["--x"], default=Angry(), type=click.UNPROCESSED)
    found = program_of(click.Command("app", params=[option])).root.parameters[0]
    assert found.default_text == "worked out when the program runs"


def test_a_default_that_cannot_be_written_is_a_refusal():
    class Silent:
        def __str__(self):
            raise RuntimeError("never")

    parser = argparse.ArgumentParser(prog="app")
    parser.add_argument("--x", default=Silent())
    with pytest.raises(SchemaError, match="app cannot be read: RuntimeError: never"):
        program_of(parser)


def test_a_flag_with_a_control_character_is_refused():
    parser = argparse.ArgumentParser(prog="app")
    parser.add_subparsers().add_parser("bad").add_argument("--a\x1bb")
    assert program_of(parser).left_out == (r"app bad has a parameter with the name '--a\x1bb'",)


def test_a_parser_that_contains_itself_is_left_out_there():
    parser = argparse.ArgumentParser(prog="app")
    branch = parser.add_subparsers()
    branch._name_parser_map["again"] = parser
    assert program_of(parser).left_out == ("app again contains itself",)


def test_an_app_that_contains_itself_is_left_out_there():
    app = cyclopts.App(name="app")
    inner = cyclopts.App(name="inner")
    app.command(inner)
    inner._commands["again"] = app
    assert program_of(app).left_out == ("app inner again contains itself",)


def test_a_function_that_typer_cannot_read_is_a_refusal():
    app = typer.Typer()

    @app.command()
    def run(x: int | str): ...

    with pytest.raises(SchemaError, match="typer cannot be read: AssertionError: Typer currently"):
        program_of(app)


def test_help_texts_keep_no_control_characters():
    command = click.Command("app", help="a\x1b[31mred\x1b[0m\x07\u2028\ud800 end", epilog="\x9b1m")
    found = program_of(command).root
    assert (found.description, found.examples) == ("ared end", "1m")


def test_a_wrong_percent_in_help_is_shown_as_it_is():
    parser = optparse.OptionParser(prog="app")
    parser.add_option("--x", help="100% %default")
    assert program_of(parser).root.parameters[0].description == "100% none"


def test_no_text_says_a_password():
    parser = argparse.ArgumentParser(prog="db")
    parser.add_argument("--password", default="hush-1", help="A word (default: %(default)s).")
    parser.add_argument("--url", default="pg://me:hush-2@host/x", help="Where (%(default)s).")
    parser.add_argument("--host", default="http://host:80/a@b", help="Where (%(default)s).")
    password, url, host = program_of(parser).root.parameters
    assert password.description == "A word (default: not shown)."
    assert url.description == "Where (not shown)."
    assert (password.default, url.default) == (UNSET, UNSET)
    assert host.default == "http://host:80/a@b"
