"""Typer's three generations are read alike: Click itself, copies of it, and descriptors."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import toolwright

HERE = Path(__file__).parents[3] / "unit" / "sources" / "programs"
PLACE = Path(sys.prefix) / "typer-generations"
CODE = """
import json, typer, typer_program
from toolwright.sources.frameworks.recognise import program_of
from toolwright.sources.program_file import program_to_json
print(json.dumps(program_to_json(program_of(typer_program.app))))
"""


def installed(version):
    """Return a folder with this version of Typer, installed from the registry."""
    folder = PLACE / version
    PLACE.mkdir(exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "typer").exists():
            pip = [
                sys.executable,
                "-m",
                "pip",
                "install",
                "-q",
                "--target",
                folder,
                f"typer=={version}",
            ]
            subprocess.run(pip, check=True, timeout=900)
    return folder


def shown(value):
    if isinstance(value, dict):
        return {key: shown(each) for key, each in value.items() if key not in ("argv", "usage")}
    return [shown(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("version", ["0.20.1", "0.25.1", "0.26.8", "0.28.0", "0.29.0"])
def test_every_generation_is_read_and_started_alike(version, tmp_path):
    source = Path(toolwright.__file__).parent.parent
    path = os.pathsep.join(map(str, (installed(version), HERE, source)))
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": path}
    run = {"capture_output": True, "text": True, "check": True, "cwd": tmp_path}
    found = json.loads(subprocess.run([sys.executable, "-c", CODE], env=given, **run).stdout)
    assert shown(found) == json.loads((HERE / "typer_program.json").read_text())
    words = [*found["argv"], "--region=r", "lists", "--shades=Red", "--pair", "x", "2"]
    received = subprocess.run(words, env={"PATH": os.environ["PATH"]}, **run).stdout
    assert json.loads(received)["shades"] == ["Red"]
