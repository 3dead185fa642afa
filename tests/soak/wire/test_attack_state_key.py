"""What one process has sealed for a client, every process of the server opens."""

import os
from pathlib import Path

import pytest

from tests.wire.processes import Http
from tests.wire.streams import text_of
from tests.wire.test_attack_state_key import TOOLS, asked, confirmed, gate


@pytest.mark.promise("serve.workers-state")
def test_every_worker_opens_what_another_one_has_sealed(gate):
    with Http(TOOLS, "--workers", "2") as server:
        states = [(f"c{at}", asked(server, f"c{at}")["requestState"]) for at in range(10)]
        answers = [confirmed(server, label, state) for label, state in states]
        assert [text_of(each) for each in answers] == [f"did {label}" for label, _ in states]
        children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        before = set(Path(f"/proc/{children[0]}/environ").read_bytes().split(b"\0"))
        ours = {f"{name}={value}".encode() for name, value in os.environ.items()}
        assert before - ours <= {b""}
        words = Path(f"/proc/{children[0]}/cmdline").read_bytes().split(b"\0")
        assert max(len(each) for each in words[3:]) < max(len(str(TOOLS)), 20) + 1
