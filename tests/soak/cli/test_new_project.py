"""`new --project`: what it writes works as it is."""

import subprocess
import sys

import pytest

from tests.wire.command_files import here
from tests.wire.processes import good


def test_its_tests_pass(here, monkeypatch):
    good("new", "notes", "--project")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"],
        cwd="notes",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout
