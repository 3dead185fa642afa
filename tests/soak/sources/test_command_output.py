"""What came of a program, as a tool's value."""

import json

import pytest

from tests.unit.sources.test_command_output import called
from toolwright.sources.command_run import MOST


@pytest.mark.parametrize("letter", ["x", '"', "\n", "é", "\\", "\x01", "😀"])
@pytest.mark.parametrize("code", [0, 1])
def test_a_result_is_never_refused_for_its_size(letter, code):
    script = (
        f"import sys; t = {letter!r} * 200000; sys.stdout.write(t); sys.stderr.write(t);"
        f"sys.exit({code})"
    )
    result = called(script)
    assert result.is_error == bool(code)
    assert result.structured["exitCode"] == code
    assert result.structured["stderr"].count("left out ...]") >= (letter != "\x01")
    assert len(json.dumps(result.structured, ensure_ascii=False).encode()) <= MOST + 20
