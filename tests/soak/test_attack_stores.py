"""Stores whose file cannot be used: one clear error, at the start where it can be known."""

import pytest

from tests.unit.test_attack_stores import broken, corrupt, tools
from tests.wire.processes import refused


@pytest.mark.promise("limit.store")
@pytest.mark.parametrize("kind", ["store", "tasks"])
@pytest.mark.parametrize("more", [(), ("--http", "--port", "0"), ("--http", "--workers", "2")])
def test_serving_ends_with_one_line(tools, tmp_path, kind, more):
    path = tmp_path / "broken.db"
    corrupt(path)
    said = refused(1, "serve", tools, *more, env={"STORE": str(path), "KIND": kind})
    assert said.startswith(f"toolwright: the store {path} cannot be used: ")
