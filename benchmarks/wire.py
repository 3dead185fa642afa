"""Measure servers from outside, with one raw client, and print ratios: `python benchmarks/wire.py`.

The servers are started again for each round and asked in turn; the environments are those of
`run.py`.
"""

import argparse
import json
import os
import platform
import socket
import subprocess
import time
from statistics import median

from run import ENVIRON, ENVIRONMENTS, HERE, Row, prepare, python, say, table

WHERE = {
    "toolwright_inline": "toolwright",
    "bare": "toolwright",  # the same uvicorn and the same parser as ours
    "mcp_sessions": "mcp",
    "mcp_sessions_json": "mcp",
    "fastmcp_sessions": "fastmcp",
}
VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


def started(who, where, tools=0, **more):
    command = [python(WHERE.get(who, who)), str(HERE / "servers.py"), who, str(where), str(tools)]
    environ = {**ENVIRON, "FASTMCP_CHECK_FOR_UPDATES": "off"}
    return subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL, **more)


# -- stdio


class Piped:
    def __init__(self, who, tools=0):
        self.process = started(who, "stdio", tools, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def ask(self, method, params=None):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.send(message)
        while True:
            came = json.loads(self.process.stdout.readline())
            if came.get("id") == self.number:
                return came

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self):
        self.ask("initialize", HANDSHAKE)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()


def spawn(who):
    began = time.perf_counter()
    client = Piped(who)
    client.begin()
    assert client.ask("tools/list")["result"]["tools"]
    taken = time.perf_counter() - began
    client.end()
    return taken


def round_trip(who, number=400):
    client = Piped(who)
    client.begin()
    client.ask("tools/list")
    call = {"name": "add", "arguments": {"a": 1, "b": 2}}
    for _ in range(50):
        assert not client.ask("tools/call", call)["result"]["isError"]
    began = time.perf_counter()
    for _ in range(number):
        client.ask("tools/call", call)
    taken = (time.perf_counter() - began) / number
    client.end()
    return taken


# -- HTTP


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def post(port, message, headers):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n"
    )
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"{head}{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body


def stateless(connection, port):
    """Return what is sent with each request of 2026-07-28: headers, and more parameters."""
    headers = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/call", "Mcp-Name": "add"}
    return headers, {"_meta": META}


def session(connection, port):
    """Begin a session; return what is sent with each of its requests."""
    message = {"id": 0, "method": "initialize", "params": HANDSHAKE}
    connection.sendall(post(port, message, {}))
    headers = {"MCP-Protocol-Version": HANDSHAKE["protocolVersion"]}
    found = answer(connection)[2].get(b"mcp-session-id")
    if found is not None:  # bare uvicorn has no sessions
        headers["Mcp-Session-Id"] = found.decode()
    notice = {"method": "notifications/initialized"}
    connection.sendall(post(port, notice, headers))
    answer(connection)
    return headers, {}


def answer(connection):
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    if (
        b"transfer-encoding" in fields
    ):  # the SDK answers with a stream if it is not told to do otherwise
        while not body.endswith(b"0\r\n\r\n"):
            body += connection.recv(65536)
    while len(body) < int(fields.get(b"content-length", 0)):
        body += connection.recv(65536)
    return int(head.split(b" ")[1]), body, fields


def requests(who, *, begin=stateless, tools=0, arguments=None, number=1500, others=0):
    """Return seconds for one request, over one connection, one after the other."""
    port = free_port()
    server = started(who, port, tools)
    try:
        connection = connected(port)
        for _ in range(others):
            session(connection, port)
        headers, more = begin(connection, port)
        params = {"name": "add", "arguments": arguments or {"a": 1, "b": 2}, **more}
        sent = post(port, {"id": 1, "method": "tools/call", "params": params}, headers)
        for _ in range(100):
            connection.sendall(sent)
            status, body, _ = answer(connection)
            assert status == 200, (who, status, body)
        began = time.perf_counter()
        for _ in range(number):
            connection.sendall(sent)
            answer(connection)
        taken = (time.perf_counter() - began) / number
        connection.close()
        return taken
    finally:
        server.kill()
        server.wait()


