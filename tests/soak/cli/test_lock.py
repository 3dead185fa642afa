"""`lock`: the contract is written down, and checked."""

import json
from pathlib import Path

from tests.wire.cli.test_lock import LOCK
from tests.wire.command_files import here
from tests.wire.processes import good


def test_a_lock_goes_to_another_file_or_to_standard_output(here):
    assert good("lock", "shop.py", "-o", "sub.json") == "3 tools locked in sub.json\n"
    shown = json.loads(good("lock", "shop.py", "-o", "-"))
    assert shown["tools"] == json.loads(Path("sub.json").read_text())["tools"]
    assert "sub.json is up to date" in good("lock", "shop.py", "-o", "sub.json", "--check")
    assert json.loads(good("lock", "shop.py", "--json")) == {
        "file": "toolwright.lock.json",
        "tools": 3,
    }


def test_a_selection_is_locked_and_checked_as_it_was(here):
    good("lock", "shop.py", "--select", "orders.*")
    assert list(json.loads(LOCK.read_text())["tools"]) == ["orders.drop", "orders.find"]
    assert "up to date" in good("lock", "shop.py", "--check")
