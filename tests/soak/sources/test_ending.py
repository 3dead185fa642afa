"""Programs end with the call that wanted them, at whatever moment, with all they have started."""

import itertools
import os
import select
import signal
import subprocess
import sys

import pytest

from tests.wire.sources.test_ending import LONGEST, SERVER, SHAPES


@pytest.mark.parametrize(
    ("end", "shape"),
    [
        (signal.SIGKILL, "daemon"),
        (signal.SIGKILL, "no environment"),
        ("exit", "child"),
        *itertools.product((signal.SIGTERM, signal.SIGINT, "abandon"), ("child", "daemon")),
        *itertools.product((signal.SIGKILL,), ("child",)),
        *itertools.product(("exit",), ("daemon",)),
    ],
)
def test_no_program_outlives_its_server(end, shape):
    how = end if isinstance(end, str) else "signal"
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, how, SHAPES[shape]],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        held = os.pidfd_open(int(server.stdout.readline()))
        if isinstance(end, str):
            server.stdin.close()
        else:
            server.send_signal(end)
        server.wait(LONGEST)
    assert select.select([held], [], [], LONGEST)[0]
    os.close(held)
