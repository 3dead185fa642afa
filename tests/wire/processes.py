"""Servers and commands as processes, for tests: talk to them by lines or by HTTP, and watch them."""

import contextlib
import json
import os
import queue
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.wire import forked
from tests.wire.forked import COMMAND

__all__ = ["COMMAND"]

LONGEST = 60
"""Seconds after which something counts as hanging; no test that passes waits so long."""
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def start(*arguments, fresh=False, env=None, **more):
    """Start the command: forked from a warm process, or by a fresh interpreter."""
    command = [*COMMAND, *map(str, arguments)]
    begin = subprocess.Popen if fresh else forked.start
    return begin(command, env={**os.environ, **(env or {})}, **more)


def run(*arguments, stdin="", timeout=LONGEST, **more):
    """Run the command to its end."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with start(*arguments, text=True, **pipes, **more) as process:
        try:
            out, said = process.communicate(stdin, timeout)
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, said)


def run_script(script, *arguments, **more):
    """Run a script that imports the package, to its end."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, str(script), *arguments]
    with forked.start(command, text=True, **pipes, **more) as process:
        out, said = process.communicate("", LONGEST)
        return subprocess.CompletedProcess(command, process.returncode, out, said)


def good(*arguments, **more):
    """Run it; it succeeds, and says nothing but its output."""
    done = run(*arguments, **more)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def refused(code, *arguments, **more):
    """Run it; it fails with one line on standard error and nothing else."""
    done = run(*arguments, **more)
    assert "Traceback" not in done.stderr, done.stderr[-500:]
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def until(ready, what, timeout=LONGEST):
    """Poll until something is true; its last value is returned."""
    end = time.monotonic() + timeout
    while not (came := ready()):
        assert time.monotonic() < end, f"{what} within {timeout} seconds"
        time.sleep(0.02)
    return came


def is_running(pid):
    """Return whether a process runs; one that has ended but was not waited for does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # it may end between opening the file and reading it
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def gone(pid):
    """Wait until a process has ended: a signal is sent at once, and takes effect when it may."""
    return until(lambda: not is_running(pid), f"the end of {pid}")


def written(log):
    """What a process has written so far; where it writes next stays as it is."""
    return os.pread(log.fileno(), os.fstat(log.fileno()).st_size, 0).decode(errors="replace")


def announced_port(process, log):
    """The port that our server, or uvicorn, says it serves at, once it answers."""

    def said():
        assert process.poll() is None, written(log)
        return re.search(r" https?://\S+:(\d+)(?:/\S*)? \((?:Press )?C", written(log))

    return int(until(said, "the server says where it is")[1])


def resident(pid):
    """The resident memory of a process, in MB."""
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


class Stdio:
    """A server on stdio. Every line that it writes is checked: nothing but JSON-RPC."""

    def __init__(self, *arguments, greet=True, **more):
        self.log = tempfile.TemporaryFile()
        self.process = start(
            "serve",
            *arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            **more,
        )
        self.pid = self.process.pid
        self.lines = queue.SimpleQueue()
        self.reads = threading.Event()
        self.reads.set()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.number = 0
        self.others = []
        if greet:
            self.begin("initialize", INITIALIZE, "hello")
            self.hello = self.answer("hello")["result"]
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
            self.reads.wait()
        self.lines.put(None)

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.write(json.dumps(message).encode() + b"\n")

    def begin(self, method, params=None, number=None):
        if number is None:
            self.number += 1
            number = self.number
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return number

    def next(self, timeout=LONGEST):
        """The next message, or None at the end."""
        line = self.lines.get(timeout=timeout)
        if line is None:
            return None
        try:
            message = json.loads(line, parse_constant=lambda said: 1 / 0)
            assert message["jsonrpc"] == "2.0"
        except Exception as error:
            raise AssertionError(f"no message of JSON-RPC: {line[:200]!r}") from error
        return message

    def answer(self, number, timeout=LONGEST):
        """The answer to a request; other messages are kept in `others`."""
        end = time.monotonic() + timeout
        while True:
            message = self.next(max(0.1, end - time.monotonic()))
            assert message is not None, f"the server has ended: {self.said()[-1500:]}"
            if message.get("id") == number and "method" not in message:
                return message
            self.others.append(message)

    def ask(self, method, params=None, timeout=LONGEST):
        return self.answer(self.begin(method, params), timeout)

    def call(self, name, timeout=LONGEST, **arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments}, timeout)["result"]

    def said(self):
        return written(self.log)

    def end(self, timeout=LONGEST):
        """Close its input; return its exit code."""
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        return self.process.wait(timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.reads.set()
        self.reader.join(LONGEST)
        self.process.stdout.close()
        self.log.close()


class Http:
    """A server on HTTP; requests are raw bytes, each on a connection of its own."""

    def __init__(self, *arguments, **more):
        self.log = tempfile.TemporaryFile()
        self.process = start(
            "serve",
            *arguments,
            "--http",
            "--port",
            0,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            **more,
        )
        self.pid = self.process.pid
        self.port = announced_port(self.process, self.log)

    def connect(self, timeout=LONGEST):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def request(self, method="POST", path="/mcp", body=b"", **headers):
        """The bytes of a request; a header of None is left out."""
        sent = {
            "host": f"localhost:{self.port}",
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "content-length": str(len(body)),
            "connection": "close",
        }
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{k}: {v}\r\n" for k, v in sent.items() if v is not None)
        return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + body

    def asked(self, data):
        """Send bytes; return the status and the body."""
        with self.connect() as connection:
            with contextlib.suppress(OSError):  # it may refuse before it has everything
                connection.sendall(data)
            came = b""
            with contextlib.suppress(ConnectionResetError):
                while chunk := connection.recv(1 << 16):
                    came += chunk
        head, _, body = came.partition(b"\r\n\r\n")
        found = re.match(rb"HTTP/1.1 (\d+)", head)
        return (int(found[1]) if found else 0), body

    def message(self, method, params=None, number=1, meta=MODERN, **headers):
        """The bytes of a plain request of 2026-07-28."""
        params = {**(params or {}), "_meta": meta}
        body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        headers = {"mcp_protocol_version": "2026-07-28", "mcp_method": method, **headers}
        if "name" in params:
            headers["mcp_name"] = params["name"]
        return self.request(body=json.dumps(body).encode(), **headers)

    def call(self, name, headers=None, **arguments):
        data = self.message("tools/call", {"name": name, "arguments": arguments}, **(headers or {}))
        status, body = self.asked(data)
        assert status == 200, (status, body, self.said()[-1500:])
        if body.lstrip().startswith(b"{"):
            return json.loads(body)["result"]
        data = [line[5:] for line in body.splitlines() if line.startswith(b"data:")]
        return json.loads(data[-1])["result"]

    said = Stdio.said

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.log.close()
