"""Servers that tests of clients connect to."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.wire import forked
from tests.wire.processes import announced_port

SHOP = str(Path(__file__).parent / "client_shop.py")


@pytest.fixture(scope="session")
def shop_url():
    with (
        tempfile.TemporaryFile() as log,
        forked.start(
            [sys.executable, SHOP, "http", "0"],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        ) as server,
    ):
        try:
            yield f"http://127.0.0.1:{announced_port(server, log)}/mcp"
        finally:
            server.terminate()