def connected(port):
    deadline = time.monotonic() + 30
    while True:
        try:
            made = socket.create_connection(("127.0.0.1", port))
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
        else:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made


def _said(options):
    return {name: getattr(value, "__name__", value) for name, value in options.items()} or ""


def rows(rounds):
    def each(measure, *whos, **more):
        taken = {who: [] for who in whos}
        for at in range(rounds):
            say(f"{measure.__name__} {_said(more)}, round {at + 1}")
            for who in whos:
                taken[who].append(measure(who, **more))
        return taken

    found = each(spawn, "toolwright", "mcp", "fastmcp")
    for who, target in (("mcp", 0.3), ("fastmcp", None)):
        title = "spawn to first tools/list, stdio"
        yield Row(title, found["toolwright"], who, found[who], "ms", target)
    found = each(round_trip, "toolwright", "mcp", "fastmcp")
    for who, target in (("mcp", 0.2), ("fastmcp", None)):
        yield Row("tools/call, stdio", found["toolwright"], who, found[who], "us", target)
    found = each(requests, "toolwright", "toolwright_inline", "bare", "mcp", "fastmcp")
    ours, inline = found["toolwright"], found["toolwright_inline"]
    yield Row("tools/call, HTTP, inline", inline, "bare uvicorn", found["bare"], "us", 1 / 0.75)
    yield Row("tools/call, HTTP", ours, "bare uvicorn", found["bare"], "us", 1 / 0.5)
    yield Row("tools/call, HTTP", ours, "fastmcp", found["fastmcp"], "us", 1 / 8)
    yield Row("tools/call, HTTP", ours, "mcp", found["mcp"], "us")
    yield from in_sessions(each)
    many = each(requests, "toolwright", tools=5000)
    yield Row("the same, 5,000 tools", many["toolwright"], "1 tool", ours, "us", 1.2)
    fails = each(requests, "toolwright", arguments={"a": 1, "b": "x"})
    yield Row("the same, failing", fails["toolwright"], "succeeding", ours, "us", 2)


def in_sessions(each):
    """Yield the same for clients with a handshake."""
    peers = ("mcp_sessions", "mcp_sessions_json", "fastmcp_sessions")
    found = each(requests, "toolwright", "toolwright_inline", "bare", *peers, begin=session)
    ours, inline, bare = found["toolwright"], found["toolwright_inline"], found["bare"]
    mcp, mcp_json, fastmcp = (found[who] for who in peers)
    yield Row("tools/call, session, inline", inline, "bare uvicorn", bare, "us", 1 / 0.75)
    yield Row("tools/call, session", ours, "bare uvicorn", bare, "us", 1 / 0.5)
    yield Row("tools/call, session, inline", inline, "mcp", mcp, "us", 1 / 4)
    yield Row("tools/call, session", ours, "mcp", mcp, "us", 1 / 2.5)
    yield Row("tools/call, session, inline", inline, "mcp, JSON answers", mcp_json, "us")
    yield Row("tools/call, session", ours, "mcp, JSON answers", mcp_json, "us")
    yield Row("tools/call, session", ours, "fastmcp", fastmcp, "us")
    many = each(requests, "toolwright", begin=session, others=1000)
    yield Row("the same, 1,000 sessions", many["toolwright"], "1 session", ours, "us", 1.2)


def main():
    parser = argparse.ArgumentParser(description="Measure servers from outside.")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    for name, requirements in ENVIRONMENTS.items():
        prepare(name, requirements)
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    found = list(rows(chosen.rounds))
    print(f"Wall time, medians of {chosen.rounds} rounds.\n")
    table(found)
    print(f"\nRequests a second: {1 / median(found[2].ours):.0f} over stdio.")


if __name__ == "__main__":
    main()
