"""One call each way, from fresh interpreters: `make lowest` runs it with the oldest dependencies."""

import subprocess
import tempfile

import pytest

from tests.wire.processes import COMMAND, LONGEST, announced_port, start, written
from toolwright.client import connect


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.py"
    path.write_text(
        'def add(a: int, b: int = 1) -> int:\n    """Add two numbers."""\n    return a + b\n'
    )
    return path


def test_a_call_over_standard_streams(shop):
    with connect([*COMMAND, "serve", str(shop)]) as box:
        assert box.add(a=1, b=2) == 3


def test_a_call_over_http_without_a_word_of_warning(shop):
    with tempfile.TemporaryFile() as log:
        serving = ("serve", shop, "--http", "--port", "0")
        process = start(*serving, fresh=True, stdout=subprocess.DEVNULL, stderr=log)
        try:
            with connect(f"http://127.0.0.1:{announced_port(process, log)}/mcp") as box:
                assert box.add(a=1, b=2) == 3
        finally:
            process.terminate()
            process.wait(LONGEST)
        assert len(written(log).splitlines()) == 1
