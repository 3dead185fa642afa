"""Content inside values: what is too large is refused before it is read."""

import logging
import tracemalloc
from typing import Any

import pytest

from toolwright import Call, File, Toolbox
from toolwright.content import Content

HUGE = 3 << 30

box = Toolbox("files")


def values(path):
    file = File(path)
    return {
        "dict": {"file": file},
        "nested": {"files": [{"file": file}]},
        "tuple in a dict": {"files": (file,)},
        "list": [file, 1],
        "alone": file,
    }


@box.tool
def untyped(path: str, kind: str):
    return values(path)[kind]


@box.tool
def typed(path: str, kind: str) -> dict[str, Any]:
    return values(path)[kind]


@pytest.fixture
def huge(tmp_path, monkeypatch):
    """A file with a hole in it: it says 3 GB, and takes no room. To read it fails the test."""
    path = tmp_path / "huge.bin"
    with path.open("wb") as file:
        file.truncate(HUGE)

    def read(self):
        raise AssertionError("it was read")

    monkeypatch.setattr(Content, "data", property(read))
    return path


@pytest.mark.parametrize("kind", ["dict", "nested", "tuple in a dict", "list", "alone"])
def test_a_huge_file_is_refused_before_it_is_read(huge, kind):
    said = box.call("untyped", {"path": str(huge), "kind": kind}).text
    assert f"the result has {HUGE} bytes, more than the limit" in said


@pytest.mark.parametrize("kind", ["dict", "nested", "tuple in a dict"])
def test_a_huge_file_in_a_declared_dict_is_refused_before_it_is_read(huge, kind):
    said = box.call("typed", {"path": str(huge), "kind": kind}).text
    assert f"the result has {HUGE} bytes, more than the limit" in said


def test_files_that_are_too_large_together_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "part.bin"
    with path.open("wb") as file:
        file.truncate(20 << 20)
    tool = Toolbox("two")
    tool.tool(name="two")(lambda: {"a": File(path), "b": {"c": File(path)}})
    tracemalloc.start()
    said = tool.call("two").text
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert f"the result has {40 << 20} bytes" in said
    assert peak < 100e6  # the first, and its base64


def test_a_small_file_in_a_dict_is_sent(tmp_path):
    path = tmp_path / "small.bin"
    path.write_bytes(b"\x00\xff")
    for name in ("untyped", "typed"):
        content = box.call(name, {"path": str(path), "kind": "nested"}).content
        assert content[1]["resource"]["blob"] == "AP8="
        assert '"[resource 1]"' in content[0]["text"]


@pytest.mark.parametrize("level", ["warn", "INFO", 20, None, ["info"]])
@pytest.mark.parametrize("listens", [False, True])
def test_a_wrong_level_is_told_with_the_right_ones(level, listens):
    call = Call(on_log=(lambda *said: None) if listens else None)
    with pytest.raises(ValueError, match="no level .*; the levels are debug, info, notice"):
        call.log("hello", level)


def test_a_tool_with_a_wrong_level_answers_with_the_right_ones(caplog):
    @box.tool
    def logs(call: Call) -> int:
        call.log("hello", "warn")  # pyright: ignore
        return 1

    caplog.set_level(logging.CRITICAL)
    said = box.call("logs").text
    assert "`call.log` has no level 'warn'" in said
    assert "emergency" in said
