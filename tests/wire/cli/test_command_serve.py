"""`toolwright serve` as users run it: on stdio, over HTTP, and refused where it is not safe."""

import json
import shlex
import signal
import socket
import subprocess

import pytest

from tests.wire.command_files import NOISE, here
from tests.wire.processes import (
    COMMAND,
    INITIALIZE,
    LONGEST,
    Http,
    Stdio,
    good,
    refused,
    run,
    until,
)
from toolwright.serve.server import listen

__all__ = ["here"]  # a fixture


@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_serve_on_stdio(here, more):
    here({"loud.py": NOISE})
    with Stdio("loud.py", *more, fresh=True) as server:
        assert server.hello["serverInfo"]["name"] == "loud"
        assert server.hello["protocolVersion"] == "2025-11-25"
        tools = server.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["loud"]
        assert server.call("loud", n=5)["content"] == [{"type": "text", "text": "5"}]
        assert server.call("loud", n="x")["isError"]
        assert server.ask("tools/call", {"name": "nope"})["error"]["code"] == -32602
        assert server.ask("ping")["result"] == {}
        assert server.end() == 0
        assert server.next() is None
        assert "noise 8" in server.said()
        assert "Traceback" not in server.said()


@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_what_was_asked_before_the_input_ends_is_answered(here, more):
    asked = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}]
    asked += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    asked += [{"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    done = run("serve", "shop.py", *more, stdin=lines)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1, 2]
    assert done.returncode == 0
    assert good("serve", "shop.py", *more) == ""


def test_serve_chooses(here):
    with Stdio("shop.py", "--read-only", "--select", "orders.*") as server:
        tools = server.ask("tools/list")["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["orders_find"]
        assert "error" in server.ask("tools/call", {"name": "add", "arguments": {"a": 1}})


@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_serve_on_http(here, more):
    with Http("shop.py", *more, fresh=True) as server:
        assert server.call("add", a=1, b=2)["structuredContent"] == 3
        until(lambda: "3 tools at http://127.0.0.1" in server.said(), "its address")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(LONGEST) in {0, 130}
        assert "Traceback" not in server.said()


@pytest.mark.promise("serve.token")
def test_other_machines_need_a_token(here):
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.com"):
        line = refused(2, "serve", "shop.py", "--http", "--host", host)
        assert "--token" in line
        assert "--no-auth" in line
    assert "8 characters" in refused(2, "serve", "shop.py", "--http", "--token", "short")


def test_no_auth_lets_everybody_in(here):
    with Http("shop.py", "--host", "0.0.0.0", "--no-auth") as server:
        assert server.call("add", a=1)["structuredContent"] == 2


@pytest.mark.parametrize("how", ["option", "environment", "both"])
def test_tokens(here, how):
    given = [] if how == "environment" else ["--token", "first-token"]
    env = {} if how == "option" else {"TOOLWRIGHT_TOKEN": "second-token"}
    known = {"option": ["first"], "environment": ["second"], "both": ["first", "second"]}[how]
    with Http("shop.py", "--host", "0.0.0.0", *given, env=env) as server:
        for each in ("first", "second", "third"):
            data = server.message("tools/list", authorization=f"Bearer {each}-token")
            assert server.asked(data)[0] == (200 if each in known else 401)


def test_a_port_that_is_taken(here):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = run("serve", "shop.py", "--http", "--port", taken.getsockname()[1])
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "in use" in done.stderr


def test_targets_that_cannot_be_served(here):
    here({"bad.py": "import nowhere_at_all", "bye.py": "import sys; sys.exit(0)"})
    for target in ("bad.py", "bye.py", "missing.py"):
        assert target in refused(2, "serve", target)
        assert target in refused(2, "serve", target, "--http")


@pytest.mark.parametrize("closed", ["<&- >&- 2>&-", ">&-", "<&-", "2>&-"])
def test_a_server_that_was_started_without_a_stream(here, closed):
    command = " ".join([*map(shlex.quote, COMMAND), "serve", "shop.py", closed])
    done = subprocess.run(["sh", "-c", command], input=b"", capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.promise("serve.last-answers")
@pytest.mark.parametrize("more", [[], ["--sdk"]])
def test_a_call_that_is_about_to_end_is_answered_though_the_input_has_ended(here, more):
    here(
        {"slow.py": "import time\ndef nap(s: float) -> str:\n    time.sleep(s)\n    return 'up'\n"}
    )
    asked = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}]
    asked += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    call = {"name": "nap", "arguments": {"s": 0.2}}
    asked += [{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}]
    lines = "".join(json.dumps(each) + "\n" for each in asked)
    done = run("serve", "slow.py", *more, stdin=lines)
    assert "up" in done.stdout.splitlines()[-1]


@pytest.mark.promise("serve.rate")
def test_a_client_that_asks_too_often_is_told_when_to_come_back(here):
    with Http("shop.py", "--rate-limit", "5/min", "--max-body", "1000") as server:
        seen = [server.asked(server.message("tools/list"))[0] for _ in range(7)]
        assert seen == [200] * 5 + [429] * 2
    with Http("shop.py", "--max-body", "1000") as server:
        assert server.asked(server.request(body=b" " * 1001))[0] == 413
        assert server.call("add", a=1, b=2)["structuredContent"] == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--rate-limit", "often"], "10/s"),
        (["--max-body", "0"], "--max-body"),
        (["--workers", "0"], "--workers"),
    ],
)
def test_settings_that_cannot_be(here, given, said):
    assert said in refused(2, "serve", "shop.py", "--http", *given)


def test_answers_are_sent_at_once():
    """Asyncio switches off waiting for more only for sockets that say what they are."""
    with listen("127.0.0.1", 0) as listening:
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert accepted.proto == socket.IPPROTO_TCP


def answers(server):
    body = server.asked(server.message("tools/call", {"name": "ok", "arguments": {}}))[1]
    return b'"isError":false' in body


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--port", "99999"], "65535"),
        (["--tls-cert", "shop.py", "--tls-key", "shop.py"], "certificate"),
        (["--folder", "missing"], "missing"),
    ],
)
def test_more_settings_that_cannot_be(here, given, said):
    assert said in refused(2, "serve", "shop.py", "--http", *given)


def test_a_path_begins_with_a_slash(here):
    with Http("shop.py", "--path", "tools") as server:
        until(lambda: f"http://127.0.0.1:{server.port}/tools" in server.said(), "its address")
        data = server.message("tools/list").replace(b"POST /mcp ", b"POST /tools ")
        assert server.asked(data)[0] == 200


def test_a_server_on_stdio_that_is_told_to_end_closes_what_is_open(here):
    here(
        {
            "life.py": "import contextlib\nfrom toolwright import Toolbox\n"
            "@contextlib.asynccontextmanager\nasync def life():\n    yield 1\n    print('closed')\n"
            "box = Toolbox('life', lifespan=life)\n@box.tool\ndef f() -> int:\n    return box.state\n"
        }
    )
    with Stdio("life.py") as server:
        assert server.call("f")["structuredContent"] == {"result": 1}
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(LONGEST) == 0
        assert "closed" in server.said()


def test_whoever_guesses_tokens_is_counted(here):
    with Http("shop.py", "--token", "good-token", "--rate-limit", "3/min") as server:
        wrong = server.message("tools/list", authorization="Bearer bad-token")
        assert [server.asked(wrong)[0] for _ in range(5)] == [401] * 3 + [429] * 2
        right = server.message("tools/list", authorization="Bearer good-token")
        assert server.asked(right)[0] == 429  # guesses tell nothing any more
