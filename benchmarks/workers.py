"""Compare what becomes of workers: ours, and those of `uvicorn.supervisors.Multiprocess`.

Each is started with the same toolbox and hit in the same ways; the table is in
docs/decisions/0015-workers.md. Linux only.
"""

import contextlib
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

TOOLS = """
import os, re, time
from pathlib import Path
with open(os.environ["STARTS"], "a") as file:
    file.write(f"{os.getpid()} {os.getppid()} {time.time()}\\n")
if Path(os.environ["BROKEN"]).exists() and os.environ.get("PARENT") != str(os.getpid()):
    how = Path(os.environ["BROKEN"]).read_text()
    exec(how)
def who() -> int:
    return os.getpid()
def where() -> int:
    return int(os.getcwd().endswith("/sub"))
def die() -> int:
    os._exit(1)
def nap(seconds: float) -> int:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.05)
    return os.getpid()
async def block(seconds: float) -> int:
    "Keep the event loop."
    time.sleep(seconds)
    return os.getpid()
def hold(seconds: float) -> int:
    "Keep the interpreter lock."
    import ctypes
    ctypes.PyDLL(None).usleep(int(seconds * 1e6))
    return os.getpid()
"""


def make_app(target):
    """What a worker of uvicorn serves: the toolbox has to be loaded in each."""
    from toolwright.cli.load import load

    return load(target)[0].asgi(stateless=True)


def serve_with_uvicorn(target, port, folder):
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    from toolwright.serve.server import listen

    listening = listen("127.0.0.1", port)
    if folder:
        os.chdir(folder)  # as `--folder` does
    config = uvicorn.Config(
        functools.partial(make_app, target),
        factory=True,
        workers=2,
        log_level="warning",
        timeout_graceful_shutdown=2,
    )
    Multiprocess(config, [listening]).run()


