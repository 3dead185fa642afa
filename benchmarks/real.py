"""Give real code to Toolwright, FastMCP and the SDK: what each takes, refuses, loses and costs.

`real.json` has the packages and servers, and `README.md` the rule by which they were chosen. They
are installed below `.bench/` from wheels. Strangers' code is imported here: each package in a
process of its own, with a time limit, an empty home and, where `unshare` works, no network.

    python benchmarks/real.py [packages] [servers] [--only NAME ...] [--fresh | --kept]

What the peers did is kept below `.bench/real/` and used again; `--fresh` measures them as well, and
`--kept` measures nothing.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from statistics import mean, median

from real_corpus import PER_PACKAGE
from real_systems import SYSTEMS
from run import ENVIRON, ENVIRONMENTS, HERE, HOME, prepare, python, say, versions

LIST = json.loads((HERE / "real.json").read_text())
RESULTS = HOME / "real"
SECONDS = 1200  # for one worker: some schemas are half a megabyte, and checking them takes seconds
LIMITED = {key: ENVIRON[key] for key in ("PATH", "LANG", "TMPDIR") if key in ENVIRON}
LIMITED |= {"HOME": str(HOME / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
TITLES = {
    "toolwright": "Toolwright",
    "permissive": "Toolwright, permissive",
    "fastmcp": "FastMCP",
    "mcp": "mcp SDK",
}


# -- what is installed


def install(folder, requirements, *more):
    """Install wheels into a folder, unless they are there."""
    stamp = folder / "ready"
    wanted = "\n".join(requirements)
    if stamp.is_file() and stamp.read_text() == wanted:
        return
    say(f"installing {folder.relative_to(HOME.parent)}")
    shutil.rmtree(folder, ignore_errors=True)
    pip = (python("mcp"), "-m", "pip", "install", "-q", "--disable-pip-version-check")
    pip += ("--only-binary", ":all:", "--no-compile", "--target", str(folder), *more)
    done = subprocess.run(
        [*pip, *requirements], env=ENVIRON, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(pip)}\n{done.stderr}")
    stamp.write_text(wanted)


def prepare_all():
    for name, requirements in ENVIRONMENTS.items():
        prepare(name, requirements)
    # What a system has itself comes first on the path: the packages are to be the same versions.
    have = set()
    for name in ENVIRONMENTS:
        freeze = [python(name), "-m", "pip", "freeze", "--exclude-editable"]
        have |= set(subprocess.check_output(freeze, env=ENVIRON, text=True).split())
    constraints = HOME / "constraints.txt"
    constraints.write_text("\n".join(sorted(each for each in have if "==" in each)))
    packages = [f"{name}=={version}" for name, version in LIST["packages"].items()]
    install(HOME / "corpus", packages, "-c", str(constraints))
    for name, version in LIST["servers"].items():
        install(HOME / "servers" / name, [f"{name}=={version}"])
    (HOME / "home").mkdir(exist_ok=True)


def without_network():
    command = ("unshare", "-rn")
    try:
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return ()
    return command


# -- what is measured


def worker(environment, *command):
    """Run a script in an environment; return what it prints, or how it ended instead."""
    try:
        done = subprocess.run(
            [*without_network(), python(environment), *map(str, command)],
            env=LIMITED,
            cwd=HOME / "home",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, f"over {SECONDS} s"
    try:
        return json.loads(done.stdout), ""
    except ValueError:
        last = (done.stderr.strip().split("\n") or [""])[-1]
        return None, f"exit code {done.returncode}: {last[:200]}"


def folder_of(kind, name):
    return HOME / "corpus" if kind == "package" else HOME / "servers" / name


def names_of(kind, name):
    """Return a file with the names of a package's callables, found once for all systems."""
    file = RESULTS / "names" / f"{name}.json"
    if kind == "server":
        file.write_text("[]")
    elif not file.is_file():
        found, why = worker("mcp", HERE / "real_corpus.py", kind, name, folder_of(kind, name))
        if found is None:
            sys.exit(f"{name}: {why}")
        file.write_text(json.dumps(found["names"][:PER_PACKAGE]))
    return file


