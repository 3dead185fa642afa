"""Time the common tasks of FastMCP's command, and the same here: `python benchmarks/everyday.py`.

Both programs run in turn, in fresh processes, in a home folder of their own. It prints seconds by
the clock (median), the lines that are typed, and the first lines that are seen.
"""

import argparse
import contextlib
import http.client
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
SERVER = '''from {package} import {name}

mcp = {name}("shop", version="1.0"{more})


@mcp.tool
def search(query: str, limit: int = 10) -> list[str]:
    """Find products."""
    return [f"{{query}} {{number}}" for number in range(limit)]


@mcp.resource("shop://orders/{{number}}")
def order(number: int) -> dict[str, int]:
    """One order."""
    return {{"number": number, "lines": 3}}


@mcp.prompt
def greet(name: str) -> str:
    """Greet a customer."""
    return f"Write a greeting for {{name}}."
'''
VERIFIER = "from fastmcp.server.auth import StaticTokenVerifier\n"
AUTH = ', auth=StaticTokenVerifier({"s3cret-token": {"client_id": "ada", "scopes": []}})'
CLAUDE = "home/.config/Claude/claude_desktop_config.json"
LONGEST = 60
"""Seconds after which a task has failed."""


@dataclass
class Program:
    """One of the two: its command, and the server written for it."""

    name: str
    command: list[str]
    files: dict[str, str]
    env: dict[str, str]

    def line(self, typed):
        return [*self.command, *shlex.split(typed)]


@dataclass
class Task:
    """What is typed for each, the additional lines of code that it takes, and what times it."""

    name: str
    theirs: str
    ours: str
    work: Callable
    code: int = 0
    """Lines that FastMCP needs in the file, where Toolwright has a flag."""


def environment(folder, programs):
    home = folder / "home"
    (home / ".config/Claude").mkdir(parents=True)
    path = os.pathsep.join([*(str(Path(each).parent) for each in programs), os.environ["PATH"]])
    return {**os.environ, "HOME": str(home), "PATH": path, "FASTMCP_CHECK_FOR_UPDATES": "off"}


def run(program, typed, folder):
    """Run a command to its end; return the seconds, and what is seen."""
    began = time.perf_counter()
    ended = subprocess.run(
        program.line(typed),
        check=False,
        cwd=folder,
        env=program.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST,
    )
    took = time.perf_counter() - began
    if ended.returncode:
        sys.exit(f"{program.name} {typed} failed: {ended.stdout}")
    return took, ended.stdout


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def post(port, method, params, **headers):
    """Send one request; return the status, the session and the answer."""
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if not method.startswith("notifications/"):
        message["id"] = 1
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        sent = {"Accept": "application/json, text/event-stream", **headers}
        sent["Content-Type"] = "application/json"
        connection.request("POST", "/mcp", json.dumps(message), sent)
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    lines = [
        line[5:] for line in text.splitlines() if line.startswith("data:") and line[5:].strip()
    ]
    body = lines[-1] if lines else text
    found = json.loads(body) if body.startswith((" {", "{")) and answer.status == 200 else None
    return answer.status, answer.getheader("mcp-session-id"), found


