"""`python_tool`: code in processes of its own, attacked."""

import asyncio
import gc
import json
import os
import subprocess
import sys
import threading
import time

import pytest

from tests.wire.era_client import Client
from tests.wire.processes import gone, is_running
from tests.wire.session_client import serving
from toolwright import Call, Toolbox
from toolwright.serve.access.guard import Caller
from toolwright.sources import python_tool
from toolwright.sources.python_sessions import PythonSessions, Stop
from toolwright.sources.watched_process import RunSettings


@pytest.fixture(scope="module")
def tool():
    return python_tool(timeout=60)


@pytest.fixture
def ran(tool):
    def ran(code, **more):
        return tool.call({"code": code, **more})

    return ran


@pytest.mark.promise("python.value")
@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", 2),
        ("'ü'", "ü"),
        ("[1, {'a': None}]", [1, {"a": None}]),
        ("(1, 2)", "(1, 2)"),
        ("float('nan')", "nan"),
        ("{1: 2}", "{1: 2}"),
        ("'\\ud800'", "'\\ud800'"),
        ("x = 5", None),
        ("", None),
        ("# nothing", None),
        ("for n in range(3): n", None),
        ("await __import__('asyncio').sleep(0, 7)", 7),
        ("import sys; sys.argv, __name__", "([''], '__main__')"),
        ("10 ** 400 > 0", True),
    ],
)
def test_the_value_is_json_or_text(ran, code, value):
    assert ran(code).structured == {"value": value, "stdout": "", "stderr": ""}


@pytest.mark.promise("python.names-kept")
def test_names_are_kept_and_forgotten(ran):
    ran("kept = [1]")
    ran("import math as m\nclass Held:\n    n = 3")
    assert ran("kept[0] + Held.n + m.floor(1.5)").structured["value"] == 5
    assert ran("Held().__module__").structured["value"] == "__main__"
    assert "NameError" in ran("kept", restart=True).text


@pytest.mark.promise("python.errors")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def f():\n    1/0\nf()", 'File "<python '),
        ("def f():\n    1/0\nf()", "line 2, in f\n    1/0"),
        ("a = 1\nb = (", "line 2\n    b = (\n        ^\nSyntaxError: '(' was never closed"),
        ("\0", "null bytes"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("exit()", "SystemExit"),
        ("raise BaseException('x')", "BaseException: x"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("input()", "EOFError"),
        ("class E(Exception):\n    def __str__(self): 1/0\nraise E", "E: <exception str() failed>"),
        ("raise Exception('\\ud800')", "Exception: ?"),
        ("(lambda f: f(f))(lambda f: f(f))", "RecursionError"),
        ("int('9' * 5000)", "ValueError"),
    ],
)
def test_what_code_raises_is_shown_from_its_own_lines_on(ran, code, said):
    result = ran(code)
    assert result.is_error
    assert said in result.text
    assert "toolwright" not in result.text
    assert ran("1").structured["value"] == 1


def test_what_was_printed_before_an_error_is_shown(ran):
    said = ran("import sys\nprint('out')\nprint('err', file=sys.stderr)\n1/0").text
    assert "ZeroDivisionError" in said
    assert "stdout:\nout" in said
    assert "stderr:\nerr" in said


WRITES = """
import os, struct
for number in range(3, 100):
    try: os.write(number, {})
    except OSError: pass
"""


@pytest.mark.promise("python.ended")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os; os._exit(3)", "its process has ended (exit code 3)"),
        ("import os; os.kill(os.getpid(), 9)", "its process has ended (signal 9)"),
        ("import os\nfor n in range(3, 100):\n    try: os.close(n)\n    except OSError: pass", ""),
        (WRITES.format("b'junk' * 9"), "connection of its session"),
        ("import os, time\nif os.fork() == 0: time.sleep(600)\nos._exit(4)", "(exit code 4)"),
        ("import ctypes; ctypes.string_at(0)", "signal 11"),
        (WRITES.format("struct.pack('>I', 2**31)"), "connection of its session"),
        (WRITES.format("struct.pack('>I', 20000) + b'[' * 20000"), "connection of its session"),
    ],
)  # fmt: skip
def test_a_session_that_ends_costs_one_clear_error(ran, code, said):
    ran("kept = 1")
    result = ran(code)
    assert result.is_error
    assert said in result.text
    assert result.text.split("\n")[0].endswith("; the names of this session are gone")
    assert "NameError" in ran("kept").text


