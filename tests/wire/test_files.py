"""Files that are written whole or not at all."""

import os
import resource
import subprocess
import sys

import pytest

from tests.unit.test_files import OLD


@pytest.mark.parametrize(
    "words",
    [
        ["lock", "shop.py", "-o"],
        ["generate", "shop.py", "-o"],
        ["export", "shop.py", "-o"],
        ["doctor", "shop.py", "--json", "-o"],
    ],
)
def test_a_full_disk_leaves_the_old_file(tmp_path, words):
    """A limit for files stands for the disk: writing fails in the same place."""
    (tmp_path / "shop.py").write_text("def count(name: str) -> int:\n    return len(name)\n")
    file = tmp_path / "kept.txt"
    file.write_text(OLD)
    done = subprocess.run(
        [sys.executable, "-B", "-m", "toolwright", *words, "kept.txt"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert "kept.txt cannot be written: File too large" in done.stderr
    assert file.read_text() == OLD
    assert [name for name in os.listdir(tmp_path) if name.startswith(".")] == []
