"""Servers over HTTP that do not keep to the protocol."""

import gzip
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from toolwright import ResultError, ServerUnavailable, ToolError, ToolTimeout
from toolwright.client import connect

TOOL = {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
WHOLE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


class LyingHttp(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lie = ""
    calls = 0

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        match asked["method"]:
            case "server/discover":
                told = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
                self.answer(asked, {**WHOLE, **told})
            case "tools/list":
                self.answer(asked, {**WHOLE, "tools": [TOOL]})
            case _:
                type(self).calls += 1
                self.called(asked)

    def called(self, asked):
        good = {**WHOLE, "content": [{"type": "text", "text": "3"}]}
        match self.lie:
            case "huge":
                good["content"][0]["text"] = "x" * 3_000_000
                return self.answer(asked, good)
            case "bomb":
                body = gzip.compress(json.dumps({"x": "y" * 50_000_000}).encode())
                return self.send(body, **{"Content-Encoding": "gzip"})
            case "page":
                return self.send(b"<html>", kind="text/html")
            case "broken-json":
                return self.send(b'{"jsonrpc": ')
            case "other-id":
                return self.answer({**asked, "id": "other"}, good)
            case "no-content":
                return self.answer(asked, WHOLE)
            case "500":
                return self.send(b"oops \x1b[2J", status=500, kind="text/plain")
            case "redirect":
                return self.send(b"", status=307, Location="http://127.0.0.1:9/elsewhere")
            case "never":
                time.sleep(5)
            case "hangs-up":
                self.close_connection = True
                return self.connection.close()
            case "half":
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"jsonrpc"')
                self.close_connection = True
                return None
            case "stream-ends" | "stream-huge" | "stream":
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                note = {"jsonrpc": "2.0", "method": "notifications/message"}
                params = {"level": "info", "data": "hello"}
                self.event({**note, "params": params})
                if self.lie == "stream-huge":
                    self.wfile.write(b"data: " + b"x" * 3_000_000)
                if self.lie == "stream":
                    self.event({"jsonrpc": "2.0", "id": asked["id"], "result": good})
                self.close_connection = True
                return None
        return self.answer(asked, good)

    def event(self, message):
        self.wfile.write(f"data: {json.dumps(message)}\n\n".encode())

    def answer(self, asked, result):
        self.send(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}).encode())

    def send(self, body, status=200, kind="application/json", **headers):
        self.send_response(status)
        for key, value in {"Content-Type": kind, **headers}.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *said):
        pass


@pytest.fixture
def liar(request):
    handler = type("Handler", (LyingHttp,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    client = connect(f"http://127.0.0.1:{server.server_port}/mcp", max_answer=1_000_000, timeout=60)
    yield client, handler
    client.close()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("lie", "kind", "text"),
    [
        ("huge", ServerUnavailable, "more than 1,000,000 bytes"),
        ("bomb", ServerUnavailable, "compressed"),
        ("broken-json", ToolError, "not valid JSON-RPC"),
        ("other-id", ToolError, "not valid JSON-RPC"),
        ("no-content", ResultError, "content"),
        ("500", ServerUnavailable, "HTTP 500"),
        ("hangs-up", ServerUnavailable, "."),
        ("half", ServerUnavailable, "."),
        ("stream-ends", ServerUnavailable, "in the middle"),
        ("stream-huge", ServerUnavailable, "."),
        ("page", ToolError, "text/html"),
        ("redirect", ToolError, "Redirect"),
    ],
)
@pytest.mark.promise("client.lies", "client.bounds")
def test_a_call_of_a_liar_is_one_error_and_harms_no_other(liar, lie, kind, text):
    client, handler = liar
    assert client.add(a=1) == "3"
    handler.lie = lie
    with pytest.raises(kind, match=text) as caught:
        client.add(a=1)
    assert "\x1b" not in str(caught.value)
    handler.lie = ""
    assert client.add(a=1) == "3"


def test_a_call_ends_at_its_deadline(liar):
    client, handler = liar
    assert client.add(a=1) == "3"
    handler.lie = "never"
    with pytest.raises(ToolTimeout):
        client.call("add", {}, timeout=0.5, raise_on_error=True)
    assert handler.calls == 2


def test_messages_come_with_the_answer(liar):
    client, handler = liar
    handler.lie = "stream"
    said = []
    assert client.call("add", {}, on_log=lambda *line: said.append(line)).value == "3"
    assert said == [("info", "hello")]