@pytest.mark.promise("python.timeout")
def test_a_loop_is_interrupted_and_its_names_stay():
    tool = python_tool(timeout=0.5)
    tool.call({"code": "n = 5"})
    result = tool.call({"code": "print('begun')\nwhile True: pass"})
    assert result.is_error
    assert "KeyboardInterrupt\n(after 0.5 s, which is its limit)" in result.text
    assert "begun" in result.text
    assert tool.call({"code": "n"}).structured["value"] == 5


@pytest.mark.promise("python.memory")
def test_memory_is_bounded():
    tool = python_tool(memory=1024**3)
    assert "MemoryError" in tool.call({"code": "b = bytearray(10 * 1024**3)"}).text
    assert tool.call({"code": "1"}).structured["value"] == 1


@pytest.mark.promise("python.output")
def test_a_flood_of_output_is_cut():
    tool = python_tool(timeout=0.5, max_output=1000)
    result = tool.call({"code": "while True: print('y' * 1000)"})
    assert "bytes left out" in result.text
    assert len(result.text) < 5000
    quiet = tool.call({"code": "import os; os.system('seq 100000 >&2'); 1"}).structured
    assert quiet["value"] == 1
    assert quiet["stderr"].startswith("1\n2\n")
    assert quiet["stderr"].endswith("99999\n100000\n")


@pytest.mark.promise("python.environment")
def test_the_environment_has_no_secrets(monkeypatch):
    monkeypatch.setenv("API_TOKEN", "hunter2")
    tool = python_tool(environment={"MINE": "1"})
    seen = tool.call({"code": "import os; dict(os.environ)"}).structured["value"]
    assert seen["MINE"] == "1"
    assert "hunter2" not in json.dumps(seen)
    fds = (
        "import os; sorted(os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd'))"
    )
    assert "socket" not in tool.call({"code": fds}).text


# -- callers


@pytest.mark.promise("python.sessions")
def test_each_caller_has_a_session():
    tool = python_tool()
    for name in ("ada", "bob"):
        tool.call({"code": f"me = {name!r}"}, call=Call(caller=name))
    seen = [
        tool.call({"code": "me"}, call=Call(caller=name)).structured["value"]
        for name in ("ada", "bob")
    ]
    assert seen == ["ada", "bob"]
    assert "NameError" in tool.call({"code": "me"}).text


@pytest.mark.promise("python.strangers")
def test_strangers_over_http_never_share_names():
    box = Toolbox("code")
    box.add(python_tool())
    tokens = {"token-one": Caller("ada"), "token-two": Caller("bob")}

    async def said(caller, code):
        came = await caller.ask("tools/call", name="python", arguments={"code": code})
        return came["content"][0]["text"]

    async def course():
        async with serving(box) as app:
            for modern in (True, False):
                one, two = Client(app, modern=modern), Client(app, modern=modern)
                await said(one, "mine = 1")
                assert "NameError" in await said(two, "mine")
                kept = await said(one, "mine")
                # Without a sign-in and without a session, nobody is known again.
                assert ("NameError" in kept) is modern
        async with serving(box, tokens=tokens) as app:
            await said(Client(app, "token-one"), "mine = 1")
            assert '"value":1' in await said(Client(app, "token-one"), "mine")
            assert "NameError" in await said(Client(app, "token-two"), "mine")

    asyncio.run(asyncio.wait_for(course(), 60))


@pytest.mark.promise("python.sessions")
def test_calls_of_one_caller_take_turns_and_others_do_not_wait():
    tool = python_tool(timeout=60)
    tool.call({"code": "n = 0"})

    async def course():
        step = "import time\nseen = n\ntime.sleep(0.02)\nn = seen + 1\nn"
        came = await asyncio.gather(*(tool.call_async({"code": step}) for _ in range(5)))
        assert sorted(each.structured["value"] for each in came) == [1, 2, 3, 4, 5]
        slow = asyncio.ensure_future(tool.call_async({"code": "import time; time.sleep(600)"}))
        other = await tool.call_async({"code": "1"}, call=Call(caller="other"))
        assert other.structured["value"] == 1
        assert not slow.done()
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)

    asyncio.run(asyncio.wait_for(course(), 60))
    assert "NameError" in tool.call({"code": "n"}).text  # it was killed


@pytest.mark.promise("python.bounded")
def test_there_are_only_so_many_sessions():
    tool = python_tool(max_sessions=2)
    pids = {}
    for name in ("a", "b", "c"):
        came = tool.call({"code": "import os; os.getpid()"}, call=Call(caller=name))
        pids[name] = came.structured["value"]
    gone(pids["a"])
    assert is_running(pids["b"])
    assert is_running(pids["c"])

    async def course():
        busy = [
            asyncio.ensure_future(
                tool.call_async({"code": "import time; time.sleep(600)"}, call=Call(caller=name))
            )
            for name in ("b", "c")
        ]
        while True:
            await asyncio.sleep(0.05)
            refused = await tool.call_async({"code": "1"}, call=Call(caller="d"))
            if refused.is_error:
                break
        assert "too many Python sessions run code" in refused.text
        for each in busy:
            each.cancel()
        await asyncio.gather(*busy, return_exceptions=True)

    asyncio.run(asyncio.wait_for(course(), 60))


