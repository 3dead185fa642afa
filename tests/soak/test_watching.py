"""Hooks that watch calls: lines, spans, metrics; alone, together, and as the command starts them."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.wire.command_files import here
from tests.wire.processes import LONGEST, Http


def test_the_command_sends_spans(here):
    came = threading.Event()
    seen = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()
            came.set()

        def log_message(self, *said):
            pass

    collector = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=collector.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{collector.server_port}"
    env = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    try:
        with Http("shop.py", "--otel", env=env) as server:
            server.call("add", a=1)
            assert came.wait(LONGEST)
        assert b"tools/call add" in seen[0]
        assert b"shop" in seen[0]
    finally:
        collector.shutdown()
        collector.server_close()
