"""The door: public names, and whatever in Python relies on the module that a class names."""

import subprocess
import sys


def test_the_door_loads_only_what_is_asked_for():
    code = "import sys, toolwright\nprint(*[name for name in sys.modules if 'toolwright.' in name])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
