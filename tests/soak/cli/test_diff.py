"""`diff`: what has changed since the lock, or since a git ref."""

from pathlib import Path

import pytest

from tests.wire.cli.test_diff import SAID, git, locked
from tests.wire.command_files import here
from tests.wire.processes import good, refused, run


@pytest.mark.promise("contract.git")
def test_the_lock_of_a_git_ref_is_compared(locked):
    good("lock", "shop.py")  # so that the lock here has no changes
    assert good("diff", "shop.py") == "no changes\n"
    for ref in ("v1", "HEAD", "HEAD^{commit}"):
        done = run("diff", "shop.py", ref)
        assert (done.returncode, done.stdout.splitlines()) == (1, SAID)


def test_outside_of_git_a_ref_is_no_ref(here):
    outside = {"GIT_CEILING_DIRECTORIES": str(Path.cwd().parent)}
    assert "neither a file nor a git ref" in refused(2, "diff", "shop.py", "main", env=outside)


def test_another_lock_file_is_compared(locked):
    Path("toolwright.lock.json").rename("old.lock.json")
    assert run("diff", "shop.py", "old.lock.json").stdout.splitlines() == SAID
    assert "there is no toolwright.lock.json" in refused(2, "diff", "shop.py")
    git("mv", "-f", "--", "shop.py", "shop2.py")
    assert run("diff", "shop2.py", "v1", "--file", "toolwright.lock.json").returncode == 1


def test_a_project_needs_no_target(locked):
    locked({"pyproject.toml": '[tool.toolwright]\ntarget = "shop.py"\n'})
    for words in ((), ("v1",), ("toolwright.lock.json",)):
        done = run("diff", *words)
        assert (done.returncode, done.stdout.splitlines()) == (1, SAID), (words, done.stderr)
