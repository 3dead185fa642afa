"""Answers over HTTP that are read while they come, and sessions with a handshake, for tests."""

import contextlib
import json
import re
import time

from tests.wire.processes import INITIALIZE, MODERN, until

EVERYTHING = {
    "toolsListChanged": True,
    "promptsListChanged": True,
    "resourcesListChanged": True,
    "resourceSubscriptions": ["memo://one"],
}


class Stream:
    """One request whose answer is read message by message, as it comes."""

    def __init__(self, server, data, timeout=30):
        self.connection = server.connect(timeout)
        self.file = self.connection.makefile("rb")
        self.connection.sendall(data)
        self._status = None

    @property
    def status(self):
        if self._status is None:
            line = self.file.readline()
            self._status = int(line.split()[1]) if line else 0
            self.headers = {}
            while (line := self.file.readline()).strip():
                name, _, value = line.decode("latin-1").partition(":")
                self.headers[name.lower()] = value.strip()
        return self._status

    def messages(self):
        """Every message until the stream ends, from events or from one JSON body."""
        assert self.status, "the connection was cut"
        if "json" in self.headers.get("content-type", ""):
            yield json.loads(self.file.read(int(self.headers["content-length"])))
            return
        end = time.monotonic() + 60
        with contextlib.suppress(ConnectionResetError):
            for line in self.file:  # pings among them
                assert time.monotonic() < end, "nothing came"
                if line.startswith(b"data:") and (data := line[5:].strip()):
                    yield json.loads(data)

    def next(self):
        return next(self.messages())

    def answer(self):
        """The answer to the request; None if the stream ended without one."""
        for message in self.messages():
            if "method" not in message:
                return message
        return None

    def close(self):
        self.file.close()
        self.connection.close()

    __del__ = close


class Session:
    """A client with a handshake over HTTP."""

    def __init__(self, server, capabilities=None):
        self.server = server
        hello = {**INITIALIZE, "capabilities": capabilities or {}}
        stream = Stream(server, self.data("initialize", hello, 0, session=None))
        assert stream.status == 200
        self.number = stream.headers["mcp-session-id"]
        self.hello = stream.answer()["result"]
        stream.close()
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert self.post(note)[0] == 202

    def data(self, method, params=None, number=1, session="mine"):
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
        return self.bytes(message, session)

    def bytes(self, message, session="mine"):
        headers = {"mcp_protocol_version": "2025-11-25"}
        if session:
            headers["mcp_session_id"] = self.number
        return self.server.request(body=json.dumps(message).encode(), **headers)

    def post(self, message):
        return self.server.asked(self.bytes(message))

    def begin(self, name, number=1, **arguments):
        params = {"name": name, "arguments": arguments}
        return Stream(self.server, self.data("tools/call", params, number))

    def listen(self):
        data = self.server.request(
            "GET", mcp_session_id=self.number, mcp_protocol_version="2025-11-25"
        )
        stream = Stream(self.server, data)
        assert stream.status == 200
        return stream


def modern_call(server, name, number=1, meta=MODERN, **arguments):
    params = {"name": name, "arguments": arguments}
    return Stream(server, server.message("tools/call", params, number, meta))


def modern_listen(server, wanted=EVERYTHING, number=1):
    """A listener that was acknowledged."""
    data = server.message("subscriptions/listen", {"notifications": wanted}, number)
    stream = Stream(server, data)
    assert stream.next()["method"] == "notifications/subscriptions/acknowledged"
    return stream


def signs_of_trouble(text):
    return re.findall(r"Traceback.*|.*Error.*|.*Exception.*", text)


def text_of(message):
    return message["result"]["content"][0]["text"]


def ready(server):
    """The status of the readiness probe; 0 if nobody listens any more."""
    try:
        return server.asked(server.request("GET", "/ready"))[0]
    except OSError:
        return 0


class Gate:
    """Calls of `held_tools` that have begun, and end when they are let go."""

    def __init__(self, folder, monkeypatch):
        self.folder = folder
        monkeypatch.setenv("HELD_TOOLS_FOLDER", str(folder))
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))

    def began(self, *labels):
        until(lambda: all((self.folder / f"{each}.began").exists() for each in labels), "calls")

    def open(self):
        (self.folder / "go").touch()
