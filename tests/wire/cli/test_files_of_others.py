"""Files that came with a repository: pipes, devices and links in the place of regular files."""

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from tests.counting import for_every
from tests.wire.command_files import here
from tests.wire.processes import COMMAND, good, refused, run
from toolwright import LockError
from toolwright._files import read_named
from toolwright.contract.lock_file import read

__all__ = ["here"]  # a fixture

SHOP = "def add(a: int, b: int = 1) -> int:\n    return a + b\n"
PROJECT = '[tool.toolwright]\ntarget = "shop.py"\n'


def pipe(file):
    os.mkfifo(file)


def device(file):
    file.symlink_to("/dev/zero")


def folder(file):
    file.mkdir()


def looped(file):
    file.symlink_to(file.name)


STRANGE = [pipe, device, folder, looped]
READ = {
    "the lock": ("toolwright.lock.json", ["lock", "shop.py", "--check"]),
    "the lock, to be compared": ("toolwright.lock.json", ["diff", "shop.py"]),
    "a lock that is named": ("toolwright.lock.json", ["diff", "toolwright.lock.json", "shop.py"]),
    "the lock, to be written": ("toolwright.lock.json", ["lock", "shop.py"]),
    "a module, to be compared": (
        "client.py",
        ["generate", "shop.py", "--check", "-o", "client.py"],
    ),
    "a module, to be written": ("client.py", ["generate", "shop.py", "-o", "client.py"]),
    "an export": ("mcp-tools.json", ["export", "shop.py"]),
    "examples": ("toolwright-tests.yaml", ["test", "shop.py", "--file", "toolwright-tests.yaml"]),
    "settings": ("other.toml", ["doctor", "shop.py", "--config", "other.toml"]),
    "variables": (".env", ["list", "shop.py", "--env-file", ".env"]),
    "an editor's file": (".cursor/mcp.json", ["list", "cursor:notes"]),
    "a program": ("program.tools.json", ["list", "program.tools.json"]),
    "servers": ("mcp.json", ["list", "mcp.json"]),
    "one server": ("mcp.json", ["list", "mcp.json:notes"]),
    "a script": ("script.py", ["list", "--script", "./script.py"]),
    "arguments": ("args.json", ["call", "shop.py", "add", "--json", "@args.json"]),
    "a target": ("target.py", ["list", "target.py"]),
}


@pytest.mark.promise("security.files")
@for_every(("name", "make"), [(name, make) for name in READ for make in STRANGE])
def test_a_file_that_is_none_is_refused_in_one_line(name, make, here, tmp_path):
    file, words = READ[name]
    here({"shop.py": SHOP})
    place = Path(file)
    place.parent.mkdir(exist_ok=True)
    make(place)
    try:
        done = run(*words)
        assert done.returncode in (1, 2), (done.stdout, done.stderr)
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert os.path.basename(file).partition(".")[0] in done.stderr
    finally:
        shutil.rmtree(place) if place.is_dir() else place.unlink()


@for_every("make", STRANGE)
def test_a_project_in_a_strange_file_is_none(make, here):
    here({"shop.py": SHOP})
    make(Path("pyproject.toml"))
    try:
        assert "TARGET" in refused(2, "list")
    finally:
        place = Path("pyproject.toml")
        place.rmdir() if place.is_dir() else place.unlink()


def test_a_file_that_the_kernel_fills_later_is_refused(here, monkeypatch):
    here({"shop.py": SHOP, "toolwright.lock.json": ""})

    def waits(number: int, size: int) -> bytes:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(os, "read", waits)  # as reading /proc/kmsg does, which is for root alone
    with pytest.raises(LockError, match="cannot be read"):
        read("toolwright.lock.json")


def test_what_a_shell_hands_over_is_read(here):
    here({"shop.py": SHOP})
    reading, writing = os.pipe()
    os.write(writing, b'{"a": 2}')
    os.close(writing)
    assert read_named(f"/dev/fd/{reading}") == b'{"a": 2}'
    os.close(reading)


def test_a_server_does_not_wait_for_a_lock_that_is_a_pipe(here):
    here({"shop.py": SHOP})
    pipe(Path("toolwright.lock.json"))
    done = run("serve", "--lock", "shop.py")
    assert done.returncode == 0
    assert "toolwright.lock.json cannot be read: it is not a regular file" in done.stderr


@pytest.mark.promise("security.files")
@for_every("words", [["lock", "-o"], ["generate", "-o"], ["export", "-o"]])
def test_a_link_that_leads_out_of_its_folder_is_not_written_through(words, here, tmp_path):
    here({"shop.py": SHOP})
    victim = tmp_path / "victim"
    victim.write_text("PRECIOUS")
    inner = Path("inner")
    inner.mkdir(exist_ok=True)
    (inner / "link").unlink(missing_ok=True)
    (inner / "link").symlink_to(victim)
    said = refused(2, words[0], "shop.py", *words[1:], "inner/link")
    assert "it is a link to" in said
    assert "outside its folder" in said
    assert victim.read_text() == "PRECIOUS"
    assert (inner / "link").is_symlink()


def test_links_to_regular_files_are_read_and_those_inside_a_folder_written(here):
    here({"shop.py": SHOP, "real.json": ""})
    Path("toolwright.lock.json").symlink_to("real.json")
    good("lock", "shop.py")
    assert "toolwright_lock" in Path("real.json").read_text()
    Path("inner").mkdir()
    Path("inner/lock.json").symlink_to("../real.json")
    assert list(read("inner/lock.json").tools) == ["add"]


def test_what_a_user_names_as_a_device_is_written(here):
    here({"shop.py": SHOP})
    assert good("lock", "shop.py", "-o", "/dev/null")
    assert "lock" not in COMMAND
    assert not Path("toolwright.lock.json").exists()


def test_a_key_twice_in_a_lock_is_refused(here):
    here({"shop.py": SHOP})
    good("lock", "shop.py")
    file = Path("toolwright.lock.json")
    text = file.read_text()
    for key in ("server", "tools", "hash"):
        value = json.dumps("x" * 64)
        file.write_text(text.replace(f'"{key}":', f'"{key}": {value}, "{key}":', 1))
        said = refused(2, "lock", "shop.py", "--check")
        assert f"toolwright.lock.json is damaged: `{key}` is in one object twice" in said
