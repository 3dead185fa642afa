"""A server over HTTP that does not keep to the protocol, in either era."""

import gzip
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOOL = {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
WHOLE = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


class LyingHttp(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lie = ""
    calls = 0
    era = "stateless"
    seen: list
    """The messages and other requests that have come, each with its headers."""
    heard: threading.Condition
    """Told of each."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.note(asked)
        if self.lie == "moves" and not self.path.endswith("/"):
            return self.send(b"", status=307, Location=f"{self.path}/")
        match asked.get("method"):
            case "server/discover" if self.era == "stateless":
                told = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
                self.answer(asked, {**WHOLE, **told})
            case "server/discover":
                error = {"code": -32601, "message": "Method not found"}
                told = {"jsonrpc": "2.0", "id": asked["id"], "error": error}
                self.send(json.dumps(told).encode())
            case "initialize":
                told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
                told["serverInfo"] = {"name": "liar", "version": "1"}
                number = sum(each.get("method") == "initialize" for each, _ in self.seen)
                self.answer(asked, told, **{"Mcp-Session-Id": f"session-{number}"})
            case "tools/list":
                more = [{"name": "sub"}] if self.lie == "bad-tool" else []
                self.answer(asked, {**WHOLE, "tools": [*more, TOOL]})
            case "tools/call":
                type(self).calls += 1
                self.called(asked)
            case _:
                self.send(b"", status=202)
        return None

    def do_GET(self):
        self.note({"method": "GET"})
        self.resumed() if "Last-Event-ID" in self.headers else self.send(b"", status=405)

    def do_DELETE(self):
        self.note({"method": "DELETE"})
        self.send(b"")

    def note(self, asked):
        with self.heard:
            self.seen.append((asked, {key.lower(): each for key, each in self.headers.items()}))
            self.heard.notify_all()

    def until(self, found):
        """Wait for a message, and return it."""
        with self.heard:
            assert self.heard.wait_for(lambda: any(found(each) for each, _ in self.seen), 60)
            return next(each for each, _ in self.seen if found(each))

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
            case int() as code:
                error = {"code": code, "message": "the quota is used up"}
                told = {"jsonrpc": "2.0", "id": asked["id"], "error": error}
                return self.send(json.dumps(told).encode())
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
                self.stream()
                note = {"jsonrpc": "2.0", "method": "notifications/message"}
                params = {"level": "info", "data": "hello"}
                self.event({**note, "params": params})
                if self.lie == "stream-huge":
                    self.wfile.write(b"data: " + b"x" * 3_000_000)
                if self.lie == "stream":
                    self.event({"jsonrpc": "2.0", "id": asked["id"], "result": good})
                return None
        return self.answer(asked, good)

    def stream(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def event(self, message, number=""):
        text = json.dumps(message) if message is not None else ""
        self.wfile.write(f"{f'id: {number}' if number else ':'}\ndata: {text}\n\n".encode())
        self.wfile.flush()

    def answer(self, asked, result, **headers):
        told = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        self.send(json.dumps(told).encode(), **headers)

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


@contextmanager
def lying(kind=LyingHttp, **given):
    """Start one; give its address, and the class of its handlers, which may be told to lie."""
    own = {"seen": [], "heard": threading.Condition(), **given}
    handler = type("Handler", (kind,), own)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", handler
    finally:
        server.shutdown()
        server.server_close()
