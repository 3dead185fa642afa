"""Issuers of access tokens: down, slow, strange; and what their tokens say."""

import subprocess
import sys


def test_importing_loads_nothing_heavy():
    code = "import sys, toolwright.serve.access.oauth\nprint(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"jwt", "cryptography", "mcp", "httpx2", "http.client"} & set(run.stdout.split())
