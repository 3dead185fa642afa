"""The parser of an unmodified script is caught before the program does anything."""

import json
import sys
from pathlib import Path

import pytest

from tests.unit.sources.programs.round_trips import PROGRAMS, program
from toolwright import Toolbox
from toolwright.errors import SchemaError
from toolwright.sources.script_program import capture
from toolwright.sources.program import UNSET
from toolwright.sources.program_file import program_to_json

HERE = Path(__file__).parents[2] / "unit" / "sources" / "programs"


def written(tmp_path, code, name="tool.py"):
    file = tmp_path / name
    file.write_text(code)
    return file


@pytest.mark.parametrize("framework", ["argparse", "click", "typer", "optparse", "cyclopts"])
def test_a_script_is_caught_as_its_object_is_read(framework):
    module, attribute, _ = PROGRAMS[framework]
    file = HERE / f"{module}.py"
    found = capture(file)
    assert found.argv == (sys.executable, str(file))
    assert found.name == module
    assert program_to_json(found)["root"] == program_to_json(program(module, attribute))["root"]


NEVER_FURTHER = """
import argparse, pathlib
def main():
    parser = argparse.ArgumentParser(description="Write.")
    parser.add_argument("--size", type=int)
    try:
        parser.parse_args()
    except BaseException:
        pass
    finally:
        pathlib.Path({file!r}).write_text("done")
print("noise")
input_is_closed = __import__("sys").stdin.read() == ""
assert input_is_closed
main()
"""


def test_a_program_gets_no_further_than_its_parser(tmp_path):
    mark = tmp_path / "mark"
    found = capture(written(tmp_path, NEVER_FURTHER.format(file=str(mark))))
    assert [each.name for each in found.root.parameters] == ["size"]
    assert not mark.exists()


def test_home_is_empty_and_secrets_stay_away(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    code = (
        "import argparse, os, pathlib\n"
        "assert 's3cret' not in os.environ.values()\n"
        "assert not [*pathlib.Path.home().iterdir(), *pathlib.Path.cwd().iterdir()]\n"
        "argparse.ArgumentParser().parse_args()\n"
    )
    assert capture(written(tmp_path, code)).name == "tool"


PASSING = """
import argparse, os, pathlib, random, tempfile
parser = argparse.ArgumentParser(description=f"Keep things in {pathlib.Path.home()}/things.")
parser.add_argument("--cache", default=pathlib.Path.home() / ".cache" / "tool", help="%(default)s.")
parser.add_argument("--folder", default=os.getcwd())
parser.add_argument("--out", default=os.path.join(tempfile.gettempdir(), "out"))
parser.add_argument("--seed", type=int, default=random.getrandbits(60), help="Seed (%(default)s).")
parser.add_argument("--work", default=tempfile.mkdtemp())
parser.add_argument("--kind", choices={"a", "b", "c", "d", "e"})
parser.add_argument("--size", type=int, default=3)
parser.parse_args()
"""


@pytest.mark.promise("commands.defaults")
def test_defaults_that_hold_for_one_run_are_described_and_the_rest_is_published(tmp_path):
    file = written(tmp_path, PASSING)
    found, again = capture(file), capture(file)
    assert found == again
    assert found.root.description == "Keep things in ~/things."
    said = {
        each.name: (each.default, each.default_text, each.description)
        for each in found.root.parameters
    }
    del said["kind"]
    assert said == {
        "cache": (UNSET, "~/.cache/tool", "~/.cache/tool."),
        "folder": (UNSET, "the current folder", ""),
        "out": (UNSET, "$TMPDIR/out", ""),
        "seed": (UNSET, "worked out when the program runs", "Seed (...)."),
        "work": (UNSET, "worked out when the program runs", ""),
        "size": (3, "", ""),
    }


PRE_PARSER = """
import argparse
first = argparse.ArgumentParser(add_help=False)
first.add_argument("--debug", action="store_true")
known, rest = first.parse_known_args()
parser = argparse.ArgumentParser(parents=[first])
parser.add_argument("--size", type=int)
parser.parse_args(rest)
"""


def test_a_parser_that_only_looks_ahead_goes_on(tmp_path):
    found = capture(written(tmp_path, PRE_PARSER))
    assert [each.name for each in found.root.parameters] == ["debug", "size"]


DISPATCHER = """
import argparse, sys
def upload(words):
    parser = argparse.ArgumentParser(prog="tool upload")
    parser.add_argument("--sign", action="store_true")
    parser.add_argument("files", nargs="+")
    parser.parse_args(words)
def check(words):
    raise SystemExit("no")
parser = argparse.ArgumentParser()
parser.add_argument("--quiet", action="store_true")
parser.add_argument("command", choices=["upload", "check"])
parser.add_argument("args", nargs=argparse.REMAINDER)
given = parser.parse_args()
{"upload": upload, "check": check}[given.command](given.args)
"""


def test_commands_with_parsers_of_their_own_are_caught_one_by_one(tmp_path):
    found = capture(written(tmp_path, DISPATCHER))
    assert [each.name for each in found.root.parameters] == ["quiet"]
    assert [each.path for each in found.root.commands] == [("upload",)]
    assert [each.name for each in found.root.commands[0].parameters] == ["sign", "files"]
    reason = "tool check ended before it called a parser of a known framework: no"
    assert found.left_out == (f"{reason} - scan its `--help` instead",)


PRINTS_ITS_COMMANDS = """
import argparse, sys
def fetch(words):
    parser = argparse.ArgumentParser("tool fetch", usage="tool fetch [options] <url>")
    parser.add_argument("--retry", type=int)
    parser.parse_known_args(words)
def cache(words):
    parser = argparse.ArgumentParser("tool cache")
    clean = parser.add_subparsers().add_parser("clean")
    if words[0] == "clean":
        clean.add_argument("pattern")
    parser.parse_args(words)
def erase(words):
    print("no parser")
commands = {"fetch": fetch, "cache": cache, "erase": erase}
if sys.argv[1] not in commands:
    print("Tool 1.0\\n\\nMain commands:\\n\\n  fetch    Get a page,")
    print("           as it is\\n  cache    Manage it\\n\\nOther commands")
    print("erase      Remove all\\nhelp       Show this\\n\\nFiles:\\n  ~/.tool  Settings")
else:
    commands[sys.argv[1]](sys.argv[2:])
"""


@pytest.mark.promise("commands.script-lazy")
def test_the_commands_that_a_program_prints_are_caught_one_by_one(tmp_path):
    program = capture(written(tmp_path, PRINTS_ITS_COMMANDS))
    names = {
        command.path: [parameter.name for parameter in command.parameters]
        for command in program.root.walk()
    }
    assert names == {
        (): [],
        ("fetch",): ["retry", "args"],
        ("cache",): [],
        ("cache", "clean"): ["pattern"],
    }
    (left_out,) = program.left_out
    assert left_out.startswith("tool erase ended before it called a parser")


PRINTS_AFTER_ITS_PARSER = """
import optparse, sys
def own_parser(word):
    parser = optparse.OptionParser(prog=f"tool {word}", add_help_option=False)
    parser.disable_interspersed_args()
    parser.add_option("-h", "--help", action="store_true")
    return parser
words = sys.argv[1:]
if words[0].startswith("-"):
    own_parser("").parse_args(words)
    print("Commands:\\n    run    Run it\\n    html   Write it")
    sys.exit()
parser = own_parser(words[0])
parser.add_option("--to-" + words[0])
parser.parse_args(words[1:])
print("it ran")
"""


def test_commands_that_are_printed_behind_a_parser_are_found_too(tmp_path):
    program = capture(written(tmp_path, PRINTS_AFTER_ITS_PARSER))
    names = {
        command.name: [parameter.name for parameter in command.parameters]
        for command in program.root.commands
    }
    assert names == {"run": ["to_run", "args"], "html": ["to_html", "args"]}


OVERRIDES_MAIN = """
import pathlib
import click
class Loud(click.Command):
    def main(self, *args, **kwargs):
        pathlib.Path({mark!r}).write_text("main")
        with self.make_context("tool", []) as context:
            self.invoke(context)
@click.command(cls=Loud)
@click.option("--force", is_flag=True)
def tool(force):
    pathlib.Path({mark!r}).write_text("callback")
tool()
"""
OVERRIDES_PARSE_ARGS = """
import argparse, pathlib
class Own(argparse.ArgumentParser):
    def parse_args(self, args=None, namespace=None):
        pathlib.Path({mark!r}).write_text("parse_args")
        return super().parse_known_args(args, namespace)[0]
parser = Own(add_help=False)
parser.add_argument("--force", action="store_true")
parser.parse_args()
pathlib.Path({mark!r}).write_text("work")
"""
OVERRIDES_CALL = """
import pathlib
import typer
class Own(typer.Typer):
    def __call__(self, *args, **kwargs):
        pathlib.Path({mark!r}).write_text("call")
app = Own()
@app.command()
def tool(force: bool = False): pass
app()
"""
OVERRIDES_OPTPARSE = """
import optparse, pathlib
class Own(optparse.OptionParser):
    def parse_args(self, args=None, values=None):
        pathlib.Path({mark!r}).write_text("parse_args")
parser = Own()
parser.add_option("--force", action="store_true")
parser.parse_args()
"""


@pytest.mark.promise("commands.script-ends")
@pytest.mark.parametrize(
    "code", [OVERRIDES_MAIN, OVERRIDES_PARSE_ARGS, OVERRIDES_CALL, OVERRIDES_OPTPARSE]
)
def test_a_program_that_overrides_the_start_of_its_parser_does_nothing(tmp_path, code):
    mark = tmp_path / "mark"
    found = capture(written(tmp_path, code.format(mark=str(mark))))
    assert found.root.parameters[0].name == "force"
    assert not mark.exists()


@pytest.mark.parametrize("method", ["parse_intermixed_args", "parse_known_intermixed_args"])
def test_positionals_among_options_are_caught(tmp_path, method):
    code = f"""
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("source")
parser.add_argument("files", nargs="*")
parser.add_argument("--size", type=int)
parser.{method}()
"""
    found = capture(written(tmp_path, code))
    assert [each.name for each in found.root.parameters] == ["source", "files", "size"]


def test_a_command_object_is_read_without_being_called(tmp_path):
    mark = tmp_path / "mark"
    written(tmp_path, "import click\n@click.command()\ndef cli(): pass\n", name="program.py")
    code = f"""
import pathlib, sys
from program import cli
if __name__ == "__main__":
    pathlib.Path({str(mark)!r}).write_text("ran")
    sys.exit(cli())
"""
    assert capture(written(tmp_path, code)).framework == "click"
    assert not mark.exists()


BY_HAND = """
text = '\\
import argparse'
import pathlib, sys
pathlib.Path({mark!r}).write_text(" ".join(sys.argv[1:]))
"""


@pytest.mark.promise("commands.script-refused")
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (BY_HAND, "tool was not run: its source names no parser of Click, .* - name its command"),
        ("import pathlib\npathlib.Path({mark!r}).write_text('')\n(", "SyntaxError: .*, in line 3"),
        ("", "tool was not run"),
        ("import argparse\0", "tool cannot be read: "),
        ("import argparse; x = " + "(" * 5000, "tool cannot be read: "),
    ],
)
def test_a_script_that_names_no_parser_is_not_run(tmp_path, code, reason):
    mark = tmp_path / "mark"
    lines = []
    with pytest.raises(SchemaError, match=reason):
        capture(written(tmp_path, code.replace("{mark!r}", repr(str(mark)))), announce=lines.append)
    assert not mark.exists()
    assert lines == []