def measured(system, kind, name, *, keep):
    """Return what a system did with a package: alone, in a batch, and how it failed."""
    kept = RESULTS / system / f"{name}.json"
    if keep and kept.is_file():
        return json.loads(kept.read_text())
    say(f"{system}: {name}")
    environment = SYSTEMS[system][0]
    script = (HERE / "measure_real.py", system, kind, name, folder_of(kind, name))
    alone, why = worker(environment, *script, names_of(kind, name), "one")
    batch = None
    if alone is not None:
        taken = RESULTS / "names" / f"{name}.{system}.json"
        fit = [each["name"] for each in alone if each["status"] == "taken"]
        taken.write_text(json.dumps(fit))
        batch, why = worker(environment, *script, taken, "batch")
    found = {"alone": alone or [], "batch": batch, "failed": why}
    kept.write_text(json.dumps(found, indent=1))
    return found


def kept_results(names):
    """Return what earlier runs have measured for the packages that every system has seen."""
    files = {(s, name): RESULTS / s / f"{name}.json" for name in names for s in SYSTEMS}
    whole = {name for name in names if all(files[s, name].is_file() for s in SYSTEMS)}
    return {key: json.loads(file.read_text()) for key, file in files.items() if key[1] in whole}


def measure_all(kind, names, *, fresh):
    for each in ("names", *SYSTEMS):
        (RESULTS / each).mkdir(parents=True, exist_ok=True)
    code = [HERE / f"{name}.py" for name in ("real_corpus", "real_systems", "measure_real")]
    now = hashlib.sha256(b"".join(each.read_bytes() for each in code)).hexdigest()
    stamp = RESULTS / f"{kind}.stamp"
    if not stamp.is_file() or stamp.read_text() != now:
        fresh = True
        for name in names:
            (RESULTS / "names" / f"{name}.json").unlink(missing_ok=True)
    for name in names:
        names_of(kind, name)
    jobs = [(system, name) for name in names for system in SYSTEMS]

    def job(each):
        system, name = each
        peer = SYSTEMS[system][0] != "toolwright"
        return measured(system, kind, name, keep=peer and not fresh)

    with ThreadPoolExecutor(2) as pool:
        done = dict(zip(jobs, pool.map(job, jobs), strict=True))
    stamp.write_text(now)
    return done


# -- what is printed


def share(part, whole):
    return f"{part:,} ({part / whole:.1%})" if whole else "-"


def column(system, done):
    """Return the figures of one system, top to bottom."""
    mine = [found for (each, _), found in done.items() if each == system]
    tried = [record for found in mine for record in found["alone"]]
    taken = [record for record in tried if record["status"] == "taken"]
    typed = [record for record in tried if record["typed"]]
    whole = [record for record in taken if not record["losses"]]
    silent = [record for record in taken if record["losses"] and not record["problems"]]
    invalid = [record for record in taken if record["invalid"]]
    parameters = sum(record["parameters"] for record in taken)
    batches = [found["batch"] for found in mine if found["batch"]]
    spent = [record["seconds"] for record in taken]
    ours = SYSTEMS[system][0] == "toolwright"
    both = common(done)
    sizes = [
        record["bytes"]
        for (each, name), found in done.items()
        if each == system
        for record in found["alone"]
        if (name, record["name"]) in both
    ]

    def count(status):
        return sum(record["status"] == status for record in tried)

    return {
        "callables": f"{len(tried):,}",
        "taken": share(len(taken), len(tried)),
        "- whole": share(len(whole), len(tried)),
        "- with losses": share(len(taken) - len(whole), len(tried)),
        "- with losses that it does not name": f"{len(silent):,}" if ours else "all",
        "refused": share(count("refused"), len(tried)),
        "exceptions other than its own": f"{count('foreign exception')}" if ours else "-",
        "took too long": count("took too long"),
        "fully typed: callables": f"{len(typed):,}",
        "fully typed: taken": share(sum(each in taken for each in typed), len(typed)),
        "fully typed: taken whole": share(sum(each in whole for each in typed), len(typed)),
        "invalid schemas": len(invalid),
        "parameters with a description": share(
            sum(record["described"] for record in taken), parameters
        ),
        "mean bytes": f"{mean(record['bytes'] for record in taken):,.0f}",
        f"mean bytes, the {len(both):,} that all take": f"{mean(sizes):,.0f}" if sizes else "-",
        "ms a tool, one by one (mean)": f"{mean(spent) * 1e3:.2f}",
        "ms a tool, one by one (median)": f"{median(spent) * 1e3:.2f}",
        "tools over 50 ms": sum(each > 0.05 for each in spent),
        "ms a tool, in a batch": per_tool(batches),
    }


