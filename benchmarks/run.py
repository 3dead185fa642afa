"""Measure Toolwright against its floors and its peers, and print one table of ratios.

Each figure comes from a fresh process in an environment of its own below `.bench/`; those
compared run in turn, round by round, so that a busy machine slows all of them alike. Nothing here
fails on a slow day: a missed target is printed, and the exit code stays 0.

    python benchmarks/run.py [import] [compile] [memory] [list] [size] [call] [limits] [--rounds 5]
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent
HOME = ROOT / ".bench"
ENVIRONMENTS = {
    "toolwright": ("-e", str(ROOT)),
    "fastmcp": ("fastmcp>=4,<5",),
    "mcp": ("mcp>=2.3,<3",),
}
TOOLS = 500
PEERS = ("fastmcp", "mcp")
CLOCKS = ("cpu", "wall")
# PYTHONDONTWRITEBYTECODE and the like would change what is measured.
ENVIRON = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


class Row(NamedTuple):
    """One line of the table; figures are given round by round."""

    what: str
    ours: list[float]
    against: str
    theirs: list[float]
    unit: str
    target: float | None = None

    def cells(self):
        ratios = [a / b for a, b in zip(self.ours, self.theirs, strict=True)]
        ratio = median(self.ours) / median(self.theirs)
        spread = f" ({min(ratios):.3g} .. {max(ratios):.3g})" if len(ratios) > 1 else ""
        verdict = "" if self.target is None else "met" if ratio <= self.target else "MISSED"
        return (
            self.what,
            shown(median(self.ours), self.unit),
            self.against,
            shown(median(self.theirs), self.unit),
            f"{ratio:.3g}{spread}",
            "" if self.target is None else f"<= {self.target:g}",
            verdict,
        )


def shown(value, unit):
    if unit == "B":
        return f"{value:,.0f} B"
    scale = {"ms": 1e3, "us": 1e6}[unit]
    return f"{value * scale:,.{1 if unit == 'ms' else 2}f} {unit}"


def python(name):
    return str(HOME / name / "bin" / "python")


def prepare(name, requirements):
    """Make an environment, unless it is there with the same Python and the same requirements."""
    wanted = "\n".join([sys.version, *requirements])
    if name == "toolwright":
        wanted += (ROOT / "pyproject.toml").read_text()
    stamp = HOME / name / "ready"
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    say(f"making .bench/{name}")
    pip = (python(name), "-m", "pip", "install", "-q", "--disable-pip-version-check")
    pip += ("--only-binary", ":all:")
    for command in (
        (sys.executable, "-m", "venv", "--clear", str(HOME / name)),
        pip + requirements,
    ):
        done = subprocess.run(command, env=ENVIRON, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    stamp.write_text(wanted)


def versions(name):
    packages = dict.fromkeys((name, "mcp", "pydantic"))
    code = (
        "import importlib.metadata as m, sys\nfor n in sys.argv[1:]:\n"
        "    try: print(n, m.version(n), end='  ')\n    except m.PackageNotFoundError: pass"
    )
    return subprocess.check_output([python(name), "-c", code, *packages], env=ENVIRON, text=True)


def measure(environment, script, *arguments):
    """Run one measurement in a fresh process and return what it prints."""
    command = [python(environment), str(HERE / f"measure_{script}.py"), *map(str, arguments)]
    done = subprocess.run(command, env=ENVIRON, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def say(text):
    print(text, file=sys.stderr, flush=True)


def imports(rounds):
    first, named = "import toolwright", "from toolwright import Tool, Toolbox, tool"
    whole, server = "import fastmcp", "from fastmcp import FastMCP"
    statements = {
        "toolwright": (first, named),
        "fastmcp": (whole, server),
        "mcp": ("import mcp", "from mcp.server import MCPServer"),
    }
    taken = {}
    for at in range(max(rounds, 9) + 1):
        say(f"import, round {at}")
        for environment, given in statements.items():
            spent = measure(environment, "import", *given)
            if at:  # the first round may write bytecode
                for each in given:
                    over = {clock: spent[each][clock] - spent["pass"][clock] for clock in CLOCKS}
                    taken.setdefault(each, []).append(over)

    def figures(statement, clock):
        return [each[clock] for each in taken[statement]]

    for ours, clock, theirs, target in (
        (first, "cpu", whole, 0.05),
        (first, "wall", whole, 0.05),
        (first, "cpu", "import mcp", None),
        (named, "cpu", whole, 0.05),
        (named, "wall", whole, 0.05),
        (named, "cpu", "import mcp", None),
        (named, "cpu", server, None),
        (named, "cpu", "from mcp.server import MCPServer", None),
    ):
        yield Row(
            f"{ours} ({clock})", figures(ours, clock), theirs, figures(theirs, clock), "ms", target
        )


def compiling(rounds):
    titles = {
        "shared": f"{TOOLS} tools, shared models",
        "fields": f"{TOOLS} tools, own Field each",
        "own": f"{TOOLS} tools, own models each",
    }
    runs = [(kind, who) for kind in titles for who in ("toolwright", "bare", *PEERS)]
    runs = [run for run in runs if run[0] != "own" or run[1] not in PEERS]
    taken = {run: [] for run in runs}
    for at in range(rounds):
        say(f"compile, round {at + 1}")
        for kind, who in runs:
            environment = "toolwright" if who == "bare" else who
            taken[kind, who].append(measure(environment, "compile", who, kind, TOOLS)["cpu"])
    targets = {"bare": 0.6, "fastmcp": 0.25, "mcp": 0.25}
    for kind, who in runs:
        if who != "toolwright":
            target = None if kind == "own" else targets[who]
            against = "bare pydantic" if who == "bare" else who
            ours = taken[kind, "toolwright"]
            yield Row(titles[kind], ours, against, taken[kind, who], "ms", target)


def memory(_rounds):
    """Measure what one compiled tool of five parameters holds, as growth of the process."""
    titles = {"shared": "shared models", "fields": "own Field each"}
    for kind, title in titles.items():
        say(f"memory, {title}")
        held = {
            who: [
                measure("toolwright" if who == "bare" else who, "memory", who, kind, 1000)["bytes"]
            ]
            for who in ("toolwright", "bare", *PEERS)
        }
        for who in ("bare", *PEERS):
            against = "bare pydantic" if who == "bare" else who
            what = f"memory of a tool, of 1,000, {title}"
            yield Row(what, held["toolwright"], against, held[who], "B")


def listing(rounds):
    counts = (5, 500, 5000)
    taken = {count: [] for count in counts}
    for at in range(min(rounds, 3)):
        say(f"list, round {at + 1}")
        for count in counts:
            taken[count].append(measure("toolwright", "list", count))
    ours = {count: [each["ours"] for each in taken[count]] for count in counts}
    for count in counts:
        copy = [each["copy"] for each in taken[count]]
        yield Row(f"tools/list again, {count} tools", ours[count], "copying it", copy, "us")
    yield Row("tools/list again, 5000 tools", ours[5000], "5 tools", ours[5], "us", 1.5)


def sizes(_rounds):
    sizes = {who: measure(who, "size", who) for who in ("toolwright", *PEERS)}
    named = {"shared": f"{TOOLS} tools, shared models", "shop": "examples/shop.py"}
    for kind, title in named.items():
        for who in PEERS:
            ours, theirs = [sizes["toolwright"][kind]], [sizes[who][kind]]
            yield Row(f"bytes of tools/list, {title}", ours, who, theirs, "B", 0.75)


def calling(rounds):
    """Time calls to finished bytes; wall time, since threads are part of it."""
    taken = {who: [] for who in ("toolwright", *PEERS)}
    threads = []
    for at in range(rounds):
        say(f"call, round {at + 1}")
        for who, figures in taken.items():
            figures.append(measure(who, "call", who, "calls"))
        threads.append(measure("toolwright", "call", "toolwright", "thread"))

    def of(who, name):
        return [each[name] for each in taken[who]]

    titles = {
        "add": "call, two ints (wall)",
        "place_order": "call, ten-item model (wall)",
        "add_async": "call_async, two ints (wall)",
        "place_order_async": "call_async, ten-item model (wall)",
    }
    targets = {"add": 2.5, "place_order": 1.5, "add_async": 2.5, "place_order_async": 1.5}
    for name, title in titles.items():
        ours = of("toolwright", name)
        yield Row(title, ours, "floor", of("toolwright", f"{name} floor"), "us", targets[name])
        for who in PEERS:
            yield Row(title, ours, who, of(who, name), "us", 0.05)
    hop = [each["hop"] for each in threads]
    good = [each["ours"] for each in threads]
    yield Row("call_async of a sync function, one core (wall)", good, "to_thread", hop, "us", 1.2)
    for key, title in (("fails", "bad argument"), ("fails_unknown", "unknown argument")):
        bad = [each[key] for each in threads]
        yield Row(f"call_async, {title}, one core (wall)", bad, "the same, good", good, "us", 2)
    say("call, a million of them")
    held = measure("toolwright", "call", "toolwright", "memory")
    after, before = [held["1000000"]], [held["100000"]]
    yield Row("resident after 1,000,000 calls", after, "after 100,000", before, "B", 1.01)


def limits(rounds):
    """Measure what limits cost when they are off and on, and how late a deadline is kept."""
    found = []
    for at in range(rounds):
        say(f"limits, round {at + 1}")
        found.append({way: measure("toolwright", "limits", way) for way in ("off", "on", "late")})
    titles = {
        "call": "limits off: call",
        "async": "limits off: call_async",
        "thread": "limits off: call_async of a sync function, one core",
    }
    for key, title in titles.items():
        ours = [each["off"][key] for each in found]
        without = [each["off"][f"{key} bare"] for each in found]
        yield Row(f"{title} (wall)", ours, "the same steps alone", without, "us", 1.1)
        if f"{key} named" in found[0]["off"]:
            named = [each["off"][f"{key} named"] for each in found]
            yield Row(f"{title} (wall)", ours, "and `current_call`", named, "us")
    plain = [each["on"]["plain"] for each in found]
    for key in found[0]["on"]:
        if key != "plain":
            ours = [each["on"][key] for each in found]
            yield Row(f"call with {key} (wall)", ours, "without limits", plain, "us")
    titles = {"stuck": "in a thread", "stuck_async": "async", "spin": "in a process"}
    for key, title in titles.items():
        middle = [each["late"][key][0] for each in found]
        worst = [each["late"][key][1] for each in found]
        yield Row(f"answer after a deadline of 50 ms, {title}", middle, "the worst", worst, "us")


SECTIONS = {
    "import": imports,
    "compile": compiling,
    "memory": memory,
    "list": listing,
    "size": sizes,
    "call": calling,
    "limits": limits,
}


def table(rows):
    heads = ("what", "ours", "compared with", "theirs", "ratio (lowest .. highest)", "target", "")
    lines = [heads, *(row.cells() for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    lines.insert(1, tuple("-" * width for width in widths))
    for line in lines:
        print("| " + " | ".join(map(str.ljust, line, widths)) + " |")


def main():
    parser = argparse.ArgumentParser(description="Measure Toolwright against floors and peers.")
    parser.add_argument("sections", nargs="*", help=f"of {', '.join(SECTIONS)}; all if none")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    unknown = set(chosen.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    for name, requirements in ENVIRONMENTS.items():
        prepare(name, requirements)
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    for name in ENVIRONMENTS:
        print(f"  .bench/{name}: {versions(name).strip()}")
    rows = []
    for name in chosen.sections or SECTIONS:
        rows += SECTIONS[name](chosen.rounds)
    print(
        f"Medians of {chosen.rounds} rounds (import: at least 9, list: at most 3). CPU time where it"
    )
    print("does not say wall; tools/list again: wall time, the best of many short slots.\n")
    table(rows)
    if not chosen.sections or "import" in chosen.sections:
        loaded = measure("toolwright", "loaded", "import toolwright")
        verdict = f"{', '.join(loaded)}: MISSED" if loaded else "none: met"
        print(
            "\nOf pydantic, asyncio, importlib.metadata and mcp, `import toolwright` loads", verdict
        )


if __name__ == "__main__":
    main()
