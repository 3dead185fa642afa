"""Every row of what a framework can say is read as it is meant."""

import json
import sys
from pathlib import Path

import pytest

from tests.unit.sources.programs.round_trips import PROGRAMS, program
from toolwright.sources.program_file import program_to_json

SNAPSHOTS = Path(__file__).parent.parent / "programs"


def shown(value):
    """Return a program without what depends on the machine, or on the version of a framework."""
    if isinstance(value, dict):
        left_out = ("argv", "usage")
        return {key: shown(each) for key, each in value.items() if key not in left_out}
    return [shown(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("framework", PROGRAMS)
def test_a_program_is_read_as_it_was_reviewed(framework, request):
    """To renew a snapshot, delete its file, run this test, and review what it has written."""
    module, attribute, _ = PROGRAMS[framework]
    found = shown(program_to_json(program(module, attribute)))
    if framework == "argparse":
        values = found["root"]["commands"][0]["parameters"]
        old = next(each for each in values if each["name"] == "old")
        assert old.pop("deprecated", False) is (sys.version_info >= (3, 13))
    file = SNAPSHOTS / f"{framework}_program.json"
    if not file.exists():
        file.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        pytest.fail(f"{file} was written: review it")
    assert found == json.loads(file.read_text(encoding="utf-8"))


def test_usage_is_kept_without_the_path():
    click = program("click_program", "cli")
    assert click.root.usage == "[OPTIONS] COMMAND [ARGS]..."
    parser = program("argparse_program", "parser")
    assert parser.root.commands[-1].commands[0].usage == "[-h] what"


@pytest.mark.parametrize("framework", PROGRAMS)
def test_a_default_that_is_a_secret_is_never_kept(framework):
    module, attribute, _ = PROGRAMS[framework]
    assert "s3cret" not in json.dumps(program_to_json(program(module, attribute)))


def test_cyclopts_reads_null_for_words_that_another_option_follows():
    """`--pairs null 1 --tag x` loses its pair; so such a word is not sent."""
    found = next(
        each for each in program("cyclopts_program", "app").root.walk() if each.name == "lists"
    )
    refused = {each.name: each.refused_values for each in found.parameters if each.refused_values}
    assert refused == {"pairs": ("none", "null")}
