"""Compare how long real code takes to become tools: this tree, another one, and FastMCP.

    python benchmarks/real_times.py [--against SRC] [--rounds 3] [--only NAME ...] [--most 40]

Packages and servers are those of `real.json` that `real.py` has installed below `.bench/`. SRC is
the `src` folder of another commit; tools that it lists in other bytes are named.
"""

import argparse
import json
import subprocess
from pathlib import Path
from statistics import mean, median

from real import LIMITED, LIST, RESULTS, folder_of, names_of
from run import HERE, HOME, python, say


def measured(side, kind, name, file, rounds, source):
    environment, system = ("fastmcp", "fastmcp") if side == "FastMCP" else ("toolwright",) * 2
    script = (HERE / "measure_real_times.py", system, kind, name, folder_of(kind, name))
    done = subprocess.run(
        [python(environment), *map(str, script), str(file), str(rounds)],
        env={**LIMITED, **({"PYTHONPATH": source} if source else {})},
        cwd=HOME / "home",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not done.stdout:
        say(f"{side}: {name} failed: {done.stderr.strip()[-300:]}")
        return None
    return json.loads(done.stdout)


def shown(side, tools, batches):
    spent = [each[0] * 1e3 for each in tools.values()]
    if not spent:
        return
    usual = sorted(spent)[: -max(len(spent) // 50, 1)]
    over = sum(each > 50 for each in spent)
    size = mean(each[1] for each in tools.values())
    print(
        f"{side:12} {len(spent):5} tools  mean {mean(spent):7.2f} ms  median {median(spent):5.2f}"
        f"  without the slowest 2% {mean(usual):5.2f}  over 50 ms {over:3}"
        f"  batch {batches * 1e3 / len(spent):6.2f}  bytes {size:9,.0f}",
        flush=True,
    )


def compare(kind, names, chosen):
    sides = {"this tree": ""}
    if chosen.against:
        sides["the other"] = str(Path(chosen.against).resolve())
    if not chosen.no_peers:
        sides["FastMCP"] = ""
    tools = {side: {} for side in sides}
    batches = dict.fromkeys(sides, 0.0)
    for name in names:
        kept = json.loads(names_of(kind, name).read_text())[: chosen.most]
        file = RESULTS / "names" / f"{name}.times.json"
        file.write_text(json.dumps(kept))
        for side, source in sides.items():
            found = measured(side, kind, name, file, chosen.rounds, source)
            if found is not None:
                tools[side] |= {(name, key): each for key, each in found["alone"].items()}
                batches[side] += found["batch"]
    print(f"\n{kind}s: all that each takes")
    for side in sides:
        shown(side, tools[side], batches[side])
    both = set.intersection(*(set(each) for each in tools.values()))
    print("those that all take (the batch is of all)")
    for side in sides:
        shown(side, {key: tools[side][key] for key in sorted(both)}, 0)
    slow = sorted(tools["this tree"].items(), key=lambda each: -each[1][0])[: chosen.slowest]
    for (package, name), (seconds, size, _) in slow:
        print(f"  {seconds * 1e3:8.1f} ms {size:8,} bytes  {package} {name}")
    if chosen.against:
        mine, other = tools["this tree"], tools["the other"]
        here, there = mine.keys(), other.keys()
        changed = sorted(key for key in here & there if mine[key][2] != other[key][2])
        print(f"in other bytes: {len(changed)} of {len(here & there)}; {changed[:5]}")
        print(f"only here: {len(here - there)}; only there: {len(there - here)}")


def main():
    parser = argparse.ArgumentParser(description="Time real code on its way to tools.")
    parser.add_argument("--against", help="the `src` folder of another commit")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=int, default=40, help="callables of each package")
    parser.add_argument("--only", nargs="+", help="of the packages and servers, these")
    parser.add_argument("--slowest", type=int, default=10, help="how many to name")
    parser.add_argument("--no-peers", action="store_true")
    chosen = parser.parse_args()
    (RESULTS / "names").mkdir(parents=True, exist_ok=True)
    for kind, title in (("package", "packages"), ("server", "servers")):
        there = [name for name in LIST[title] if Path(folder_of(kind, name), "ready").is_file()]
        names = [name for name in there if not chosen.only or name in chosen.only]
        if names:
            compare(kind, names, chosen)


if __name__ == "__main__":
    main()
