"""Real clients of others against our servers: the conformance suite, TypeScript, the Inspector."""

import json
import os
import shutil
import subprocess
import sys

from tests.wire import clients


def test_the_pins_name_no_host_and_hold_a_hash_of_everything():
    lock = json.loads((clients.NODE / "package-lock.json").read_text())
    packages = {name: each for name, each in lock["packages"].items() if name}
    assert len(packages) > 100
    assert not [name for name, each in packages.items() if "resolved" in each]
    assert not [name for name, each in packages.items() if "integrity" not in each]


def test_without_npm_the_installer_says_so_and_is_content(tmp_path):
    for name in ("install.py", "package.json", "package-lock.json"):
        shutil.copy(clients.NODE / name, tmp_path)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "install.py")],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "There is no npm" in done.stdout