def test_a_function_of_another_package_says_nothing_about_a_script(tmp_path, monkeypatch):
    mark = tmp_path / "mark"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "libraries"))
    library = tmp_path / "libraries" / "library"
    library.mkdir(parents=True)
    (library / "cli.py").write_text("import argparse")
    (library / "__init__.py").write_text(
        f"import pathlib\ndef work(): pathlib.Path({str(mark)!r}).write_text('ran')\n"
    )
    with pytest.raises(SchemaError, match="was not run"):
        capture(written(tmp_path, "from library import work\nwork()\n"))
    assert not mark.exists()


@pytest.mark.parametrize("folder", [False, True])
def test_the_parser_may_be_in_a_module_beside_the_script(tmp_path, folder):
    inside = tmp_path / "parts" if folder else tmp_path
    inside.mkdir(exist_ok=True)
    (inside / "__init__.py").write_text("")
    (inside / "reading.py").write_text(
        "import argparse\ndef read(): argparse.ArgumentParser(description='Hi.').parse_args()\n"
    )
    name = "parts.reading" if folder else "reading"
    found = capture(written(tmp_path, f"from {name} import read\nread()\n"))
    assert found.root.summary == "Hi."


@pytest.mark.promise("commands.script-help")
def test_a_parser_that_is_not_caught_finds_help_and_nothing_else(tmp_path):
    mark = tmp_path / "mark"
    code = (
        f"import argparse, pathlib, sys\npathlib.Path({str(mark)!r}).write_text(str(sys.argv[1:]))"
    )
    lines = []
    with pytest.raises(SchemaError, match="tool ended before it called a parser of a known frame"):
        capture(written(tmp_path, code), announce=lines.append)
    assert mark.read_text() == "['--help']"
    assert lines == ["`tool --help` is run up to its parser, to read its commands"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import argparse; raise ValueError('x')", "tool ended before it .*: ValueError: x - scan"),
        ("import argparse, sys; sys.exit(3)", "tool ended before it called a parser"),
    ],
)
def test_a_script_that_never_parses_is_refused(tmp_path, code, reason):
    with pytest.raises(SchemaError, match=reason):
        capture(written(tmp_path, code))