class Server:
    def __init__(self, kind, broken="", folder=""):
        self.place = Path(tempfile.mkdtemp())
        (self.place / "sub").mkdir()
        target = self.place / "sub" / "tools.py"
        target.write_text(TOOLS)
        self.broken = self.place / "broken"
        if broken:
            self.broken.write_text(broken)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.starts = self.place / "starts"
        self.starts.touch()
        given = [str(target), "--http", "--port", str(self.port), "--workers", "2"]
        given += ["--folder", str(self.place / "sub")] if folder else []
        ours = [sys.executable, "-c", "import os,sys;os.environ['PARENT']=str(os.getpid());"]
        ours[2] += "sys.argv[0]='toolwright';from toolwright.cli.main import main;sys.exit(main())"
        theirs = [sys.executable, __file__, "--serve", str(target), str(self.port)]
        theirs += [str(self.place / "sub")] if folder else []
        self.log = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the server
        self.process = subprocess.Popen(
            [*ours, "serve", *given] if kind == "ours" else theirs,
            cwd=self.place,
            stdin=subprocess.DEVNULL,
            stderr=self.log,
            stdout=self.log,
            env={**os.environ, "STARTS": str(self.starts), "BROKEN": str(self.broken)},
            start_new_session=True,
        )

    def call(self, name, timeout=30, **arguments):
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": name, "arguments": arguments, "_meta": meta}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "content-type": "application/json",
            "accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
        }
        url = f"http://127.0.0.1:{self.port}/mcp"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            found = json.loads(re.search(rb"\{.*\}", answer.read())[0])
        return found["result"]["structuredContent"]

    def workers(self):
        """Return the workers that answer: both, unless time runs out."""
        seen, end = set(), time.monotonic() + 40
        while len(seen) < 2 and time.monotonic() < end:
            with contextlib.suppress(OSError):
                seen.add(self.call("who", 5))
        return seen

    def said(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def end(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.place)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def left(server, seconds=10):
    """Return how many workers are left some time after the parent got a signal."""
    pids, end = server.pids, time.monotonic() + seconds
    while time.monotonic() < end and any(map(is_running, pids)):
        time.sleep(0.1)
    told = f"{sum(map(is_running, pids))} of 2 workers left after {seconds} s"
    with contextlib.suppress(OSError):
        server.pids |= {server.call("who", 5)}
        return f"{told}, requests are answered"
    return told


def parent_gets(number, server):
    server.pids = server.workers()
    time.sleep(3)
    server.process.send_signal(number)
    return left(server)


def a_worker_dies(server):
    both = server.workers()
    time.sleep(3)
    began = time.monotonic()
    os.kill(min(both), signal.SIGKILL)
    while min(both) in (now := server.workers()) or len(now) < 2:
        pass
    return f"both answer again after {time.monotonic() - began:.1f} s"


def starts_break(server):
    """Workers that end at once when they are started again."""
    both = server.workers()
    time.sleep(3)
    server.broken.write_text("import os; os._exit(1)")
    for each in both:
        os.kill(each, signal.SIGKILL)
    before = len(server.starts.read_text().splitlines())
    time.sleep(30)
    return f"{len(server.starts.read_text().splitlines()) - before} starts in 30 s"


def start_fails(server):
    try:
        code = server.process.wait(20)
    except subprocess.TimeoutExpired:
        code = "still running"
    count = len(server.starts.read_text().splitlines())
    lines = len(server.said().splitlines())
    return f"code {code} within 20 s, {count} starts, {lines} lines on standard error"


def folder(server):
    server.workers()
    return "in the folder" if server.call("where") else "in another folder"


def stuck_at_the_end(tool, server):
    server.pids = server.workers()
    time.sleep(3)
    threading.Thread(target=asks, args=[server, tool], daemon=True).start()
    time.sleep(1)
    began = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    try:
        server.process.wait(30)
    except subprocess.TimeoutExpired:
        return "still there after 30 s"
    return f"ended after {time.monotonic() - began:.1f} s"


def asks(server, tool):
    with contextlib.suppress(Exception):
        server.call(tool, 60, seconds=40)


def a_call_keeps_the_lock(server):
    server.workers()
    time.sleep(3)
    began = time.monotonic()
    try:
        server.call("hold", 30, seconds=8)
        return f"answered after {time.monotonic() - began:.1f} s"
    except OSError as error:
        return f"{type(error).__name__} after {time.monotonic() - began:.1f} s"


CASES = {
    "the parent gets SIGKILL": ({}, functools.partial(parent_gets, signal.SIGKILL)),
    "the parent gets SIGHUP": ({}, functools.partial(parent_gets, signal.SIGHUP)),
    "the parent gets SIGTERM": ({}, functools.partial(parent_gets, signal.SIGTERM)),
    "a worker is killed": ({}, a_worker_dies),
    "every further worker ends at once": ({}, starts_break),
    "the first workers raise": ({"broken": "raise OSError('no')"}, start_fails),
    "the first workers end with 1": ({"broken": "import os; os._exit(1)"}, start_fails),
    "--folder": ({"folder": "sub"}, folder),
    "SIGTERM during a call of 40 s": ({}, functools.partial(stuck_at_the_end, "nap")),
    "SIGTERM while a call keeps the loop": ({}, functools.partial(stuck_at_the_end, "block")),
    "a call keeps the lock for 8 s": ({}, a_call_keeps_the_lock),
}


def main():
    for name, (how, ask) in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        told = []
        for kind in ("ours", "uvicorn"):
            server = Server(kind, **how)
            try:
                told.append(ask(server))
            except Exception as error:  # noqa: BLE001 - it goes into the table
                told.append(f"{type(error).__name__}: {error}")
            finally:
                for pid in getattr(server, "pids", ()):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                server.end()
        print(f"| {name} | {told[0]} | {told[1]} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve_with_uvicorn(sys.argv[2], int(sys.argv[3]), sys.argv[4] if sys.argv[4:] else "")
    else:
        main()
