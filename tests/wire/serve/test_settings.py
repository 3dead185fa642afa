"""The settings of a server: one list for `serve`, `asgi`, the command and the docs."""

import subprocess
import sys


def test_a_server_on_stdio_loads_nothing_of_http():
    code = (
        "import sys\n"
        "from toolwright import Toolbox\n"
        "box = Toolbox('quick')\n"
        "def add(a: int, b: int) -> int: return a + b\n"
        "box.add(add)\n"
        "box.serve()\n"
        "loaded = [name for name in sys.modules if name.startswith('toolwright.serve.')]\n"
        "print(*loaded, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="", capture_output=True, text=True, check=True
    )
    loaded = done.stderr.split()
    assert "toolwright.serve.stdio.conversation" in loaded
    assert not [name for name in loaded if name.startswith("toolwright.serve.http")]
    assert not {"toolwright.serve.http.routes", "toolwright.serve.access.oauth"} & set(loaded)
