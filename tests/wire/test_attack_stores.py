"""Stores whose file cannot be used: one clear error, at the start where it can be known."""

import json
import os
import subprocess
import sys

from tests.unit.test_attack_stores import broken, corrupt, tools
from tests.wire.processes import INITIALIZE, Http


def test_a_script_that_serves_raises_it(tools, tmp_path):
    path = tmp_path / "broken.db"
    corrupt(path)
    env = {**os.environ, "STORE": str(path), "KIND": "store"}
    script = "import tools; tools.box.serve('stdio')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=env,
        input="",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("toolwright.StoreError: the store ")


def test_a_store_that_breaks_while_it_serves_shows_no_path(tools, tmp_path):
    """What is kept and counted there is not; calls go on, and clients see no path."""
    path = tmp_path / "secret.db"
    env = {"STORE": str(path), "KIND": "store"}
    with Http(tools, env=env) as server:
        assert not server.call("kept")["isError"]
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.write_bytes(b"noise" * 2000)
        for name in ("kept", "limited", "free"):
            made = server.call(name)
            assert "secret" not in json.dumps(made)
            assert not made["isError"]
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        status, _ = server.asked(server.request(body=json.dumps(body).encode()))
        assert status == 200
