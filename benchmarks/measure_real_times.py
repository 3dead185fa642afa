"""Time how one system makes tools from one package's callables, or from one server's tools.

    measure_real_times.py SYSTEM KIND NAME FOLDER FILE ROUNDS

Prints, as JSON, the least processor time of each tool made alone, of all of them in one batch, and
what the tools are listed as. Every round runs in a fork that has made no other tool, so that what
is worked out once for a file or a class is counted with the first tool that needs it.
"""

import dataclasses
import enum
import gc
import hashlib
import importlib
import json
import os
import pkgutil
import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import real_corpus as corpus
import real_systems as systems
from measure_real import SECONDS, TookTooLong, given, stop, warm
from pydantic import BaseModel, Field


class Colour(enum.Enum):
    RED = "red"


class Box(BaseModel):
    """A model."""

    width: int = 1  # In metres


@dataclasses.dataclass
class Line:
    """A dataclass."""

    start: Box


def warm_more(
    box: Box,
    line: "Line | None" = None,  # One
    colour: Colour = Colour.RED,
    kind: Literal["a", "b"] = "a",
    where: Path = Path(),
    count: Annotated[int, Field(ge=0)] = 0,
    *rest: tuple[int, str],
) -> list[Line]:
    """Make a tool of types that are not plain."""


def ready(system):
    """Load now what a system loads late: only making tools is timed."""
    package = sys.modules.get("toolwright")
    for part in ("read", "schema") if package else ():
        room = importlib.import_module(f"toolwright.{part}")
        for each in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            importlib.import_module(each.name)
    system.one(warm, {})
    system.one(warm_more, {})


def alone(system, found):
    """Return the seconds of each tool that is taken, and a digest of how it is listed."""
    done = {}
    system.one(warm, {})  # a fork copies what it first writes to
    for name, call, options in found:
        if isinstance(call, BaseException):
            continue
        spent = time.process_time()
        signal.alarm(SECONDS)
        try:
            entry, _ = system.one(call, options)
        except (Exception, TookTooLong):  # what is refused is not timed  # noqa: BLE001
            continue
        finally:
            signal.alarm(0)
        spent = time.process_time() - spent
        done[name] = spent, len(entry), hashlib.sha256(entry).hexdigest()[:16]
    return done


def batch(system, found, taken):
    jobs = [(call, options) for name, call, options in found if name in taken]
    named = [(call, {**more, "name": f"tool_{at}"}) for at, (call, more) in enumerate(jobs)]
    system.one(warm, {})
    spent = time.process_time()
    system.batch(named)
    return time.process_time() - spent


def forked(work, *args):
    """Run a function in a fork and return its result."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            json.dump(work(*args), out)
            out.flush()
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text)


def main():
    which, kind, name, folder, file, rounds = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    names = json.loads(Path(file).read_text())
    signal.signal(signal.SIGALRM, stop)
    system = systems.SYSTEMS[which][1]()
    ready(system)
    sys.path.append(folder)
    with corpus.quiet():
        found = given(system, kind, name, folder, names)
        gc.collect()
        gc.freeze()
        each = [forked(alone, system, found) for _ in range(int(rounds))]
        taken = each[0]
        whole = [forked(batch, system, found, taken) for _ in range(int(rounds))] if taken else [0]
    least = {name: [min(r[name][0] for r in each), *taken[name][1:]] for name in taken}
    json.dump({"alone": least, "batch": min(whole)}, out)
    out.flush()
    os._exit(0)  # some packages leave threads behind


if __name__ == "__main__":
    main()
