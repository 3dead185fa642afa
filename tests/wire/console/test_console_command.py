"""`console`, and `serve --console`, as processes."""

import json
import re
import socket
import subprocess
import sys
import tempfile
import textwrap
import urllib.error
import urllib.request

import pytest

from tests.wire.processes import (
    Http,
    announced_port,
    gone,
    is_running,
    refused,
    start,
    until,
    written,
)

SHOP = '''
    """A shop."""

    import os

    def search(query: str, limit: int = 10) -> list[str]:
        """Search the catalogue.

        Args:
            query: Free text.
            limit: Most hits.
        """
        return [query] * limit

    def who() -> int:
        """Tell which process this is."""
        return os.getpid()
'''

SERVER = '''
    """A server of the SDK, which asks and reports."""

    import os
    from pathlib import Path
    from mcp.server import MCPServer
    from mcp.server.mcpserver import Context

    server = MCPServer("notes")
    Path("pid").write_text(str(os.getpid()))

    @server.tool()
    async def add(a: int, b: int, ctx: Context) -> int:
        """Add two numbers."""
        await ctx.report_progress(1, 2)
        return a + b

    server.run()
'''


@pytest.fixture
def shop(tmp_path):
    file = tmp_path / "shop.py"
    file.write_text(textwrap.dedent(SHOP))
    return file


