"""Tools as providers and clients get them."""

import subprocess
import sys


def test_importing_the_room_loads_no_rules():
    code = (
        "import sys, toolwright.dialects\n"
        "print(*[name for name in sys.modules if name.startswith('toolwright.dialects.')])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
