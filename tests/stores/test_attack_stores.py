"""Stores whose file cannot be used: one clear error, at the start where it can be known."""

import asyncio
import json
import logging
import os
import subprocess
import sys

import pytest
from processes import INITIALIZE, Http, refused

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


@pytest.mark.soak
@pytest.mark.promise("limit.store")
@pytest.mark.parametrize("kind", ["store", "tasks"])
@pytest.mark.parametrize("more", [(), ("--http", "--port", "0"), ("--http", "--workers", "2")])
def test_serving_ends_with_one_line(tools, tmp_path, kind, more):
    path = tmp_path / "broken.db"
    corrupt(path)
    said = refused(1, "serve", tools, *more, env={"STORE": str(path), "KIND": kind})
    assert said.startswith(f"toolwright: the store {path} cannot be used: ")


def test_a_script_that_serves_raises_it(tools, tmp_path):
    path = tmp_path / "broken.db"
    corrupt(path)
    env = {**os.environ, "STORE": str(path), "KIND": "store"}
    script = "import tools; tools.box.serve('stdio')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=env,
        input="",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("toolwright.StoreError: the store ")


def test_a_store_that_breaks_while_it_serves_shows_no_path(tools, tmp_path):
    """What is kept and counted there is not; calls go on, and clients see no path."""
    path = tmp_path / "secret.db"
    env = {"STORE": str(path), "KIND": "store"}
    with Http(tools, env=env) as server:
        assert not server.call("kept")["isError"]
        for suffix in ("", "-wal", "-shm"):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.write_bytes(b"noise" * 2000)
        for name in ("kept", "limited", "free"):
            made = server.call(name)
            assert "secret" not in json.dumps(made)
            assert not made["isError"]
        body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        status, _ = server.asked(server.request(body=json.dumps(body).encode()))
        assert status == 200
