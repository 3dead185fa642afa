"""`lock`: the contract is written down, and checked."""

import json
from pathlib import Path

import pytest

from tests.wire.command_files import here
from tests.wire.processes import good, refused, run

__all__ = ["here"]  # a fixture

LOCK = Path("toolwright.lock.json")


def edited(old, new, file="shop.py"):
    text = Path(file).read_text()
    assert old in text
    Path(file).write_text(text.replace(old, new))


@pytest.mark.promise("contract.lock")
def test_a_lock_is_written_and_checked(here):
    assert good("lock", "shop.py") == "3 tools locked in toolwright.lock.json\n"
    document = json.loads(LOCK.read_text())
    assert list(document["tools"]) == ["add", "orders.drop", "orders.find"]
    assert document["tools"]["orders.find"]["listed"]["name"] == "orders_find"
    first = LOCK.read_bytes()
    assert good("lock", "shop.py", "--check") == "toolwright.lock.json is up to date\n"
    good("lock", "shop.py")
    assert LOCK.read_bytes() == first


@pytest.mark.promise("contract.check")
def test_a_lock_that_is_out_of_date_fails_with_a_line_for_each_tool(here):
    good("lock", "shop.py")
    before = LOCK.read_bytes()
    edited("a: int, b: int = 1", "a: int, b: int, c: str = ''")
    edited('"""Find orders."""', '"""Find all orders."""')
    done = run("lock", "shop.py", "--check")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "breaking: tool add: input.b is required now (and 2 more)",
        'risky: tool orders.find: description was "Find orders.", is "Find all orders."',
        (
            "toolwright.lock.json is out of date: `toolwright lock` writes it, "
            "`toolwright diff` says more"
        ),
    ]
    assert LOCK.read_bytes() == before
    assert json.loads(run("lock", "shop.py", "--check", "--json").stdout)["severity"] == "breaking"


def test_an_edit_that_changes_no_contract_is_only_noted(here):
    good("lock", "shop.py")
    edited("return a + b", "return b + a")
    done = run("lock", "shop.py", "--check")
    assert (done.returncode, done.stdout) == (0, "toolwright.lock.json is up to date\n")
    assert done.stderr == "note: `serve --lock` would not start from it: shop.py has changed\n"


def test_the_lock_of_a_project_is_beside_its_file(here):
    here({"pyproject.toml": '[tool.toolwright]\ntarget = "shop.py"\n', "inner/x.txt": ""})
    good("lock", cwd="inner")
    assert LOCK.is_file()
    assert "up to date" in good("lock", "--check", cwd="inner")
    here({"pyproject.toml": '[tool.toolwright]\ntarget = "shop.py"\nselect = "add"\n'})
    assert run("lock", "--check", cwd="inner").returncode == 1


@pytest.mark.parametrize(
    "content, said",
    [
        (None, "there is no toolwright.lock.json - `toolwright lock` writes it"),
        ('{"toolwright_lock": 9}', "a later Toolwright wrote it"),
    ],
)
def test_a_lock_that_cannot_be_checked_is_a_mistake_in_one_line(here, content, said):
    if content is not None:
        LOCK.write_text(content)
    assert said in refused(2, "lock", "shop.py", "--check")


def test_a_file_that_cannot_be_written_is_a_mistake_in_one_line(here):
    assert "cannot be written" in refused(2, "lock", "shop.py", "-o", "nowhere/x.json")
    assert "--check compares with a file" in refused(2, "lock", "shop.py", "--check", "-o", "-")


def test_what_a_target_prints_is_not_in_a_lock(here):
    here({"loud.py": "print('noise')\ndef f(a: int) -> int:\n    return a\n"})
    done = run("lock", "loud.py", "-o", "-")
    assert json.loads(done.stdout)["tools"].keys() == {"f"}
