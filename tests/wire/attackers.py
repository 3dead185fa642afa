"""Clients that attack: sessions as raw HTTP, with streams that can be read event by event."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.wire import forked
from tests.wire.processes import INITIALIZE, Http, announced_port

SERVER = Path(__file__).with_name("attacked_server.py")


class Attacked(Http):
    """The server of `attacked_server.py`, with settings of `serve`."""

    def __init__(self, **settings):
        self.log = tempfile.TemporaryFile()
        self.process = forked.start(
            [sys.executable, str(SERVER), "0", json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            env=dict(os.environ),
        )
        self.pid = self.process.pid
        self.port = announced_port(self.process, self.log)

    def session(self, token=None, **more):
        return Session(self, token, **more)

    def errors(self):
        """Everything the server has written but its address: that is warnings and errors."""
        said = [line for line in self.said().splitlines() if line.strip()]
        return [line for line in said if not line.endswith("(Ctrl-C ends it)")]


class Stream:
    """An answer as it comes: its status, its headers, and its events one by one."""

    def __init__(self, server, data):
        self.connection = server.connect()
        self.connection.sendall(data)
        self.file = self.connection.makefile("rb")
        self.status = int((self.file.readline().split() or [0, 0])[1])
        self.headers = {}
        while line := self.file.readline().strip():
            name, _, value = line.partition(b":")
            self.headers[name.decode().lower()] = value.strip().decode()

    def _lines(self):
        """The lines of the body; the frames of chunks are no part of them."""
        left = b""
        while True:
            size = self.file.readline()
            count = int(size.strip() or b"0", 16)
            if not count:
                return
            left += self.file.read(count)
            self.file.readline()
            *whole, left = left.split(b"\n")
            yield from (line.rstrip(b"\r") for line in whole)

    def events(self):
        """Each event as its id and its message (None if it has none), until the stream ends.

        An answer in JSON is one message without an id.
        """
        if self.headers.get("content-type") == "application/json":
            size = int(self.headers["content-length"])
            if size:
                yield None, json.loads(self.file.read(size))
            return
        number, data = None, None
        for line in self._lines():
            if line.startswith(b"id:"):
                number = line[3:].strip().decode()
            elif line.startswith(b"data:"):
                data = line[5:].strip()
            elif not line and data is not None:
                yield number, json.loads(data) if data else None
                number, data = None, None

    def messages(self):
        return [message for _, message in self.events() if message is not None]

    def body(self):
        return self.file.read()

    def close(self):
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self.file.close()
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Session:
    """A session with a handshake, of a caller with a token."""

    def __init__(self, server, token=None, *, capabilities=None, number=0, **always):
        self.server = server
        self.always = always
        self.token = token
        self.id = None
        hello = {**INITIALIZE, "capabilities": capabilities or {}}
        with self.begin("initialize", hello, number) as opening:
            assert opening.status == 200, (opening.status, opening.body())
            self.id = opening.headers["mcp-session-id"]
            self.hello = opening.messages()
        self.notify("notifications/initialized")

    def headers(self, **more):
        made = {"mcp_protocol_version": "2025-11-25", "mcp_session_id": self.id}
        if self.token is not None:
            made["authorization"] = f"Bearer {self.token}"
        return {**made, **self.always, **more}

    def post(self, message, **headers):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        return Stream(self.server, self.server.request(body=body, **self.headers(**headers)))

    def begin(self, method, params=None, number=1, **headers):
        return self.post({"id": number, "method": method, "params": params or {}}, **headers)

    def notify(self, method):
        with self.post({"method": method}) as stream:
            return stream.status

    def ask(self, method, params=None, number=1):
        with self.begin(method, params, number) as stream:
            return stream.messages()[-1]

    def start(self, name, number=1, /, meta=None, **arguments):
        params = {"name": name, "arguments": arguments}
        return self.begin(
            "tools/call", params if meta is None else {**params, "_meta": meta}, number
        )

    def call(self, name, number=1, /, **arguments):
        """The messages of a call; the last one is its answer."""
        with self.start(name, number, **arguments) as stream:
            return stream.messages()

    def said(self, name, number=1, /, **arguments):
        return self.call(name, number, **arguments)[-1]["result"]["content"][0]["text"]

    def get(self, last=None, **headers):
        data = self.server.request("GET", **self.headers(last_event_id=last, **headers))
        return Stream(self.server, data)

    def delete(self, **headers):
        with Stream(
            self.server, self.server.request("DELETE", **self.headers(**headers))
        ) as stream:
            return stream.status
