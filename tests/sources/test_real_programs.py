"""Programs that nobody here wrote are read as their own help describes them."""

import json

import pytest
from real_programs import compared, installed

from toolwright.sources.capture.script import capture

LEAST = {
    "flask": ("click", 4, 20),
    "black": ("click", 1, 30),
    "httpx": ("click", 1, 16),
    "pip": ("optparse", 18, 500),
    "yt-dlp": ("optparse", 1, 240),
    "dvc": ("argparse", 90, 600),
    "twine": ("argparse", 4, 30),
    "pre-commit": ("argparse", 15, 80),
    "mkdocs": ("click", 5, 50),
    "celery": ("click", 30, 110),
}
"""The framework, and how many commands and long flags there are at least."""


@pytest.mark.soak
@pytest.mark.parametrize("name", LEAST)
def test_every_flag_in_the_help_of_a_program_is_read_rightly(name, tmp_path, record_property):
    program = capture(installed(name), seconds=300)
    count, wrong, only_read = compared(program, tmp_path)
    commands = list(program.root.walk())
    parameters = [p for each in commands for p in each.parameters if not p.hidden]
    typed = [each for each in parameters if each.schema != {"type": "string"} or each.type_name]
    row = {
        "program": f"{name} {program.version}".strip(),
        "framework": program.framework,
        "commands": len(commands),
        "parameters": len(parameters),
        "with a type": len(typed),
        "flags in help": count,
        "wrong": len(wrong),
        "not in help": len(only_read),
    }
    print(json.dumps(row))
    record_property("row", row)
    framework, least_commands, least_flags = LEAST[name]
    assert wrong == []
    assert program.left_out == ()
    assert program.framework == framework
    assert len(commands) >= least_commands
    assert count >= least_flags
