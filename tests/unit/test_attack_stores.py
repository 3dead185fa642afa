"""Stores whose file cannot be used: one clear error, at the start where it can be known."""

import asyncio
import json
import logging

import pytest

from toolwright import CallError, StoreError, Toolbox, ToolwrightError
from toolwright.stores import SqliteStore

TOOLS = """
import os
from toolwright import Toolbox
box = Toolbox("shop", **{os.environ["KIND"]: "sqlite:///" + os.environ["STORE"]})

@box.tool(cache=60)
def kept() -> int:
    return 1

@box.tool(rate_limit="100/s")
def limited() -> int:
    return 1

@box.tool(task=True)
def long() -> int:
    return 1

@box.tool
def free() -> int:
    return 1
"""


def folder(path):
    path.mkdir()


def corrupt(path):
    path.write_bytes(b"this is no database, and has never been one" * 100)


def foreign(path):
    import sqlite3

    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()


BROKEN = [folder, corrupt, foreign]


@pytest.fixture(params=BROKEN, ids=lambda make: make.__name__)
def broken(request, tmp_path):
    path = tmp_path / "secret-place.db"
    request.param(path)
    return path


@pytest.fixture
def beneath(tmp_path):
    """A path below what is no folder."""
    file = tmp_path / "secret-file"
    file.touch()
    return file / "state.db"


def box_with(path):
    box = Toolbox("shop", store=f"sqlite:///{path}")

    @box.tool(cache=60)
    def kept() -> int:
        return 1

    @box.tool(rate_limit="10/s")
    def limited() -> int:
        return 1

    @box.tool
    def free() -> int:
        return 1

    return box


@pytest.mark.parametrize("name", ["kept", "limited"])
def test_a_call_fails_with_one_error_and_the_log_has_the_path(broken, name, caplog):
    box = box_with(broken)
    for way in (box.call, lambda name: asyncio.run(box.call_async(name))):
        caplog.clear()
        with caplog.at_level(logging.ERROR, "toolwright"):
            made = way(name)
        assert type(made.error) is CallError
        assert made.text == f"{name} is not available: the store of its toolbox cannot be used"
        assert "secret" not in json.dumps(made.to_mcp())
        assert str(broken) in caplog.text
    assert box.call("free").value == 1
    with pytest.raises(StoreError, match="secret-place"):
        box.call(name, raise_on_error=True)


def test_a_path_below_a_file_is_refused_too(beneath):
    assert box_with(beneath).call("kept").is_error
    with pytest.raises(StoreError, match="secret-file"):
        SqliteStore(beneath)


def test_it_is_an_error_of_ours_and_of_the_system(broken):
    with pytest.raises(StoreError) as caught:
        SqliteStore(broken)
    assert isinstance(caught.value, ToolwrightError)
    assert isinstance(caught.value, OSError)
    assert "\n" not in str(caught.value)


def test_a_store_that_is_mended_is_used(tmp_path):
    path = tmp_path / "state.db"
    path.mkdir()
    box = box_with(path)
    assert box.call("kept").is_error
    path.rmdir()
    assert box.call("kept").value == 1


@pytest.mark.promise("limit.store")
def test_an_app_is_not_made_with_it(broken):
    with pytest.raises(StoreError, match="secret-place"):
        box_with(broken).asgi()
    box = Toolbox("tasks", tasks=f"sqlite:///{broken}")
    box.add(long, task=True)
    with pytest.raises(StoreError, match="secret-place"):
        box.asgi()


def long() -> int:
    """Take long."""
    return 1


@pytest.fixture
def tools(tmp_path):
    path = tmp_path / "tools.py"
    path.write_text(TOOLS, encoding="ascii")
    return path
