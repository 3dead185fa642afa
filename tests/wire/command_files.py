"""The files that tests of the command work on."""

import sys

import pytest

SHOP = '''
from toolwright import Toolbox, ToolError

box = Toolbox("shop")

@box.tool(read_only=True)
def add(a: int, b: int = 1) -> int:
    """Add two numbers.

    More about it.
    """
    return a + b

@box.tool("orders.find", read_only=True)
def find(query: str) -> str:
    """Find orders."""
    return f"<{query}>"

@box.tool("orders.drop")
def drop(n: int) -> str:
    """Drop an order."""
    raise ToolError("it is gone")
'''
NAMES = ["add", "orders_find", "orders_drop"]
NOISE = """
import os, subprocess, sys
print("noise 1")
sys.stdout.write("noise 2")
sys.__stdout__.write("noise 3")
os.write(1, b"noise 4")
subprocess.run(["echo", "noise 5"])
import atexit
atexit.register(print, "noise 6")
def loud(n: int) -> int:
    print("noise 7")
    os.write(1, b"noise 8")
    return n
"""
ECHO = """
from typing import Any

def echo(value: Any = None, more: Any = None) -> str:
    return repr((value, more))
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, with a shop in it; returns what writes files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOOLWRIGHT_TOKEN", raising=False)

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    write({"shop.py": SHOP, "echo.py": ECHO})
    return write


@pytest.fixture
def home(here, tmp_path, monkeypatch):
    """A home folder of its own, for settings of clients."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / "home").mkdir()
    if sys.platform != "linux":
        pytest.skip("the paths are those of Linux")
    return tmp_path / "home"
