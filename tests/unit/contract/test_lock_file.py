"""Lock files: the same for the same tools, readable, and refused in one line if damaged."""

import json
import os

import pytest

from toolwright import LockError, Tool, Toolbox
from toolwright.contract import diff, lock, parse, read
from toolwright.contract.lock_file import hash_of
from toolwright.contract.sources import environment, recorded, why_stale


def shop():
    box = Toolbox("shop", version="1", instructions="Sells.")

    @box.tool(roles=["admin"], title="Search")
    def search(query: str, limit: int = 10) -> list[str]:
        "Search."

    @box.tool
    def add(a: int) -> int:
        "Add."

    @box.resource("shop://orders/{id}")
    def order(id: str) -> str: ...

    @box.prompt
    def ask(topic: str) -> str: ...

    return box


def test_a_lock_is_read_as_it_was_written(tmp_path):
    made, file = lock(shop()), tmp_path / "it.json"
    made.write(file)
    again = read(file)
    assert again == made
    assert again.to_json() == made.to_json() == file.read_text(encoding="utf-8")
    assert not diff(made, again)


def test_a_hash_depends_on_the_contract_not_on_its_order():
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    turned = dict(reversed(schema.items()))

    def t(**given): ...

    first, second = (lock([Tool(t, input_schema=each)]) for each in (schema, turned))
    assert first.to_json() != second.to_json()
    assert first.tools["t"]["hash"] == second.tools["t"]["hash"] == hash_of(first.tools["t"])
    assert hash_of({**first.tools["t"], "roles": ["x"]}) != first.tools["t"]["hash"]
    assert not diff(first, second)


def test_what_is_disabled_or_refused_is_not_offered():
    box = shop()
    box.disable("add")

    @box.tool
    def bad(a: object()): ...  # pyright: ignore

    assert list(lock(box).tools) == ["search"]


def damaged(change):
    document = json.loads(lock(shop()).to_json())
    change(document)
    return json.dumps(document).encode()


def rewritten(change):
    """A lock whose hashes are right: whoever wrote it knows how to."""

    def all_of_it(document):
        change(document)
        for entry in document["tools"].values():
            entry["hash"] = hash_of(entry)

    return damaged(all_of_it)


def listed(**changes):
    return rewritten(lambda it: it["tools"]["add"]["listed"].update(changes))


def edit(document):
    document["tools"]["add"]["listed"]["description"] = "Subtract."


def retype(document):
    document["tools"]["add"] = {**document["tools"]["add"], "listed": {"name": 5}}


def wrong_roles(document):
    document["tools"]["add"]["roles"] = {"a": 1}


