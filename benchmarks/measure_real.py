"""Give one package's callables, or one server's tools, to one system.

    measure_real.py SYSTEM KIND NAME FOLDER FILE PASS

PASS is `one` (each callable alone, with all checks) or `batch` (those that were taken, timed
together, in a process that has not seen them). FILE has the names of the callables, or of the
tools that were taken.
"""

import gc
import json
import os
import signal
import sys
import time
from pathlib import Path

import real_corpus as corpus
import real_systems as systems

SECONDS = 30  # for one callable


class TookTooLong(BaseException):
    pass


def stop(_signal, _frame):
    raise TookTooLong


def warm(a: int, b: str = "", c: float | None = None) -> dict[str, int]:
    """Make one tool, so that imports are not counted.

    Args:
        a: One.
        b: Two.
        c: Three.
    """


def given(system, kind, name, folder, names):
    if kind == "server":
        found = corpus.tools(name, folder, system.names)
        return [(each.name, each.call, each.options) for each in found]
    resolved = []
    for each in names:
        try:
            resolved.append((each, corpus.resolve(each), {}))
        except BaseException as error:  # another environment could import it  # noqa: BLE001
            resolved.append((each, error, {}))
    return resolved


def tried(system, name, call, options):
    record = {"name": name, "typed": corpus.typed(call)}
    if isinstance(call, BaseException):
        return record | {"status": "not imported", "reason": type(call).__name__}
    spent = time.process_time()
    signal.alarm(SECONDS)
    try:
        entry, problems = system.one(call, options)
    except TookTooLong:
        return record | {"status": "took too long"}
    except Exception as error:  # what it raises is what is measured  # noqa: BLE001
        signal.alarm(0)
        reason = system.reason(error)
        record["said"] = str(error)[:300]
        record["seconds"] = time.process_time() - spent
        if reason is None:
            return record | {"status": "foreign exception", "reason": type(error).__name__}
        return record | {"status": "refused", "reason": reason}
    finally:
        signal.alarm(0)
    record["seconds"] = time.process_time() - spent
    try:
        listed = systems.parsed(entry)
    except ValueError as error:
        return record | {"status": "taken", "invalid": [str(error)], "bytes": len(entry)}
    count, texts = systems.described(listed)
    return record | {
        "status": "taken",
        "bytes": len(entry),
        "sections": {key: len(json.dumps(value)) for key, value in listed.items()},
        "parameters": count,
        "described": texts,
        "invalid": systems.faults(listed),
        "losses": systems.losses(call, listed, system.context),
        "problems": list(problems),
    }


def main():
    which, kind, name, folder, file, way = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    names = json.loads(Path(file).read_text())
    signal.signal(signal.SIGALRM, stop)
    system = systems.SYSTEMS[which][1]()
    system.one(warm, {})
    sys.path.append(folder)
    with corpus.quiet():
        found = given(system, kind, name, folder, names)
        gc.collect()
        gc.freeze()  # a collection of all that a package loads would be counted as one tool
        if way == "one":
            done = [tried(system, *each) for each in found]
        else:
            kept = [each for each in found if each[0] in names]
            jobs = [(each[1], {**each[2], "name": f"tool_{at}"}) for at, each in enumerate(kept)]
            spent = time.process_time()
            size = len(system.batch(jobs)) if jobs else 0
            done = {
                "seconds": time.process_time() - spent,
                "count": len(jobs),
                "bytes": size,
            }
    json.dump(done, out)
    out.flush()
    os._exit(0)  # some packages leave threads behind


if __name__ == "__main__":
    main()
