"""What is rendered is the same in every process, and each time."""

import os
import subprocess
import sys
from pathlib import Path


def test_what_is_rendered_does_not_depend_on_the_process():
    """Sets are in another order there."""
    script = "from tests.unit.dialects.test_rules_same import fingerprint; print(fingerprint())"
    seen = set()
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        ran = subprocess.run(
            [sys.executable, "-c", script],
            env=environment,
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(ran.stdout.strip())
    assert len(seen) == 1