def common(done):
    """Return the names that every system takes."""
    taken = {system: set() for system in SYSTEMS}
    for (system, name), found in done.items():
        fit = (each["name"] for each in found["alone"] if each["status"] == "taken")
        taken[system] |= {(name, each) for each in fit}
    return set.intersection(*taken.values())


def per_tool(batches):
    count = sum(each["count"] for each in batches)
    return f"{sum(each['seconds'] for each in batches) / count * 1e3:.2f}" if count else "-"


def table(done):
    columns = {system: column(system, done) for system in SYSTEMS}
    heads = ("what", *(TITLES[system] for system in SYSTEMS))
    rows = [(what, *(str(columns[s][what]) for s in SYSTEMS)) for what in columns["toolwright"]]
    lines = [heads, *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(heads))]
    lines.insert(1, tuple("-" * width for width in widths))
    for line in lines:
        print("| " + " | ".join(map(str.ljust, line, widths)) + " |")


def reasons(done, limit):
    """Print why each system refused, most frequent first, each with an example."""
    for system in SYSTEMS:
        found, example = Counter(), {}
        for (each, name), result in done.items():
            if each != system:
                continue
            if result["failed"]:
                print(f"{TITLES[system]}: {name} failed: {result['failed']}")
            for record in result["alone"]:
                if record["status"] not in ("taken", "took too long"):
                    found[record["reason"]] += 1
                    example.setdefault(record["reason"], (record["name"], record.get("said", "")))
                elif record["status"] == "took too long" or record["invalid"]:
                    print(
                        f"{TITLES[system]}: {record['name']}: {record.get('invalid', 'too long')}"
                    )
        print(f"\n{TITLES[system]} refused {found.total():,}:")
        for reason, count in found.most_common(limit):
            name, said = example[reason]
            print(f"{count:6}  {reason}\n        {name}: {' '.join(said.split())[:200]}")


def targets(done):
    """Say whether the targets are met, in both modes."""
    records = [
        each for (s, _), found in done.items() if s == "toolwright" for each in found["alone"]
    ]
    typed = [each for each in records if each["typed"]]
    taken = sum(each["status"] == "taken" for each in typed) / max(len(typed), 1)
    ours = [
        each
        for (system, _), found in done.items()
        if SYSTEMS[system][0] == "toolwright"
        for each in found["alone"]
    ]
    invalid = sum(bool(each.get("invalid")) for each in ours)
    foreign = sum(each["status"] == "foreign exception" for each in ours)
    for what, value, met in (
        ("fully typed callables taken: at least 85%", f"{taken:.1%}", taken >= 0.85),
        ("invalid schemas: 0", invalid, not invalid),
        ("exceptions other than ours: 0", foreign, not foreign),
    ):
        print(f"{what}: {value}, {'met' if met else 'MISSED'}")


def main():
    parser = argparse.ArgumentParser(description="Give real code to Toolwright and its peers.")
    parser.add_argument("sections", nargs="*", help="of packages, servers; both if none")
    parser.add_argument("--only", nargs="+", help="of the packages and servers, these")
    parser.add_argument("--fresh", action="store_true", help="measure the peers, too")
    parser.add_argument("--kept", action="store_true", help="print what was measured before")
    parser.add_argument("--reasons", type=int, default=12, help="how many to print for each")
    chosen = parser.parse_args()
    prepare_all()
    for name in ENVIRONMENTS:
        print(f"  .bench/{name}: {versions(name).strip()}")
    for kind, title in (("package", "packages"), ("server", "servers")):
        if chosen.sections and title not in chosen.sections:
            continue
        names = [name for name in LIST[title] if not chosen.only or name in chosen.only]
        if not names:
            continue
        kept = chosen.kept
        done = kept_results(names) if kept else measure_all(kind, names, fresh=chosen.fresh)
        print(f"\n{len({name for _, name in done})} {title}\n")
        table(done)
        print()
        targets(done)
        print()
        reasons(done, chosen.reasons)


if __name__ == "__main__":
    main()