BAD = {
    "nothing": (b"", "is not JSON"),
    "cut": (lock(shop()).to_json().encode()[:200], "is not JSON"),
    "bytes": (b"\xff\xfe\x00\x01\x02", "is not JSON"),
    "nan": (b'{"toolwright_lock": NaN}', "is not JSON"),
    "merge": (b"{\n<<<<<<< a\n=======\n>>>>>>> b\n}", "merge conflicts"),
    "list": (b"[]", "is not a lock"),
    "foreign": (b'{"lockfileVersion": 3}', "is not a lock"),
    "later": (b'{"toolwright_lock": 2}', "a later Toolwright wrote it"),
    "odd version": (b'{"toolwright_lock": "%s"}' % (b"x" * 500), "is a lock of version"),
    "deep": (b'{"toolwright_lock": 1, "tools": ' + b'{"a":' * 60_000, "nested too deeply"),
    "deep and whole": (
        b'{"toolwright_lock": 1, "tools": ' + b'{"a":' * 400 + b"1" + b"}" * 401,
        "nested too deeply",
    ),
    "long number": (b'{"toolwright_lock": ' + b"1" * 5000 + b"}", "is"),
    "tools": (damaged(lambda it: it.update(tools=[])), "`tools` is not an object"),
    "entry": (damaged(lambda it: it["tools"].update(add=5)), "tools has `add`"),
    "type": (damaged(retype), "whose `listed` is not valid"),
    "roles": (damaged(wrong_roles), "whose roles"),
    "edited": (damaged(edit), "whose hash does not match its content"),
    "order": (damaged(lambda it: it["order"].update(tools=["x"])), "does not name the tools"),
    "server": (damaged(lambda it: it.update(server={"info": 5})), "`server` is not"),
    "page size": (damaged(lambda it: it["server"].update(page_size=-3)), "`server` is not"),
    "name": (damaged(lambda it: it["server"].update(info={"name": [1]})), "`server` is not"),
    "surrogate": (listed(description="\ud800"), "whose `listed` is not valid"),
    "annotations": (listed(annotations=7), "whose `listed` is not valid"),
    "boxed": (
        rewritten(lambda it: it["tools"]["add"].update(boxed_output="no")),
        "whose `listed` is not valid",
    ),
    "two of one name": (listed(name="search"), "tools has one name twice"),
    "needs code": (damaged(lambda it: it.update(made_of={"needs_code": 7})), "`made_of` is not"),
    "target": (damaged(lambda it: it.update(made_of={"target": [1]})), "`made_of` is not"),
    "made of": (damaged(lambda it: it.update(made_of={"files": 5})), "`made_of` is not"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.promise("contract.damaged")
def test_a_damaged_or_foreign_lock_is_refused_in_one_line(name):
    data, said = BAD[name]
    with pytest.raises(LockError) as caught:
        parse(data, "it.json")
    text = str(caught.value)
    assert text.startswith("it.json is")
    assert said in text
    assert len(text) < 300
    assert "\n" not in text


def test_a_huge_or_missing_file_is_refused_before_it_is_read(tmp_path):
    with pytest.raises(LockError, match="there is no"):
        read(tmp_path / "none.json")
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    with pytest.raises(LockError, match="cannot be read: it has more than 67,108,864 bytes"):
        read(huge)
    with pytest.raises(LockError, match="cannot be read"):
        read(tmp_path)
    with pytest.raises(LockError, match="cannot be written"):
        lock(shop()).write(tmp_path)


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "a\0b", "\ud800", "x" * 100_000])
def test_what_a_lock_names_is_read_only_if_it_is_a_file(tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    made = {"versions": environment(), "files": {name: "00"}}
    assert why_stale(made, tmp_path) == f"{name[:200]} has changed"
    made["folders"] = made.pop("files")
    (tmp_path / "one.py").touch()
    made["files"] = recorded([tmp_path / "one.py"], [], tmp_path)["files"]
    assert why_stale(made, tmp_path) == f"there are other modules in {name[:200]}"


def test_sources_are_fresh_until_a_file_or_a_version_changes(tmp_path):
    one, two = tmp_path / "one.py", tmp_path / "inner" / "two.py"
    two.parent.mkdir()
    for file in (one, two):
        file.write_text("a = 1\n")
    made = recorded([one, two], [tmp_path], tmp_path)
    assert list(made["files"]) == ["inner/two.py", "one.py"]
    assert why_stale(made, tmp_path) == ""
    (tmp_path / "three.py").touch()
    assert "other modules" in why_stale(made, tmp_path)
    (tmp_path / "three.py").unlink()
    two.write_text("a = 2\n")
    assert why_stale(made, tmp_path) == "inner/two.py has changed"
    two.unlink()
    assert why_stale(made, tmp_path) == "inner/two.py has changed"
    older = {**made, "versions": {**made["versions"], "toolwright": "0.0.1"}}
    assert why_stale(older, tmp_path).startswith("it was written with toolwright 0.0.1")
    assert "with toolwright None" in why_stale({"files": made["files"]}, tmp_path)
    assert why_stale({}, tmp_path) == "it does not say which files it was made from"
