"""Lock files: the same for the same tools, readable, and refused in one line if damaged."""

import json
import os
import subprocess
import sys

import pytest

TOOLS = """
from toolwright import Toolbox
from toolwright.contract import lock

box = Toolbox("shop", version="1")

@box.tool(roles={"b", "a", "c"}, tags=["x"])
def search(query: str, kinds: set[str] | None = None, **more: int) -> list[dict[str, float]]:
    "Search \\u00e9."

@box.tool(name="orders.find", read_only=True)
def find(limit: int = 10) -> dict[str, str]: ...

print(lock(box).to_json(), end="")
"""


@pytest.mark.promise("contract.stable")
def test_the_same_tools_give_the_same_bytes_in_every_process():
    written = {
        subprocess.run(
            [sys.executable, "-c", TOOLS],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(written) == 1
    document = json.loads(written.pop())
    assert list(document["tools"]) == ["orders.find", "search"]
    assert document["order"] == {"tools": ["search", "orders.find"]}
    assert document["tools"]["search"]["roles"] == ["a", "b", "c"]