def test_a_console_script_runs_in_the_interpreter_it_names(tmp_path, monkeypatch):
    code = "import argparse\nargparse.ArgumentParser(description='Hi.').parse_args()\n"
    file = written(tmp_path, f"#!{sys.executable}\n{code}", name="greet")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = capture("greet")
    assert (found.name, found.argv, found.root.summary) == (
        "greet",
        (sys.executable, str(file)),
        "Hi.",
    )


def test_a_module_is_caught_too(tmp_path, monkeypatch):
    written(tmp_path, PRE_PARSER, name="some_module.py")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    found = capture([sys.executable, "-m", "some_module"])
    assert found.argv == (sys.executable, "-m", "some_module")
    assert found.name == "some_module"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\x00", "prog is not a Python script"),
        (b"#!/bin/sh\necho\n", "prog is not a Python script"),
    ],
)
def test_what_is_no_python_script_is_refused(tmp_path, content, reason):
    file = tmp_path / "prog"
    file.write_bytes(content)
    with pytest.raises(SchemaError, match=reason):
        capture(file)


def test_what_is_not_there_is_refused():
    with pytest.raises(SchemaError, match="no-such-thing is neither a file nor a command"):
        capture("no-such-thing")


def test_an_interpreter_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(SchemaError, match="tool cannot be started: No such file"):
        capture(written(tmp_path, "import click"), interpreter="/no/python")


SPLITS = """
import argparse
import json
import sys

def parse(words):
    words, behind = list(words), []
    if "--" in words:
        at = words.index("--")
        words, behind = words[:at], words[at + 1 :]
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("--with", nargs="+", dest="extra")
    return {**vars(parser.parse_args(words)), "behind": behind}

if __name__ == "__main__":
    print(json.dumps(parse(sys.argv[1:])))
"""
"""Such a program is tox: what follows `--` is for the programs that it runs."""


@pytest.mark.promise("commands.dashes")
def test_a_program_that_splits_its_words_at_dashes_gets_its_positionals(tmp_path):
    box = Toolbox("box")
    box.include(capture(written(tmp_path, SPLITS)))
    values = {"root": "sub", "extra": ["a", "b"]}
    assert json.loads(box.call("tool", values).structured["stdout"]) == {**values, "behind": []}
    refused = box.call("tool", {"root": "-x"})
    assert refused.is_error
    assert "`root` must not begin with `-`" in refused.text


def test_a_program_that_only_tells_options_from_values_takes_dashes(tmp_path):
    code = SPLITS.replace('if "--" in words:', 'if "".startswith("--"):')
    assert capture(written(tmp_path, code.replace('index("--")', "index('-' * 2)"))).takes_dashes


def test_an_object_of_a_file_that_splits_its_words_is_read_so_too(tmp_path, monkeypatch):
    from tests.wire.processes import run

    lines = ["from argparse import ArgumentParser", "parser = ArgumentParser()"]
    lines += ['parser.add_argument("root")', 'if __name__ == "__main__":', "    assert '--' != 1"]
    written(tmp_path, "\n".join(lines), "splits.py")
    monkeypatch.chdir(tmp_path)
    done = run("call", "splits.py:parser", "splits", "root=-x")
    assert done.returncode
    assert "`root` must not begin with `-`" in done.stdout + done.stderr
