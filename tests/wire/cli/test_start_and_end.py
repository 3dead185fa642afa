"""How servers begin and end: what is said, on a terminal too, logs, Ctrl-C."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import threading

import pytest

from tests.wire.command_files import here
from tests.wire.processes import INITIALIZE, LONGEST, Http, Stdio, refused, start, until
from toolwright import Toolbox

__all__ = ["here"]  # a fixture

SERVER = """
import logging, sys
from toolwright import Toolbox
box = Toolbox("shop")
log = logging.getLogger("mine")

@box.tool
def add(a: int) -> int:
    log.info("adding %s", a)
    return a

@box.tool
def speak() -> int:
    raise ValueError("spoken")

if __name__ == "__main__":
    {serve}
"""


def python(serve, **more):
    """Start `python server.py`."""
    with open("server.py", "w") as file:
        file.write(SERVER.replace("{serve}", serve))
    return subprocess.Popen(
        [sys.executable, "server.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever has started the tests may ignore it, and children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **more,
    )


@pytest.mark.promise("serve.says-where")
def test_a_program_says_where_it_serves_and_ends_quietly(here):
    with python("box.serve('http', port=0)") as server:
        said = server.stderr.readline()
        found = re.fullmatch(
            r"shop: 2 tools at http://127\.0\.0\.1:(\d+)/mcp \(Ctrl-C ends it\)\n", said
        )
        socket.create_connection(("127.0.0.1", int(found[1]))).close()
        server.send_signal(signal.SIGINT)
        assert server.wait(LONGEST) == 0
        assert server.stderr.read() == ""


ASYNC = "import asyncio; asyncio.run({what}); print('after', file=sys.stderr)"


@pytest.mark.promise("serving.async-quiet")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_ctrl_c_ends_what_asyncio_runs_quietly(here, transport):
    settings = "'http', port=0, log_level='info'" if transport == "http" else "log_level='info'"
    ready = "" if transport == "http" else "print('ready', file=sys.stderr); "
    with python(ready + ASYNC.format(what=f"box.serve_async({settings})")) as server:
        server.stderr.readline()
        if transport == "stdio":
            assert initialized(server)
        server.send_signal(signal.SIGINT)
        assert server.wait(LONGEST) == 0
        assert server.stderr.read() == "after\n"


def initialized(server):
    """Whether a server on stdio answers."""
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
    server.stdin.write(json.dumps(hello) + "\n")
    server.stdin.flush()
    return "serverInfo" in server.stdout.readline()


def test_inside_another_coroutine_ctrl_c_is_for_that_one(here):
    program = "async def main():\n        await box.serve_async('http', port=0, log_level='info')\n"
    with python(f"{program}    {ASYNC.format(what='main()')}") as server:
        server.stderr.readline()
        server.send_signal(signal.SIGINT)
        assert server.wait(LONGEST) == -signal.SIGINT
        assert server.stderr.read().endswith("\nKeyboardInterrupt\n")


def test_ctrl_c_before_a_server_listens_is_no_failure(here, monkeypatch):
    from toolwright.serve import server

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(server, "serve", interrupted)
    assert Toolbox("box").serve("http") is None


@pytest.mark.promise("serve.port-in-use")
def test_a_port_in_use_names_the_flag(here):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused(1, "serve", "shop.py", "--http", "--port", port)
        assert f"cannot listen at 127.0.0.1:{port}: Address already in use" in said
        assert "`--port 0`" in said
        with pytest.raises(OSError, match=r"Address already in use.*port=0"):
            Toolbox("box").serve("http", port=port)
    said = refused(1, "serve", "shop.py", "--http", "--no-auth", "--host", "no.such.host.invalid")
    assert "--host" in said


def on_terminal(*command, until_said, columns="80"):
    """Start a program whose streams are a terminal; return what it says there, then Ctrl-C."""
    ours, theirs = pty.openpty()
    seen = bytearray()
    process = start(
        *command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"TERM": "xterm", "COLUMNS": columns},
    )
    os.close(theirs)

    def read():
        try:
            while chunk := os.read(ours, 4096):
                seen.extend(chunk)
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    try:
        until(lambda: until_said in seen.decode(), f"{until_said} in {seen!r}")
        process.send_signal(signal.SIGINT)
        assert process.wait(LONGEST) == 0
    finally:
        process.kill()
        reader.join(LONGEST)
        os.close(ours)
    return re.sub(r"\x1b\[[\d;?]*\w", "", seen.decode()).replace("\r", "")


@pytest.mark.promise("serve.on-terminal")
def test_stdio_on_a_terminal_says_what_it_is(here):
    said = on_terminal("serve", "shop.py", until_said="Ctrl-C ends it")
    assert "shop: 3 tools over stdio" in said
    assert "toolwright install CLIENT shop.py" in said
    assert "--http" in said
    assert "Traceback" not in said
    with Stdio("shop.py") as server:
        server.ask("ping")
        assert server.said() == ""  # a client starts it


@pytest.mark.promise("serve.log-level")
def test_logs_of_the_command(here):
    here({"server.py": SERVER.replace("{serve}", "pass")})
    for given, shown, not_shown in (
        ([], [], ["adding", "ValueError"]),
        (["--log-level", "info"], ["adding 1", "ValueError: spoken"], []),
        (["--log-level", "INFO"], ["adding 1", "ValueError: spoken"], []),
        (["--log-level", "error", "--debug"], ["ValueError: spoken"], ["adding"]),
    ):
        with Stdio("server.py", *given) as server:
            server.call("add", a=1)
            server.call("speak")
            said = server.said()
        assert all(each in said for each in shown), (given, said)
        assert not any(each in said for each in not_shown), (given, said)
    with Http("server.py", "--log-level", "info") as server:
        server.call("add", a=2)
        assert "adding 2" in server.said()


def test_what_a_program_has_set_up_for_logs_stays(here):
    setup = "import logging\nlogging.basicConfig(level='INFO', format='own: %(message)s')\n"
    here({"server.py": setup + SERVER.replace("{serve}", "pass")})
    with Stdio("server.py") as server:
        server.call("add", a=1)
        assert server.said() == "own: adding 1\n"


@pytest.mark.promise("serve.log-level")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_log_level_of_a_program(here, transport):
    port = ", port=0" if transport == "http" else ""
    serve = f"log.info('no'); box.serve('{transport}', log_level='info'{port})"
    serve += "; log.info('yes')"
    with python(serve) as server:
        if transport == "http":
            assert "tools at" in server.stderr.readline()
            server.send_signal(signal.SIGINT)
        server.stdin.close()
        assert server.stderr.read() == "yes\n"
        assert server.wait(LONGEST) == 0


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_wrong_log_level_is_refused(transport):
    with pytest.raises(ValueError, match="log_level is one of debug, info, .*; got 'loud'"):
        Toolbox("box").serve(transport, log_level="loud")


@pytest.mark.parametrize("command", [["serve"], ["serve", "--http", "--port", "0"], ["list"]])
def test_ctrl_c_during_an_import(here, command):
    # A signal that comes just before the system is asked to sleep is heeded after the sleep only.
    sleep = "while True:\n    time.sleep(0.05)\n"
    here({"slow.py": f"import sys, time\nprint('begun', file=sys.stderr, flush=True)\n{sleep}"})
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    name, *more = command
    with start(name, "slow.py", *more, **pipes, text=True) as process:
        assert process.stderr.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=LONGEST)
    assert (process.returncode, out, said) == (130, "", "")


def test_ctrl_c_while_the_command_itself_is_imported(here, monkeypatch):
    from toolwright.cli import main

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "_parsed", interrupted)
    assert main.main(["list", "shop.py"]) == 130
