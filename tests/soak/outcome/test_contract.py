"""The contract of results: what its schema admits, and its bounds."""

import pathlib
import subprocess
import sys

import pytest

from tests.unit.returning import returning
from tests.unit.ways import result_of
from toolwright import File, Image


@pytest.mark.skipif(sys.platform != "linux", reason="memory can be limited on Linux only")
def test_a_large_text_takes_no_more_memory_than_a_few_copies_of_it():
    code = """
import resource
from toolwright import Tool
from toolwright.tools.definition import runner_of
def large() -> dict[str, str]:
    return {"text": "A" * 20_000_000}
tool = Tool(large, max_result=30_000_000)
tool.compile(), runner_of(tool)
resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000))
made = tool.call()
assert not made.is_error, made.text[:200]
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "make",
    [
        lambda data, path: data,
        lambda data, path: File(path),
        lambda data, path: Image(data),
        lambda data, path: [Image(data[: len(data) // 2]), Image(data[len(data) // 2 :])],
        lambda data, path: {"picture": Image(data)},
    ],
)
def test_content_that_is_too_large_is_refused_with_its_size(make, tmp_path):
    data = b"\x89PNG\r\n\x1a\n" + bytes(33 * 1024 * 1024)
    path = tmp_path / "large.png"
    path.write_bytes(data)
    result = result_of(returning(make(data, path)))
    assert result.is_error
    assert "more than the limit of 33554432" in result.text
    assert not result_of(returning(make(data[:1_000_000], pathlib.Path(__file__)))).is_error