class Console:
    """The command `console`, running."""

    def __init__(self, *arguments, **more):
        self.log = tempfile.TemporaryFile()
        self.process = start(
            "console",
            *arguments,
            "--port",
            0,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            **more,
        )
        self.port = announced_port(self.process, self.log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        self.log.close()


def answer(port, path, body=None, **headers):
    """The status, the headers and the body of an answer."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers=sent)
    try:
        with urllib.request.urlopen(request, timeout=60) as came:
            return came.status, came.headers, came.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read()


def api(port, path):
    status, _, body = answer(port, f"/console/api/{path}")
    assert status == 200, body
    return json.loads(body)


def call(port, name, path="/mcp", **arguments):
    params = {
        "name": name,
        "arguments": arguments,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "content_type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp_protocol_version": "2026-07-28",
        "mcp_method": "tools/call",
        "mcp_name": name,
    }
    return answer(port, path, message, **headers)


@pytest.mark.promise("console.command")
def test_the_console_of_a_file(shop):
    with Console(shop) as console:
        assert f"http://127.0.0.1:{console.port}/console/" in written(console.log)
        status, headers, page = answer(console.port, "/console/")
        assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
        assert b"console.js" in page
        about, tool = api(console.port, "about"), api(console.port, "tool?name=search")
        assert about["target"] == str(shop)
        assert tool["parameters"][0]["description"] == "Free text."
        assert call(console.port, "search", query="a")[0] == 200
        assert api(console.port, "live")["tools"]["search"]["calls"] == 1


def test_the_lock_of_the_target_is_compared(shop):
    lock = start("lock", shop, cwd=shop.parent)
    assert lock.wait(60) == 0
    shop.write_text(shop.read_text().replace("limit: int = 10", "limit: str = 'ten'"))
    with Console(shop, cwd=shop.parent) as console:
        changes = api(console.port, "doctor?name=search")["changes"]["changes"]
    assert "breaking" in {change["severity"] for change in changes}


def test_serve_with_the_console_after_a_reload(shop):
    server = Http(shop, "--console", "--reload")
    with server:
        assert call(server.port, "who")[0] == 200
        assert call(server.port, "search", query="a")[0] == 200
        shop.write_text(shop.read_text().replace("def who", "def whoever"))
        until(
            lambda: "whoever" in {tool["name"] for tool in api(server.port, "catalog")["tools"]},
            "the new tool is shown",
        )
        assert call(server.port, "whoever")[0] == 200
        live = api(server.port, "live")
        calls = {name: figures["calls"] for name, figures in live["tools"].items()}
        assert calls == {"search": 1, "whoever": 1}, "a tool that is gone is not shown"


@pytest.mark.promise("console.workers")
def test_the_figures_of_several_workers_are_added(shop):
    server = Http(shop, "--console", "--workers", "2")
    with server:
        pids = set()
        for _ in range(40):
            body = json.loads(call(server.port, "who")[2])
            pids.add(body["result"]["structuredContent"])
        assert len(pids) == 2

        def whole():
            # Any worker may answer, and each knows of the others what they wrote last.
            live = api(server.port, "live")
            return live if live["tools"].get("who", {}).get("calls") == 40 else None

        live = until(whole, "each worker has written its figures")
        assert len(live["recent"]) == 40
        assert sum(live["tools"]["who"]["histogram"]) == 40


def test_flags_that_do_not_go_together(shop):
    assert "--console" in refused(2, "serve", shop, "--console")
    assert "--console-role goes with --console" in refused(
        2, "serve", shop, "--http", "--console-role", "ops"
    )
    assert "this machine" in refused(2, "console", shop, "--host", "0.0.0.0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "--port 0" in refused(1, "console", shop, "--port", port)


# -- other servers, behind the bridge


def session(port, page):
    """Begin a session over the bridge; return its path and its headers."""
    path = f"/console/api/bridge?page={page}"
    headers = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    status, came, body = answer(port, path, begin, **headers)
    assert status == 200, body
    headers |= {"mcp_session_id": came["mcp-session-id"], "mcp_protocol_version": "2025-11-25"}
    said = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert answer(port, path, said, **headers)[0] == 202
    return path, headers


def events(body):
    return [json.loads(data) for data in re.findall(rb"^data: (.*)$", body, re.MULTILINE)]


@pytest.mark.promise("console.bridge")
def test_a_server_over_stdio_is_spoken_to_as_it_is(tmp_path):
    (tmp_path / "server.py").write_text(textwrap.dedent(SERVER))
    words = f"{sys.executable} server.py"
    with Console("--command", words, cwd=tmp_path) as console:
        about = api(console.port, "about")
        assert (about["name"], about["path"]) == ("notes", "/console/api/bridge")
        assert [tool["name"] for tool in api(console.port, "catalog")["tools"]] == ["add"]
        path, headers = session(console.port, "one")
        params = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": {"progressToken": 7}}
        message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}
        status, _, body = answer(console.port, path, message, **headers)
        progress, result = events(body)
        assert status == 200
        assert progress["method"] == "notifications/progress"
        assert result["id"] == 7
        assert result["result"]["structuredContent"] == {"result": 3}
        odd = {**headers, "mcp_session_id": "nobody"}
        assert answer(console.port, path, message, **odd)[0] == 404
        assert answer(console.port, path, [1], **headers)[0] == 400
        pid = int((tmp_path / "pid").read_text())
        assert is_running(pid)
    gone(pid)


def test_what_a_server_said_when_it_ended_is_told(tmp_path):
    server = SERVER.replace(
        "return a + b", "import sys; print('no paper', file=sys.stderr, flush=True); os._exit(3)"
    )
    (tmp_path / "server.py").write_text(textwrap.dedent(server))
    with Console("--command", f"{sys.executable} server.py", cwd=tmp_path) as console:
        path, headers = session(console.port, "one")
        params = {"name": "add", "arguments": {"a": 1, "b": 2}}
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        status, _, body = answer(console.port, path, message, **headers)
        assert status == 200
        assert "no paper" in events(body)[-1]["error"]["message"]


def test_a_server_over_http_is_spoken_to_as_it_is(shop):
    server = Http(shop, "--token", "a-good-token")
    with server:
        target = f"http://127.0.0.1:{server.port}/mcp"
        with Console(target, "--token", "a-good-token") as console:
            path = api(console.port, "about")["path"]
            status, _, body = call(console.port, "search", f"{path}?page=x", query="a", limit=2)
            assert status == 200
            assert json.loads(body)["result"]["structuredContent"] == ["a", "a"]
            shown = written(console.log) + json.dumps(api(console.port, "about"))
            assert "a-good-token" not in shown
