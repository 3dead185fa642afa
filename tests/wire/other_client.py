"""A client that makes small calls while a server is busy with something else."""

import http.client
import json

from tests.wire.processes import MODERN

SECONDS = 30
"""Within this everything is answered; some attacks took minutes, and nobody else was answered."""


class Other:
    """A client on one connection that makes small calls."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def __init__(self, server):
        self.connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=SECONDS)
        self.number = 0

    def call(self):
        self.number += 1
        params = {"name": "echo", "arguments": {"n": self.number}, "_meta": MODERN}
        body = {"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": params}
        headers = {
            "host": "localhost",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": "echo",
        }
        self.connection.request("POST", "/mcp", json.dumps(body), headers)
        came = self.connection.getresponse().read()
        if not came.lstrip().startswith(b"{"):
            came = next(line[5:] for line in came.splitlines() if line.startswith(b"data:"))
        assert json.loads(came)["result"]["content"][0]["text"] == str(self.number)