def tools(port, token=None):
    """Return the names of the tools that a client is told about after its handshake."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "everyday", "version": "1"}
    status, session, _ = post(port, "initialize", hello, **headers)
    if status != 200:
        return status
    headers |= {"MCP-Protocol-Version": "2025-11-25"} | (
        {"Mcp-Session-Id": session} if session else {}
    )
    post(port, "notifications/initialized", {}, **headers)
    return [tool["name"] for tool in post(port, "tools/list", {}, **headers)[2]["result"]["tools"]]


def wait_for(wanted, port, token=None):
    """Ask until the answer is the wanted one; return how many seconds that took."""
    began = time.perf_counter()
    while time.perf_counter() - began < LONGEST:
        with contextlib.suppress(OSError, http.client.HTTPException, TypeError):
            if tools(port, token) == wanted:
                return time.perf_counter() - began
        time.sleep(0.01)
    raise TimeoutError(wanted)


@contextlib.contextmanager
def served(program, typed, folder):
    """Start a server; yield its port and a function that returns what is seen so far."""
    port = free_port()
    seen = folder / f"seen-{program.name}.txt"
    with seen.open("wb") as file:
        process = subprocess.Popen(
            program.line(f"{typed} --port {port}"),
            cwd=folder,
            env=program.env,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield port, lambda: seen.read_text(errors="replace")
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()


def start(program, typed, folder):
    with served(program, typed, folder) as (port, seen):
        return wait_for(["search"], port), seen()


def start_with_token(program, typed, folder):
    with served(program, typed, folder) as (port, seen):
        took = wait_for(["search"], port, "s3cret-token")
        assert tools(port) == 401
        return took, seen()


def reload(program, typed, folder):
    """Time from a change in the file to a list that has it."""
    file = folder / typed.split()[1]
    before = file.read_text()
    try:
        with served(program, typed, folder) as (port, seen):
            wait_for(["search"], port)
            time.sleep(1)  # both look at files from time to time
            shown = len(seen())
            file.write_text(before.replace("def search", "def find"))
            return wait_for(["find"], port), seen()[shown:]
    finally:
        file.write_text(before)


def piped(program, typed, folder):
    """Time from the start to the answer of the first call over stdio, as a client sees it."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
    hello["clientInfo"] = {"name": "everyday", "version": "1"}
    call = {"name": "search", "arguments": {"query": "bike", "limit": 1}}
    began = time.perf_counter()
    with subprocess.Popen(
        program.line(typed),
        cwd=folder,
        env=program.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:

        def send(method, params, **more):
            message = {"jsonrpc": "2.0", "method": method, "params": params, **more}
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()

        send("initialize", hello, id=1)
        process.stdout.readline()
        send("notifications/initialized", {})
        send("tools/call", call, id=2)
        assert b"bike 0" in process.stdout.readline()
        took = time.perf_counter() - began
        process.stdin.close()
        seen = process.stderr.read().decode(errors="replace")
    return took, seen or "(nothing)"


TASKS = [
    Task("run over HTTP", "run shop.py --transport http", "serve shop.py --http", start),
    Task("run over stdio, first call", "run shop.py", "serve shop.py", piped),
    Task(
        "reload after a change",
        "run shop.py --transport http --reload",
        "serve shop.py --http --reload",
        reload,
    ),
    Task("list", "list shop.py", "list shop.py --tools", run),
    Task("resources, prompts", "list shop.py --resources --prompts", "list shop.py", run),
    Task(
        "call",
        "call shop.py search query=bike limit=2",
        "call shop.py search query=bike limit=2",
        run,
    ),
    Task("read a resource", "call shop.py shop://orders/7", "call shop.py shop://orders/7", run),
    Task(
        "get a prompt",
        "call shop.py greet --prompt name=Ada",
        "call shop.py greet --prompt name=Ada",
        run,
    ),
    Task("inspect", "inspect shop.py", "list shop.py", run),
    Task("inspect, as JSON", "inspect shop.py --format mcp", "export shop.py -o -", run),
    Task(
        "install, Claude Desktop",
        "install claude-desktop shop.py",
        "install claude-desktop shop.py",
        run,
    ),
    Task(
        "install, Cursor",
        "install cursor shop.py --workspace .",
        "install cursor shop.py --project",
        run,
    ),
    Task(  # FastMCP asks the command of the client, `gemini`, which must be installed
        "install, Gemini CLI",
        "install gemini-cli shop.py",
        "install gemini-cli shop.py",
        run,
    ),
    Task("install, any other", "install mcp-json shop.py", "install generic shop.py", run),
    Task(
        "run with a token",
        "run guarded.py --transport http",
        "serve shop.py --http --token s3cret-token",
        start_with_token,
        code=2,
    ),
]


def programs(chosen, folder):
    theirs, ours = shlex.split(chosen.fastmcp), shlex.split(chosen.toolwright)
    env = environment(folder, [theirs[0], ours[0]])
    fastmcp = SERVER.format(package="fastmcp", name="FastMCP", more="")
    guarded = VERIFIER + SERVER.format(package="fastmcp", name="FastMCP", more=AUTH)
    toolbox = SERVER.format(package="toolwright", name="Toolbox", more="")
    return (
        Program("fastmcp", theirs, {"shop.py": fastmcp, "guarded.py": guarded}, env),
        Program("toolwright", ours, {"shop.py": toolbox}, env),
    )


def measure(task, pair, folder, rounds):
    """Return, for each program, the seconds of all rounds and what was seen in the last one."""
    took = {program.name: [] for program in pair}
    seen = {}
    for at in range(rounds):
        for program in pair if at % 2 else pair[::-1]:
            place = folder / program.name
            place.mkdir(exist_ok=True)
            for name, text in program.files.items():
                (place / name).write_text(text)
            # Each installs into an empty file: what the other wrote would be in the way.
            (folder / CLAUDE).write_text('{"mcpServers": {}}')
            (place / ".cursor/mcp.json").unlink(missing_ok=True)
            typed = task.theirs if program.name == "fastmcp" else task.ours
            seconds, seen[program.name] = task.work(program, typed, place)
            took[program.name].append(seconds)
    return took, seen


def show(task, took, seen, most):
    theirs, ours = median(took["fastmcp"]), median(took["toolwright"])
    goal = "" if ours <= theirs / 4 else " (not a quarter)"
    print(f"\n## {task.name}: {ours:.2f} s against {theirs:.2f} s, {ours / theirs:.2f}{goal}")
    for name, typed, more in (("fastmcp", task.theirs, task.code), ("toolwright", task.ours, 0)):
        print(f"\n$ {name} {typed}    [{1 + more} line{'s' if more else ''} typed]")
        for line in seen[name].strip().splitlines()[:most]:
            print(f"  {line.rstrip()}")
    return (
        f"| {task.name} | {theirs:.2f} | {ours:.2f} | {ours / theirs:.2f} | {1 + task.code} / 1 |"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="only tasks that have one of these in their name")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--lines", type=int, default=6, help="how many seen lines are printed")
    parser.add_argument("--fastmcp", default=str(ROOT / ".bench/fastmcp/bin/fastmcp"))
    parser.add_argument("--toolwright", default=str(ROOT / ".bench/toolwright/bin/toolwright"))
    chosen = parser.parse_args()
    rows = ["| task | FastMCP s | Toolwright s | ratio | lines typed |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pair = programs(chosen, folder)
        for task in TASKS:
            if chosen.words and not any(word in task.name for word in chosen.words):
                continue
            rows.append(show(task, *measure(task, pair, folder, chosen.rounds), chosen.lines))
    print("\n" + "\n".join(rows))


if __name__ == "__main__":
    main()
