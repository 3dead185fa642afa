"""Programs that ask somebody get no answer, and end: under a real terminal, too."""

import os
import pty
import select
import sys

import pytest

from toolwright.sources.command_run import run  # noqa: F401 - the server below needs it to be there

SERVER = """
import asyncio, sys
from toolwright.sources.command_run import run
from toolwright.sources.watched_process import RunSettings

came = asyncio.run(run([sys.executable, "-S", "-c", sys.argv[1]], RunSettings()))
print("ENDED", came.exit_code, came.stderr.decode().strip().splitlines()[-1:])
"""

ASKING = {
    "password": "import getpass; getpass.getpass()",
    "line": "input('name? ')",
    "terminal": "open('/dev/tty')",
    "take the terminal": "import os; os.open(os.ttyname(2), os.O_RDWR)",
}


@pytest.mark.parametrize("how", ASKING)
def test_nobody_is_asked(how):
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", SERVER, ASKING[how]])
    said = b""
    try:
        while b"ENDED" not in said or not said.endswith(b"\n"):
            assert select.select([terminal], [], [], 60)[0], "it waits for somebody"
            said += os.read(terminal, 4096)
    finally:
        os.waitpid(pid, 0)
        os.close(terminal)
    assert b"ENDED 1" in said
    assert any(error in said for error in (b"EOFError", b"OSError"))
    assert b"name?" not in said
    assert b"Password" not in said
