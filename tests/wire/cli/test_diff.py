"""`diff`: what has changed since the lock, or since a git ref."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.wire.cli.test_lock import edited
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run

__all__ = ["here"]  # a fixture

WHO = {f"GIT_{who}_{what}": "t@t" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(*words, **more):
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    env = {**os.environ, **WHO, **quiet}
    subprocess.run(["git", *words], check=True, capture_output=True, env=env, **more)


@pytest.fixture
def locked(here):
    """A shop with a lock, in git, and then a breaking change."""
    good("lock", "shop.py")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "locked")
    git("tag", "v1")
    edited("a: int, b: int = 1", "a: int, b: int")
    return here


SAID = [
    "breaking: tool add input.b: is required now (such as {})",
    "risky: tool add input.b: default 1 is gone",
    "1 breaking, 1 risky, 0 additive",
]


@pytest.mark.promise("contract.diff")
def test_a_breaking_change_is_said_and_fails(locked):
    done = run("diff", "shop.py")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.splitlines() == SAID
    assert run("diff", "shop.py", "--fail-on", "never").returncode == 0


def test_a_ref_without_a_lock_is_said(here):
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "not locked")
    said = refused(2, "diff", "shop.py", "HEAD")
    assert "HEAD has no toolwright.lock.json" in said
    assert "neither a file nor a git ref" in refused(2, "diff", "shop.py", "nowhere")
    assert "neither a file nor a git ref" in refused(2, "diff", "shop.py", "a b; touch x")
    assert not Path("x").exists()


def test_no_hook_filter_or_helper_of_a_repository_runs(locked):
    bad = Path("bad.sh")
    bad.write_text("#!/bin/sh\ntouch ran\n")
    bad.chmod(0o755)
    for key in ("core.fsmonitor", "diff.evil.textconv", "filter.evil.smudge", "core.pager"):
        git("config", key, str(bad.absolute()))
    Path(".gitattributes").write_text("*.json diff=evil filter=evil\n")
    for hook in ("post-checkout", "pre-commit", "reference-transaction"):
        Path(".git/hooks", hook).write_text(bad.read_text())
        Path(".git/hooks", hook).chmod(0o755)
    assert run("diff", "shop.py", "v1").returncode == 1
    assert not Path("ran").exists()


def test_a_report_is_json_or_markdown(locked):
    report = json.loads(run("diff", "shop.py", "--format", "json").stdout)
    assert report["counts"] == {"breaking": 1, "risky": 1, "additive": 0}
    assert report["changes"][0] == {
        "severity": "breaking",
        "part": "tool",
        "name": "add",
        "where": "input.b",
        "text": "is required now",
        "example": {},
    }
    lines = run("diff", "shop.py", "--format", "markdown").stdout.splitlines()
    assert lines[:3] == ["## Tool contract", "", "**1 breaking, 1 risky, 0 additive**"]
    assert "| tool add | input.b | is required now | \\{\\} |" in lines


@pytest.mark.parametrize(
    "old, new, fail_on, code",
    [
        ("Find orders.", "Find all.", "breaking", 0),
        ("Find orders.", "Find all.", "risky", 1),
        ("b: int = 1", "b: int = 1, c: int | None = None", "risky", 0),
        ("b: int = 1", "b: int, c: int = 1", "additive", 1),
    ],
)
def test_what_fails_can_be_chosen(here, old, new, fail_on, code):
    good("lock", "shop.py")
    edited(old, new)
    assert run("diff", "shop.py", "--fail-on", fail_on).returncode == code
