"""A server on the loop of a test: its port, and requests to it."""

import asyncio
import contextlib
import logging
import re

LATEST = "2026-07-28"


class Said(logging.Handler):
    """Hears at which port a server on the running loop serves."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.port = asyncio.get_running_loop().create_future()

    def emit(self, record):
        if found := re.search(r": serving at http://127.0.0.1:(\d+)/mcp$", record.getMessage()):
            self.port.set_result(int(found[1]))


@contextlib.contextmanager
def saying():
    """The port of a server that starts here, once it answers."""
    said, log = Said(), logging.getLogger("toolwright")
    before = log.level
    log.addHandler(said)
    log.setLevel(logging.INFO)
    try:
        yield said.port
    finally:
        log.removeHandler(said)
        log.setLevel(before)


def request(name, number=1):
    meta = {
        "io.modelcontextprotocol/protocolVersion": LATEST,
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": name, "arguments": {}, "_meta": meta}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def headers(name):
    return {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": LATEST,
        "mcp-method": "tools/call",
        "mcp-name": name,
    }
