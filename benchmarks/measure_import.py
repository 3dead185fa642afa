"""Time `pass` and the statements given as arguments, each in fresh interpreters.

A cheap statement is run more often, for half a second: its cost is a small difference.
"""

import json
import resource
import subprocess
import sys
import time
from statistics import median


def once(statement):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", statement], check=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spent(statement):
    taken = [once(statement)]
    while sum(wall for wall, _ in taken) < 0.5:
        taken.append(once(statement))
    wall, cpu = map(median, zip(*taken, strict=True))
    return {"wall": wall, "cpu": cpu}


print(json.dumps({each: spent(each) for each in ("pass", *sys.argv[1:])}))
