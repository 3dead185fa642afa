"""A target is recognised by its classes, named and started again in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click
import cyclopts
import typer

import toolwright
from toolwright.sources.frameworks.recognise import program_of


def fresh(code, cwd, **environment):
    """Run code in a fresh interpreter, and return what it printed as JSON."""
    given = {"PATH": os.environ["PATH"], **environment}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=given,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_readers_need_nothing_but_the_standard_library(tmp_path):
    code = (
        "import sys, json, argparse\n"
        "from toolwright.sources.frameworks.recognise import program_of\n"
        "import toolwright.sources.script_program, toolwright.sources.json_options\n"
        "from toolwright.sources.frameworks import click_tree, cyclopts_tree\n"
        "program_of(argparse.ArgumentParser(prog='x'))\n"
        "tops = {name.partition('.')[0] for name in sys.modules}\n"
        "print(json.dumps(sorted(tops - set(sys.stdlib_module_names))))\n"
    )
    source = str(Path(toolwright.__file__).parent.parent)
    found = fresh(code, tmp_path, PYTHONPATH=source)
    heavy = {"pydantic", "click", "typer", "cyclopts", "jsonschema", "mcp", "rich"}
    assert "toolwright" in found
    assert not heavy & set(found)


SCRIPT = """
import click
from beside import text

@click.group()
def cli(): ...

@cli.command()
@click.argument("word")
def say(word):
    print(text, word)

if __name__ == "__main__":
    from toolwright.sources.frameworks.recognise import program_of
    found = program_of(cli)
    import json
    print(json.dumps([found.name, list(found.argv)]))
"""


def test_the_program_that_runs_is_started_again_from_its_file(tmp_path):
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "speaker.py").write_text(SCRIPT)
    (folder / "beside.py").write_text("text = 'said:'")
    done = subprocess.run(
        [sys.executable, "tools/speaker.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    name, words = json.loads(done.stdout)
    assert name == "speaker"  # `cli` says nothing
    other = tmp_path / "elsewhere"
    other.mkdir()
    said = subprocess.run(
        [*words, "say", "hi"], capture_output=True, text=True, cwd=other, check=True
    )
    assert said.stdout == "said: hi\n"
    usage = subprocess.run(
        [*words, "--help"], capture_output=True, text=True, cwd=other, check=True
    )
    assert usage.stdout.startswith("Usage: speaker ")


def test_a_module_of_a_package_is_started_by_its_name(tmp_path, monkeypatch):
    package = tmp_path / "pack_of_tools"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text("text = 'part'")
    (package / "app.py").write_text(
        "import cyclopts\nfrom .parts import text\n"
        "app = cyclopts.App()\n@app.default\ndef run(): print(text)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from pack_of_tools.app import app

    found = program_of(app)
    assert found.argv[-2:] == ("pack_of_tools.app", "app")
    done = subprocess.run(found.argv, capture_output=True, text=True, cwd="/", check=True)
    assert done.stdout == "part\n"


def test_a_parser_is_started_by_running_its_module_as_a_script():
    done = subprocess.run(
        [*parser_program().argv, "--region=r", "one", "--left=1"], capture_output=True, check=True
    )
    assert json.loads(done.stdout)["left"] == 1


def parser_program():
    import argparse_program

    return program_of(argparse_program.parser)
