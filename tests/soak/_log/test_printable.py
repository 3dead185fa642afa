"""What is logged, or told of a failure, commands no terminal."""

import json

import pytest

from tests.unit._log.test_printable import COMMAND, SHOWN
from tests.wire.cli.typed_terminal import Typed, until
from tests.wire.command_files import here

RAISING = """
from toolwright import Toolbox
box = Toolbox("raising")

@box.tool
def fail(text: str) -> str:
    raise RuntimeError(text)
"""


@pytest.mark.promise("serve.printable-logs")
def test_a_server_on_a_terminal_shows_a_callers_text_without_obeying_it(here):
    here({"raising.py": RAISING})
    sent = {"name": "fail", "arguments": {"text": COMMAND}}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "typed", "version": "1"}
    with Typed("serve", "raising.py", NO_COLOR="1") as typed:
        until(lambda: "raising" in typed.text(), "the server says what it is")
        for id, method, params in ((1, "initialize", hello), (2, "tools/call", sent)):
            line = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
            typed.answer("", f"{line}\n")
        until(lambda: f"RuntimeError: {SHOWN}" in typed.text(), "the traceback")
        assert "\x1b" not in typed.text()
