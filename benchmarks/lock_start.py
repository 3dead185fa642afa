"""Time a server on stdio from its start to its first list of tools: with a lock, and without.

    python benchmarks/lock_start.py [ROUNDS]

Three toolboxes: a small one, one of 500 tools, and a small one whose import takes a second. In each
round every server starts once, in turn, in a fresh process. The least wall time is what a user waits
for on an idle machine; the median of processor time (start, list and end) depends little on other
work.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
ASK = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
ASK_OLD = (
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "b", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
)
HEAD = """\
from pydantic import BaseModel
from toolwright import Toolbox

box = Toolbox("bench")
"""
TOOL = '''

class Item{at}(BaseModel):
    name: str
    size: int = 1


@box.tool
def find{at}(query: str, limit: int = 10, items: list[Item{at}] | None = None) -> list[Item{at}]:
    """Find things of kind {at}.

    Args:
        query: What to look for.
        limit: Most hits.
        items: Where to look.
    """
    return []
'''
TOOLBOXES = {
    "5 tools": HEAD + "".join(TOOL.format(at=at) for at in range(5)),
    "500 tools": HEAD + "".join(TOOL.format(at=at) for at in range(500)),
    "5 tools, import of 1 s": "import time\n\ntime.sleep(1)\n"
    + HEAD
    + "".join(TOOL.format(at=at) for at in range(5)),
}


def command(*words: str) -> list[str]:
    """Return a command line of Toolwright."""
    return [sys.executable, "-m", "toolwright", *words]


def spent() -> float:
    """Return the processor time of all processes that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def milliseconds(
    words: list[str], messages: tuple[dict[str, object], ...], folder: str
) -> tuple[float, float]:
    """Start a server and ask for its tools; return how long that took, and its processor time."""
    before, begun = spent(), time.perf_counter()
    with subprocess.Popen(
        command("serve", *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps(message).encode() + b"\n")
        server.stdin.flush()
        while True:
            answer = json.loads(server.stdout.readline())
            if answer.get("id") == 1:
                break
        taken = time.perf_counter() - begun
        assert answer["result"]["tools"]
        server.stdin.close()
    return taken * 1000, (spent() - before) * 1000


def main() -> None:
    """Measure, and print a table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        taken: dict[tuple[str, str, bool], list[tuple[float, float]]] = {}
        for at, text in enumerate(TOOLBOXES.values()):
            Path(folder, f"box{at}.py").write_text(text)
            words = command("lock", f"box{at}.py", "-o", f"box{at}.json")
            subprocess.run(words, check=True, cwd=folder, capture_output=True)
        for _ in range(rounds):
            for at, name in enumerate(TOOLBOXES):
                for era, messages in (("2026-07-28", (ASK,)), ("2025-11-25", ASK_OLD)):
                    for locked in (False, True):
                        words = [f"box{at}.py", *(["--lock", f"box{at}.json"] if locked else [])]
                        found = milliseconds(words, messages, folder)
                        taken.setdefault((name, era, locked), []).append(found)
    print("| toolbox | protocol | wall: without, with --lock | processor: without, with |")
    print("|---|---|---|---|")
    for name, era in dict.fromkeys((name, era) for name, era, _ in taken):
        walls, cpus = zip(
            *(_figures(taken[name, era, locked]) for locked in (False, True)), strict=True
        )
        shown = [f"{one:.0f}, {other:.0f} ms ({other / one:.2f})" for one, other in (walls, cpus)]
        print(f"| {name} | {era} | {shown[0]} | {shown[1]} |")


def _figures(found: list[tuple[float, float]]) -> tuple[float, float]:
    return min(wall for wall, _ in found), statistics.median(cpu for _, cpu in found)


if __name__ == "__main__":
    main()
