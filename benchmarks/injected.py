"""Measure what an injected parameter costs over the wire: `python benchmarks/injected.py`.

One server has the same tool with and without one; both are called in turn, in short rounds. What is
compared is the processor time of the server, which a busy machine changes little.
"""

import contextlib
import json
import queue
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from statistics import median

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}}
HELLO["clientInfo"] = {"name": "bench", "version": "1"}
KINDS = ("plain", "called", "provided", "made")
WORKERS = ("thread", "inline", "async")


def serve(where):
    from typing import Annotated

    from toolwright import Call, Inject, Toolbox

    box = Toolbox("bench", version="1")

    def number() -> int:
        return 0

    def length() -> int:
        return len("")

    def plain(a: int, b: int) -> int:
        return a + b

    def called(a: int, b: int, call: Call) -> int:
        return a + b

    def provided(a: int, b: int, c: Annotated[int, Inject(number)]) -> int:
        return a + b + c

    def made(a: int, b: int, c: Annotated[int, Inject(length)]) -> int:
        return a + b + c

    for each in (plain, called, provided, made):
        box.add(each, name=f"{each.__name__}_thread")
        box.add(each, name=f"{each.__name__}_inline", run_on="inline")

    add_async(box, number, length)
    if where == "stdio":
        box.serve()
    else:
        box.serve("http", port=int(where))


def add_async(box, number, length):
    from typing import Annotated

    from toolwright import Call, Inject

    @box.tool
    async def plain_async(a: int, b: int) -> int:
        return a + b

    @box.tool
    async def called_async(a: int, b: int, call: Call) -> int:
        return a + b

    @box.tool
    async def provided_async(a: int, b: int, c: Annotated[int, Inject(number)]) -> int:
        return a + b + c

    async def awaited_length() -> int:
        return len("")

    @box.tool
    async def awaited_async(a: int, b: int, c: Annotated[int, Inject(awaited_length)]) -> int:
        return a + b + c

    @box.tool
    async def made_async(a: int, b: int, c: Annotated[int, Inject(length)]) -> int:
        return a + b + c


def kinds_of(worker):
    return (*KINDS, "awaited") if worker == "async" else KINDS


def bare_hop(rounds=41, number=100):
    """Return what the trip to a waiting thread and back takes, in microseconds of processor time.

    Less is not possible for a provider that may block, beside a tool on the event loop.
    """
    jobs = queue.SimpleQueue()

    def work():
        while True:
            jobs.get().release()

    threading.Thread(target=work, daemon=True).start()
    found = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(number):
            ended = threading.Lock()
            ended.acquire()
            jobs.put(ended)
            ended.acquire()
        found.append((time.process_time() - began) / number * 1e6)
    return median(found)


def cpu(process):
    """Return the processor time that a process has used, in seconds."""
    fields = Path(f"/proc/{process.pid}/schedstat").read_text().split()
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    total = 0
    for each in threads:
        try:
            total += int((each / "schedstat").read_text().split()[0])
        except OSError:
            continue
    return (total or int(fields[0])) / 1e9


class Piped:
    def __init__(self):
        command = [sys.executable, __file__, "stdio"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.ask("initialize", HELLO)

    def ask(self, method, params):
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def call(self, name):
        return self.ask("tools/call", {"name": name, "arguments": {"a": 1, "b": 2}})

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def connected(port):
    until = time.monotonic() + 30
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            return socket.create_connection(("127.0.0.1", port))
        time.sleep(0.05)
    raise TimeoutError


class Posted:
    def __init__(self):
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(self.port)], stderr=subprocess.DEVNULL
        )
        self.connection = connected(self.port)

    def call(self, name):
        params = {"name": name, "arguments": {"a": 1, "b": 2}, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        body = json.dumps(message).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self.connection.sendall(head.encode() + body)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self.connection.recv(65536)
        head, _, body = data.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        while len(body) < int(fields[b"content-length"]):
            body += self.connection.recv(65536)
        return json.loads(body)

    def end(self):
        self.connection.close()
        self.process.terminate()
        self.process.wait(10)


def measure(client, rounds, number):
    names = [f"{kind}_{worker}" for worker in WORKERS for kind in kinds_of(worker)]
    used = {name: [] for name in names}
    walls = {name: [] for name in names}
    for at in range(rounds + 1):
        for name in names:
            before, began = cpu(client.process), time.perf_counter()
            for _ in range(number):
                assert not client.call(name)["result"]["isError"]
            if at:
                walls[name].append((time.perf_counter() - began) / number * 1e6)
                used[name].append((cpu(client.process) - before) / number * 1e6)
    return {name: (median(used[name]), median(walls[name])) for name in names}


def main(rounds=15, number=60):
    print("| over | worker | parameter | server us | ratio | round trip us | ratio |")
    print("|---|---|---|---|---|---|---|")
    hops = [bare_hop()]
    for transport, start in (("stdio", Piped), ("HTTP", Posted)):
        client = start()
        try:
            found = measure(client, rounds, number)
        finally:
            client.end()
        for worker in WORKERS:
            base = found[f"plain_{worker}"]
            for kind in kinds_of(worker):
                own = found[f"{kind}_{worker}"]
                print(
                    f"| {transport} | {worker} | {kind} | {own[0]:.0f} | {own[0] / base[0]:.2f} "
                    f"| {own[1]:.0f} | {own[1] / base[1]:.2f} |"
                )
        hops.append(bare_hop())
    print("To a thread and back, nothing else:", ", ".join(f"{each:.0f}" for each in hops), "us")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        serve(sys.argv[1])
    else:
        main()
