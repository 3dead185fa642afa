"""Compare the lists of real packages' callables, those that all systems take.

    python benchmarks/compare_real_lists.py FOLDER NAME...

FOLDER has the packages (`real.py` installs them below `.bench/corpus`). Each is imported in a
process of its own; at most 100 callables of each, chosen as `real.py` does.
"""

import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys

import real_corpus as corpus
import real_systems as systems
from compare_lists import compare

OURS, PEERS = "toolwright", ("fastmcp", "mcp")
SECONDS = 20  # for one callable


class TookTooLongError(Exception):
    pass


def stop(_signal, _frame):
    raise TookTooLongError


def listed(name, folder):
    """Yield the entries of each callable that every system takes, by system."""
    made = {each: systems.SYSTEMS[each][1]() for each in (OURS, *PEERS)}
    found = sorted(
        corpus.callables(name, folder), key=lambda each: hashlib.sha256(each.encode()).hexdigest()
    )
    for each in found[: corpus.PER_PACKAGE]:
        # Whatever a package or a system raises: it is left out for everybody.
        with contextlib.suppress(Exception):
            signal.alarm(SECONDS)
            call = corpus.resolve(each)
            yield {which: json.loads(one.one(call, {})[0]) for which, one in made.items()}
        signal.alarm(0)


def measured(name, folder):
    """Print the sums of one package, as JSON."""
    out = os.fdopen(os.dup(1), "w")
    signal.signal(signal.SIGALRM, stop)
    sys.path.append(folder)
    with corpus.quiet():
        taken = list(listed(name, folder))
        sums = {"count": len(taken)}
        for peer in PEERS:
            pairs = [({0: each[OURS]}, {0: each[peer]}) for each in taken]
            done = [compare(*pair) for pair in pairs]
            sums[peer] = {
                key: sum(each[key] for each in done) for key in ("ours", "theirs", "subtracted")
            }
    json.dump(sums, out)
    out.flush()
    os._exit(0)  # some packages leave threads behind


def main():
    folder, *names = sys.argv[1:]
    every = []
    for name in names:
        done = subprocess.run(
            [sys.executable, __file__, "--one", folder, name],
            capture_output=True,
            check=False,
            timeout=600,
        )
        if done.returncode:
            print(f"{name}: left out", file=sys.stderr)
            continue
        every.append(json.loads(done.stdout))
    print(sum(each["count"] for each in every), "callables")
    for peer in PEERS:
        ours, theirs, less = (
            sum(each[peer][key] for each in every) for key in ("ours", "theirs", "subtracted")
        )
        print(f"{peer}: {ours:,} / {theirs:,} B = {ours / theirs:.3f}, {less / theirs:.3f}")


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        measured(sys.argv[3], sys.argv[2])
    else:
        main()
