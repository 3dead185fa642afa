"""The parser of an unmodified script is caught before the program does anything."""

import json
import subprocess
import sys

import pytest

from tests.wire.processes import gone
from tests.wire.sources.test_capture import PRE_PARSER, written
from toolwright.errors import SchemaError
from toolwright.sources.script_program import capture
from toolwright.sources.program_file import program_to_json


def test_a_script_that_hangs_is_ended_with_all_it_started(tmp_path):
    ready = tmp_path / "ready"
    code = (
        "import argparse, subprocess, sys, time, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(ready)!r}).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    with pytest.raises(SchemaError, match="tool called no parser within 30 s"):
        capture(written(tmp_path, code), seconds=30)
    gone(ready.read_text())


def test_an_interpreter_without_our_dependencies_is_enough(tmp_path):
    place = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = str(place / "bin" / "python")
    done = subprocess.run([python, "-c", "import pydantic"], capture_output=True)
    assert done.returncode != 0
    found = capture(written(tmp_path, PRE_PARSER), interpreter=python)
    assert json.dumps(program_to_json(found))
    assert found.argv[0] == python
