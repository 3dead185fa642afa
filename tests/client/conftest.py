"""Servers that tests of clients connect to."""

import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

SHOP = str(Path(__file__).parent / "client_shop.py")


@pytest.fixture(scope="session")
def shop_url():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [sys.executable, SHOP, "http", str(port)], stderr=subprocess.DEVNULL
    ) as server:
        try:
            for _ in range(3000):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.02)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.terminate()
