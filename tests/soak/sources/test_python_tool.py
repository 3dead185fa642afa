"""`python_tool`: code in processes of its own, attacked."""

import os
import signal
import zipfile

import pytest

from tests.wire.processes import Stdio, gone, is_running, until
from tests.wire.sources.test_python_tool import script, tool
from toolwright import Call
from toolwright.sources import python_tool


@pytest.mark.promise("python.hostile")
@pytest.mark.parametrize(
    "code",
    [
        "class A:\n    def __repr__(self): raise BaseException\nA()",
        "a = []; a.append(a); a",
        "'x' * 10**7",
        "import sys; sys.stdout = 5; sys.stderr = 5",
        "import sys; sys.modules.clear()",
        "import os; os.close(1); os.close(2)",
        "import os; os.fork(); 5",
        "import threading; threading.Thread(target=threading.Event().wait).start()",
        "globals().clear()",
        "class A:\n    def __repr__(self): raise ValueError\nA()",
        "class A:\n    def __repr__(self): return 5\nA()",
        "class A(dict):\n    def items(self): 1/0\nA(a=1)",
        "class A(str): pass\nA('x')",
        "x = []\nfor _ in range(10000): x = [x]\nx",
        "list(range(10**6))",
        "import sys; sys.stdout = None",
        "import sys; sys.stdout.close(); sys.stderr.close()",
        "import sys; sys.stdout = type('S', (), {'flush': lambda self: 1/0})()",
        "import sys; sys.path.clear()",
        "import builtins; del builtins.print",
        "import json; json.dumps = None",
        "import os; os.chdir('/')",
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "import os; os.close(0)",
        "del __builtins__",
    ],
)
def test_no_code_breaks_more_than_its_session(tool, code):
    first = tool.call({"code": code}, call=Call(caller=code))
    assert len(first.to_mcp_json()) < 200_000
    again = tool.call({"code": "6 * 7", "restart": True}, call=Call(caller=code))
    assert again.structured["value"] == 42


@pytest.mark.promise("python.timeout")
def test_code_that_does_not_end_is_killed_with_all_that_it_started(tmp_path):
    tool = python_tool(timeout=0.5)
    result = tool.call(
        {
            "code": f"""
import os, signal, subprocess, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
started = [
    subprocess.Popen(["sleep", "600"]),
    subprocess.Popen(["setsid", "sleep", "600"]),
    subprocess.Popen(["sleep", "600"], env={{}}, start_new_session=True),
]
pids = [each.pid for each in started]
for _ in range(10):
    pid = os.fork()
    if pid == 0:
        os.setsid()
        time.sleep(600)
        os._exit(0)
    pids.append(pid)
open({str(tmp_path / "pids")!r}, "w").write(" ".join(map(str, pids)))
while True: time.sleep(1)
"""
        }
    )
    assert "killed after 0.5 s" in result.text
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 13
    until(lambda: not any(map(is_running, pids)), "all are gone")


SERVER = """
from toolwright import Toolbox
from toolwright.sources import python_tool
box = Toolbox("code")
box.add(python_tool())
"""


@pytest.mark.promise("python.no-orphans")
@pytest.mark.parametrize("how", ["killed", "ended"])
def test_a_server_leaves_no_process(tmp_path, how):
    (tmp_path / "served.py").write_text(SERVER)
    with Stdio("served.py", cwd=tmp_path) as server:
        came = server.call("python", code="import os; os.getpid()")
        pid = came["structuredContent"]["value"]
        loop = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass"
        server.begin("tools/call", {"name": "python", "arguments": {"code": loop}})
        until(lambda: is_running(pid), "it runs")
        if how == "killed":
            os.kill(server.pid, signal.SIGKILL)
        else:
            server.end()
    gone(pid)


# -- environments


@pytest.fixture
def wheel(tmp_path):
    """A package that no index has."""
    path = tmp_path / "tinyone-1.0-py3-none-any.whl"
    meta = "tinyone-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("tinyone.py", 'WORD = "tiny"\n')
        made.writestr(f"{meta}/METADATA", "Metadata-Version: 2.1\nName: tinyone\nVersion: 1.0\n")
        made.writestr(
            f"{meta}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{meta}/RECORD", "")
    return path


@pytest.mark.promise("python.environments")
def test_a_script_has_an_environment_of_its_own(wheel, monkeypatch, tmp_path):
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_OFFLINE", "1")
    tool = python_tool()
    head = script(f"tinyone @ file://{wheel}")
    assert tool.call({"code": f"{head}import tinyone; tinyone.WORD"}).structured["value"] == "tiny"
    assert tool.call({"code": f"{head}tinyone.WORD * 2"}).structured["value"] == "tinytiny"
    assert "ModuleNotFoundError" in tool.call({"code": "import tinyone"}).text
    same = python_tool(dependencies=[f"tinyone @ file://{wheel}"])
    assert same.call({"code": "import tinyone; 1"}).structured["value"] == 1
    missing = tool.call({"code": f"{script('no-such-package-at-all')}1"})
    assert missing.is_error
    assert "no-such-package-at-all" in missing.text