@pytest.mark.promise("python.bounded")
def test_idle_sessions_end():
    tool = python_tool(idle=0.2)
    pid = tool.call({"code": "import os; os.getpid()"}).structured["value"]
    gone(pid)
    assert tool.call({"code": "1"}).structured["value"] == 1


def made_sessions():
    return PythonSessions(RunSettings(), memory=None, most=2, idle=60)


def value_in(sessions, code):
    return sessions.run("k", (sys.executable,), code, 30, Stop()).value


def test_forgotten_sessions_leave_no_process():
    sessions = made_sessions()
    pid = value_in(sessions, "import os; os.getpid()")
    del sessions
    gc.collect()
    gone(pid)


def test_a_fork_of_the_server_leaves_the_sessions_alone():
    sessions = made_sessions()
    value_in(sessions, "n = 5")
    pid = os.fork()
    if pid == 0:
        os._exit(len(sessions))
    assert os.waitpid(pid, 0)[1] == 0
    assert value_in(sessions, "n") == 5


def script(*dependencies):
    written = json.dumps(list(dependencies))
    return f"# /// script\n# dependencies = {written}\n# ///\n"


@pytest.mark.promise("python.environments")
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("# /// script\n# dependencies = [", "has no closing line"),
        ("# /// script\n# dependencies = [\n# ///\n", "is not TOML"),
        ("# /// script\n# dependencies = 'x'\n# ///\n", "is a list of texts"),
        ("# /// script\n# dependencies = ['--index-url=http://x']\n# ///\n", "is a list of texts"),
        ("# /// script\n# requires-python = 3\n# ///\n", "is a list of texts"),
    ],
)
def test_a_block_that_cannot_be_read(ran, code, said):
    result = ran(code)
    assert result.is_error
    assert said in result.text


@pytest.mark.promise("python.environments")
def test_without_uv_a_script_is_refused(monkeypatch, ran):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setitem(sys.modules, "uv", None)
    assert "needs `uv`" in ran(f"{script('x')}1").text


def test_another_interpreter_and_one_that_is_not_there():
    found = subprocess.check_output(
        [sys.executable, "-c", "import sys; print(sys.executable)"], text=True
    ).strip()
    assert python_tool(python=found).call({"code": "1"}).structured["value"] == 1
    missing = python_tool(python="/nowhere/python").call({"code": "1"})
    assert "/nowhere/python cannot be started" in missing.text


# -- inside


@pytest.mark.promise("python.inside")
def test_inside_the_process_names_are_shared():
    glb = {"n": 5}
    tool = python_tool(inside=True, glb=glb)
    assert tool.call({"code": "n += 1; print('x'); n"}).structured == {
        "value": 6,
        "stdout": "x\n",
        "stderr": "",
    }
    assert glb["n"] == 6
    assert "ZeroDivisionError" in tool.call({"code": "1/0"}).text
    assert "SyntaxError" in tool.call({"code": "1/"}).text
    assert tool.call({"code": "raise SystemExit"}).is_error


@pytest.mark.promise("python.inside-timeout")
@pytest.mark.parametrize("threaded", [True, False])
def test_inside_the_process_a_call_ends_at_its_limit(threaded):
    tool = python_tool(inside=True, timeout=0.3)
    results = []

    def go():
        spent = time.monotonic()
        results.append(tool.call({"code": "while True: pass"}))
        assert time.monotonic() - spent < 30

    if threaded:
        thread = threading.Thread(target=go)
        thread.start()
        thread.join()
    else:
        go()
    assert results[0].is_error
    assert "0.3 s" in results[0].text
    assert tool.call({"code": "1"}).structured["value"] == 1


@pytest.mark.parametrize(
    "settings",
    [
        {"glb": {}},
        {"loc": {}},
        {"timeout": 0},
        {"idle": -1},
        {"max_sessions": 0},
        {"memory": 0},
        {"max_output": 0},
        {"environment": {"A": 5}},
        {"cwd": ""},
    ],
)
def test_settings_that_cannot_work_are_refused(settings):
    with pytest.raises((ValueError, TypeError)):
        python_tool(**settings)
