"""What several tools, or several places of one, share: it is compiled once and means the same."""

import subprocess
import sys

from toolwright import Call, Tool


def test_a_tool_that_sees_its_call_is_listed_without_what_runs_it():
    code = (
        "import sys\nfrom toolwright import Call, Tool\n"
        "def look(a: int, call: Call) -> int: ...\n"
        "Tool(look).to_mcp_json()\n"
        "print('toolwright.run.injection' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert Tool(_look).call({"a": 1}).value == 1


def _look(a: int, call: Call) -> int:
    return a if call.tool else 0
