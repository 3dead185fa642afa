"""What is logged, or told of a failure, commands no terminal."""

import pytest

from tests.unit._log.test_printable import COMMAND, SHOWN
from tests.wire.cli.typed_terminal import Typed
from tests.wire.command_files import here


@pytest.mark.promise("serve.printable-logs")
def test_a_target_that_fails_to_load_commands_no_terminal(here):
    here({"broken.py": f"raise RuntimeError({COMMAND!r})\n"})
    with Typed("list", "broken.py", "--debug", NO_COLOR="1") as typed:
        code, text = typed.end()
    assert code != 0
    assert "\x1b" not in text
    assert f"RuntimeError: {SHOWN}" in text
