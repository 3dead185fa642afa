"""Wall clocks that step, and servers that are silent for a while: durations stay what they are."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "wire" / "run" / "clock_steps.py"


@pytest.mark.promise("limit.clock")
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_clock_that_steps_changes_no_duration(kind, tmp_path):
    done = subprocess.run(
        [sys.executable, PROGRAM, kind, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert [what for what, held in seen.items() if not held] == []
