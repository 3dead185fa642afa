"""Fixtures and snapshots for tests of toolboxes, as their authors run them."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import good


def test_the_tests_of_a_first_toolbox_pass(here):
    good("new", "notes")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_notes.py"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


@pytest.mark.promise("everyday.snapshot")
def test_a_snapshot_shows_what_changes(here):
    good("new", "notes")
    file = Path("notes.py")
    file.write_text(file.read_text().replace('"What to look for, in any case."', '"Words."'))
    pytest_runs = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_notes.py"]
    done = subprocess.run(pytest_runs, capture_output=True, text=True)
    assert done.returncode == 1
    assert '-          "description": "What to look for, in any case."' in done.stdout
    assert '+          "description": "Words."' in done.stdout
    assert "--update-schemas" in done.stdout
    assert subprocess.run([*pytest_runs, "--update-schemas"], capture_output=True).returncode == 0
    assert subprocess.run(pytest_runs, capture_output=True).returncode == 0
    Path("schemas/notes.json").unlink()
    done = subprocess.run(pytest_runs, capture_output=True, text=True)
    assert "does not exist yet" in done.stdout
