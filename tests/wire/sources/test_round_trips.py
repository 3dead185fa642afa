"""What is sent is what a real program receives: no more, no less, nothing else."""

import pytest

from tests.unit.sources.programs.round_trips import PROGRAMS, program, received_there
from tests.unit.sources.test_round_trips import chain_of
from toolwright.sources import command_words as argv

BEHIND = {
    "click": {"region": "r", "debug": False},
    "typer": {"region": "r", "debug": False},
    "argparse": {"region": "r", "root_list": None, "maybe": "m"},
    "cyclopts": {},
}


@pytest.mark.parametrize("framework", ["argparse", "click", "typer", "cyclopts"])
def test_a_program_starts_by_itself_in_any_folder(framework, tmp_path):
    values = {"first": "--danger", "rest": ["-x", "--", "é"]}
    if framework != "cyclopts":
        values["point"] = [-1, 2]
    if framework == "argparse":
        values = values | {"rest": ["-x", "é"], "maybe": "m"}
    chain = chain_of(framework, "places")
    root = {} if framework == "cyclopts" else {"region": "r"}
    words = argv.command_line(program(*PROGRAMS[framework][:2]), chain, [root, values])
    expected = {"command": "places", "danger": False, **BEHIND[framework], **values}
    if framework == "cyclopts":
        expected["second"] = 2
        words = argv.command_line(
            program(*PROGRAMS[framework][:2]), chain, [root, {**values, "second": 2}]
        )
    assert received_there(words, tmp_path) == expected
