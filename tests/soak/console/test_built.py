"""The page in the package is what its sources give."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "console"
PAGE = ROOT / "src" / "toolwright" / "console" / "page"


def test_the_page_is_what_its_sources_build(tmp_path):
    if shutil.which("node") is None or not (SOURCES / "node_modules").is_dir():
        pytest.skip("node or console/node_modules is missing: npm ci in the folder console")
    shutil.copytree(SOURCES, tmp_path / "console", ignore=lambda *_: {"node_modules"})
    (tmp_path / "console" / "node_modules").symlink_to(SOURCES / "node_modules")
    run = {"cwd": tmp_path / "console", "capture_output": True, "text": True}
    checked = subprocess.run([SOURCES / "node_modules" / ".bin" / "tsc", "--noEmit"], **run)
    assert checked.returncode == 0, checked.stdout
    done = subprocess.run(["node", "build.mjs"], **run)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout)
    built = tmp_path / "src" / "toolwright" / "console" / "page"
    assert {file.name: file.read_bytes() for file in built.iterdir()} == {
        file.name: file.read_bytes() for file in PAGE.iterdir()
    }, "make console builds it"
